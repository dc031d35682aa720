import type { Database, Transaction } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inTransaction } from "../../db/transaction.ts";
import { fieldError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import { type Actor, type AuditEntry, recordChange } from "../audit/audit-log.ts";
import {
  insertMember,
  insertOrganization,
  selectMembers,
  selectPlan,
  updateMember,
  updateOrganization,
  updatePlan,
} from "./accounts.store.ts";
import type { Member, MemberRole, Organization, Plan } from "./accounts.table.ts";
import {
  newMemberEmail,
  optionalName,
  requiredEmail,
  requiredName,
  requireMember,
  requireOrganization,
} from "./accounts.ts";
import { type MemberChange, type MemberDenial, memberDenial } from "./member-rules.ts";
import { nextTerm, type PlanCode, planInForce } from "./plan.ts";
import { type PlanChange, requireLimits } from "./plan-limits.ts";

/** Called where an organization gets webhook events again after a time without. */
interface Resumption {
  /** The long part, before the change. Does nothing for an organization that gets events. */
  prepare(db: Database, clock: Clock, organizationId: number): Promise<void>;
  /** The short part, in the transaction that makes the change. */
  resume(tx: Transaction, organizationId: number): Promise<void>;
}

/**
 * Changes of organizations, members and plans, one transaction each. Each that names an organization or
 * member throws `not_found` where there is none, and `invalid` for a value that cannot be. A change is
 * recorded in the audit log as one `by` somebody; where nothing changes nothing is recorded.
 */
export function accountChanges(resumption: Resumption) {
  return {
    changePlan,
    createOrganization,
    givePlan: withResumption(givePlan, resumption),
    archiveOrganization,
    restoreOrganization: withResumption(restoreOrganization, resumption),
    addMember,
    changeRole,
    suspendMember,
    reinstateMember,
    changeMemberAs,
    handOver,
  };
}

export type AccountChanges = Calls<ReturnType<typeof accountChanges>>;

function withResumption<Rest extends unknown[], Result>(
  change: (resumption: Resumption, db: Database, clock: Clock, ...rest: Rest) => Result,
  resumption: Resumption,
) {
  return (db: Database, clock: Clock, ...rest: Rest): Result =>
    change(resumption, db, clock, ...rest);
}

/**
 * Changes the limits of a plan, for all its organizations from their next request on.
 * @throws AppError `invalid` for a number out of its range
 */
async function changePlan(
  db: Database,
  clock: Clock,
  code: PlanCode,
  limits: PlanChange,
  by: Actor,
): Promise<Plan> {
  requireLimits(limits);
  return inTransaction(db, clock, "plan", async (tx) => {
    const found = await selectPlan(tx, code);
    await updatePlan(tx, code, limits);
    const changed = await selectPlan(tx, code);
    if (!Bun.deepEquals(found, changed)) {
      await recordChange(tx, clock, by, {
        organizationId: null,
        action: "plan.set",
        target: `plan ${code}`,
        details: { ...limits },
      });
    }
    return changed;
  });
}

async function createOrganization(
  db: Database,
  clock: Clock,
  { name: given, plan }: { name: string; plan: PlanCode },
  by: Actor,
): Promise<Organization> {
  const name = requiredName(given);
  return inTransaction(db, clock, "organization", (tx) =>
    putOrganization(tx, clock, { name, plan }, by),
  );
}

/** A new organization, as a part of the caller's transaction. */
export async function putOrganization(
  tx: Transaction,
  clock: Clock,
  { name, plan }: { name: string; plan: PlanCode },
  by: Actor,
): Promise<Organization> {
  const now = clock.now();
  const made = await insertOrganization(tx, {
    name,
    plan,
    planStartedAt: now,
    planEndsAt: null,
    createdAt: now,
    archivedAt: null,
  });
  await recordChange(tx, clock, by, {
    organizationId: made.id,
    action: "organization.create",
    target: `organization ${made.id}`,
    details: { name, plan },
  });
  return made;
}

/** @param endsAt the first instant at which the plan no longer holds; null: no end */
async function givePlan(
  resumption: Resumption,
  db: Database,
  clock: Clock,
  id: number,
  plan: PlanCode,
  endsAt: number | null,
  by: Actor,
): Promise<Organization> {
  if (endsAt !== null && endsAt <= clock.now()) {
    throw fieldError({ ends: [message("dayIsOver")] });
  }
  const ends = endsAt === null ? null : formatInstant(endsAt);
  await resumption.prepare(db, clock, id);
  return changeOrganization(db, clock, by, {
    id,
    action: "organization.plan",
    details: { plan, ends },
    async change(tx, found) {
      const now = clock.now();
      const before = await selectPlan(tx, planInForce(found, now).plan);
      if (before.webhooks === 0) await resumption.resume(tx, id);
      return nextTerm(found, plan, endsAt, now);
    },
  });
}

/** Archiving twice keeps the first instant. */
function archiveOrganization(
  db: Database,
  clock: Clock,
  id: number,
  by: Actor,
): Promise<Organization> {
  return changeOrganization(db, clock, by, {
    id,
    action: "organization.archive",
    change: async (_tx, { archivedAt }) => ({ archivedAt: archivedAt ?? clock.now() }),
  });
}

async function restoreOrganization(
  resumption: Resumption,
  db: Database,
  clock: Clock,
  id: number,
  by: Actor,
): Promise<Organization> {
  await resumption.prepare(db, clock, id);
  return changeOrganization(db, clock, by, {
    id,
    action: "organization.restore",
    async change(tx, { archivedAt }) {
      if (archivedAt !== null) await resumption.resume(tx, id);
      return { archivedAt: null };
    },
  });
}

interface OrganizationChange {
  id: number;
  action: "organization.plan" | "organization.archive" | "organization.restore";
  details?: AuditEntry["details"];
  change(tx: Transaction, found: Organization): Promise<Partial<Organization>>;
}

function changeOrganization(
  db: Database,
  clock: Clock,
  by: Actor,
  { id, action, details, change }: OrganizationChange,
): Promise<Organization> {
  return inTransaction(db, clock, "organization", async (tx) => {
    const found = await requireOrganization(tx, id);
    await updateOrganization(tx, id, await change(tx, found));
    const changed = await requireOrganization(tx, id);
    if (!Bun.deepEquals(found, changed)) {
      const target = `organization ${id}` as const;
      await recordChange(tx, clock, by, { organizationId: id, action, target, details });
    }
    return changed;
  });
}

interface NewMember {
  organizationId: number;
  email: string;
  name: string;
  role: MemberRole;
}

async function addMember(db: Database, clock: Clock, input: NewMember, by: Actor): Promise<Member> {
  return inTransaction(db, clock, "member", async (tx) => {
    await requireOrganization(tx, input.organizationId);
    return putNewMember(tx, clock, input, by);
  });
}

/** A new member of an organization that is there, as a part of the caller's transaction. */
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
    target: `member ${made.id}`,
    details: { email, role },
  });
  return made;
}

