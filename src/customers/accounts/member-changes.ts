import type { Database, Transaction } from "../../db/database.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
import { notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Actor, type AuditEntry, recordChange } from "../audit/audit-log.ts";
import { named, tellOperator } from "../operator-events/operator-events.store.ts";
import { insertMember, selectMembers, updateMember, updateOrganization } from "./accounts.store.ts";
import type { Member, MemberRole } from "./accounts.table.ts";
import {
  newMemberEmail,
  optionalName,
  requiredEmail,
  requiredName,
  requireMember,
  requireOrganization,
} from "./accounts.ts";

type NewMember = Pick<Member, "organizationId" | "email" | "name" | "role">;

const addMember = transaction("member", async (tx, clock, input: NewMember, by: Actor) => {
  await requireOrganization(tx, input.organizationId);
  return putNewMember(tx, clock, input, by);
});

/** Runs in the caller's transaction. */
export async function putNewMember(
  tx: Transaction,
  clock: Clock,
  input: NewMember,
  by: Actor,
): Promise<Member> {
  const name = optionalName(input.name);
  const { organizationId, role } = input;
  const email = await newMemberEmail(tx, organizationId, input.email);
  const createdAt = clock.now();
  const row = { organizationId, email, name, role, createdAt, suspendedAt: null };
  const made = await insertMember(tx, row);
  await recordChange(tx, clock, by, {
    organizationId,
    action: "member.add",
    id: made.id,
    details: { email, role },
  });
  await tellOperator(tx, createdAt, "member.joined", {
    organization: named(await requireOrganization(tx, organizationId)),
    member: { id: made.id, email, role },
  });
  return made;
}

/**
 * Transfers a member, with its keys, to another person, and renames the organization: the first account
 * takes over what the first start created.
 */
function handOver(
  db: Database,
  clock: Clock,
  memberId: number,
  to: { email: string; name: string; organization: string },
  by: Actor,
): Promise<Member> {
  const email = requiredEmail(to.email);
  const name = optionalName(to.name);
  const organization = requiredName(to.organization);
  return inTransaction(db, clock, "member", async (tx) => {
    const { organizationId } = await requireMember(tx, memberId);
    await updateOrganization(tx, organizationId, { name: organization });
    await recordChange(tx, clock, by, {
      organizationId,
      action: "organization.rename",
      id: organizationId,
      details: { name: organization },
    });
    await updateMember(tx, memberId, { email, name });
    await recordChange(tx, clock, by, {
      organizationId,
      action: "member.hand-over",
      id: memberId,
      details: { email },
    });
    return requireMember(tx, memberId);
  });
}

/** Called in the transaction that suspends a member; it signs them out. */
export type OnSuspended = (tx: Transaction, email: string) => Promise<void>;

export function memberChanges(onSuspended: OnSuspended) {
  const changeMember = (db: Database, clock: Clock, id: number, change: MemberChange, by: Actor) =>
    inTransaction(db, clock, "member", async (tx) =>
      putMember(tx, clock, { onSuspended, target: await requireMember(tx, id), change }, by),
    );
  return {
    addMember,
    handOver,
    changeRole: (db: Database, clock: Clock, id: number, role: MemberRole, by: Actor) =>
      changeMember(db, clock, id, { role }, by),
    /** Suspending again keeps the original time. */
    suspendMember: (db: Database, clock: Clock, id: number, by: Actor) =>
      changeMember(db, clock, id, { isSuspended: true }, by),
    reinstateMember: (db: Database, clock: Clock, id: number, by: Actor) =>
      changeMember(db, clock, id, { isSuspended: false }, by),
    changeMemberAs: changeMemberAs.bind(null, onSuspended),
  };
}

/**
 * Makes a change on behalf of another member of the organization, if the rules allow it. They are checked
 * in the transaction of the change, so that two owners cannot demote each other at once.
 * @throws AppError `not_found` for a member of another organization
 */
function changeMemberAs(
  onSuspended: OnSuspended,
  db: Database,
  clock: Clock,
  actorId: number,
  id: number,
  change: MemberChange,
): Promise<{ ok: true; member: Member } | { ok: false; denial: MemberDenial }> {
  return inTransaction(db, clock, "member", async (tx) => {
    const actor = await requireMember(tx, actorId);
    const target = await requireMember(tx, id);
    if (target.organizationId !== actor.organizationId) throw notFound("member", id);
    const members = await selectMembers(tx, { organizationId: actor.organizationId });
    const denial = memberDenial(actor, target, change, members);
    if (denial !== null) return { ok: false, denial };
    const by = { person: actor.email, keyId: null };
    return { ok: true, member: await putMember(tx, clock, { onSuspended, target, change }, by) };
  });
}

async function putMember(
  tx: Transaction,
  clock: Clock,
  {
    onSuspended,
    target: { id, organizationId, email, role, suspendedAt },
    change,
  }: { onSuspended: OnSuspended; target: Member; change: MemberChange },
  by: Actor,
): Promise<Member> {
  const { isSuspended } = change;
  const record = (action: AuditEntry["action"], details: AuditEntry["details"] = {}) => {
    const entry = { organizationId, action, id, details: { email, ...details } };
    return recordChange(tx, clock, by, entry);
  };
  if (change.role !== undefined && change.role !== role) {
    await updateMember(tx, id, { role: change.role });
    await record("member.role", { before: role, role: change.role });
  }
  if (isSuspended !== undefined && isSuspended !== (suspendedAt !== null)) {
    await updateMember(tx, id, { suspendedAt: isSuspended ? clock.now() : null });
    await record(isSuspended ? "member.suspend" : "member.restore");
  }
  // Also if they were suspended before: they may have been staff until now.
  if (isSuspended === true) await onSuspended(tx, email);
  return requireMember(tx, id);
}

export interface MemberChange {
  role?: MemberRole;
  isSuspended?: boolean;
}

/** Why refused: needs an owner or administrator; needs an owner; concerns oneself; or the last owner. */
export type MemberDenial = "managers_only" | "owners_only" | "yourself" | "last_owner";

/** Why the actor may not give somebody this role; null if they may. */
export function roleDenial(actor: Pick<Member, "role">, role: MemberRole): MemberDenial | null {
  if (actor.role === "member") return "managers_only";
  return role === "owner" && actor.role !== "owner" ? "owners_only" : null;
}

/** Why a change is refused; null if it is allowed. @param all the organization's members */
function memberDenial(
  actor: Member,
  target: Member,
  { role, isSuspended }: MemberChange,
  all: readonly Member[],
): MemberDenial | null {
  if (actor.suspendedAt !== null) return "managers_only";
  const denial = roleDenial(actor, target.role) ?? roleDenial(actor, role ?? target.role);
  if (denial !== null) return denial;
  if (isSuspended === true && target.id === actor.id) return "yourself";
  const remainsOwner = isSuspended !== true && (role ?? target.role) === "owner";
  const isLast =
    isActiveOwner(target) && !all.some((one) => one.id !== target.id && isActiveOwner(one));
  return isLast && !remainsOwner ? "last_owner" : null;
}

export function isActiveOwner({ role, suspendedAt }: Member): boolean {
  return role === "owner" && suspendedAt === null;
}