/**
 * Gives a member's place, with its keys, to somebody else, and the organization another name: the first
 * account takes over what the first start made.
 */
function handOver(
  db: Database,
  clock: Clock,
  memberId: number,
  to: { email: string; name: string; organization: string },
  by: Actor,
): Promise<Member> {
  const [email, name] = [requiredEmail(to.email), optionalName(to.name)];
  const organization = requiredName(to.organization);
  return inTransaction(db, clock, "member", async (tx) => {
    const { organizationId } = await requireMember(tx, memberId);
    await updateOrganization(tx, organizationId, { name: organization });
    await recordChange(tx, clock, by, {
      organizationId,
      action: "organization.rename",
      target: `organization ${organizationId}`,
      details: { name: organization },
    });
    await updateMember(tx, memberId, { email, name });
    await recordChange(tx, clock, by, {
      organizationId,
      action: "member.hand-over",
      target: `member ${memberId}`,
      details: { email },
    });
    return requireMember(tx, memberId);
  });
}

const changeRole = (db: Database, clock: Clock, id: number, role: MemberRole, by: Actor) =>
  changeMember(db, clock, id, { role }, by);

/** Suspending twice keeps the first instant. */
const suspendMember = (db: Database, clock: Clock, id: number, by: Actor) =>
  changeMember(db, clock, id, { isSuspended: true }, by);

const reinstateMember = (db: Database, clock: Clock, id: number, by: Actor) =>
  changeMember(db, clock, id, { isSuspended: false }, by);

function changeMember(
  db: Database,
  clock: Clock,
  id: number,
  change: MemberChange,
  by: Actor,
): Promise<Member> {
  return inTransaction(db, clock, "member", async (tx) =>
    putMember(tx, clock, await requireMember(tx, id), change, by),
  );
}

/**
 * Makes a change by another member of the same organization, where the rules allow it. They are judged
 * in the transaction of the change, so that two owners cannot demote each other at once.
 * @throws AppError `not_found` for a member of another organization
 */
function changeMemberAs(
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
    const members = await selectMembers(tx, actor.organizationId);
    const denial = memberDenial(actor, target, change, members);
    if (denial !== null) return { ok: false, denial };
    const by = { person: actor.email, keyId: null };
    return { ok: true, member: await putMember(tx, clock, target, change, by) };
  });
}

async function putMember(
  tx: Transaction,
  clock: Clock,
  { id, organizationId, email, role, suspendedAt }: Member,
  change: MemberChange,
  by: Actor,
): Promise<Member> {
  const { isSuspended } = change;
  const record = (action: AuditEntry["action"], details: AuditEntry["details"] = {}) => {
    const target = `member ${id}` as const;
    const entry = { organizationId, action, target, details: { email, ...details } };
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
  return requireMember(tx, id);
}
