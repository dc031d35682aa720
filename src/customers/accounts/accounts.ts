import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { fieldError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import { type Actor, type AuditEntry, recordChange } from "../audit/audit-log.ts";
import { createAccountsStore } from "./accounts.store.ts";
import type { Member, MemberRole, Organization, Plan } from "./accounts.table.ts";
import { type MemberChange, type MemberDenial, memberDenial } from "./member-rules.ts";
import { nextTerm, type PlanCode, planInForce } from "./plan.ts";
import { type PlanChange, requireLimits } from "./plan-limits.ts";

/** Somebody's place in an organization. */
export interface Membership {
  member: Member;
  organization: Organization;
}

export type Accounts = ReturnType<typeof createAccounts>;

/** Called where an organization gets webhook events again after a time without. */
export interface Resumption {
  /** The long part, before the change. Does nothing for an organization that gets events. */
  prepare(organizationId: number): Promise<void>;
  /** The short part, in the transaction that makes the change. */
  resume(organizationId: number): void;
}

/** The account site takes only such addresses (people/auth.ts): no member is made who could not sign in. */
const EMAIL = /^(?!\.)(?!.*\.\.)[\w'+\-.]*[\w+-]@([a-z\d][a-z\d-]*\.)+[a-z]{2,}$/i;
export const EMAIL_LENGTH_MAX = 254;
const NAME_LENGTH_MAX = 200;

/**
 * Organizations, their members and their plans. Every verb that names an organization or member
 * throws `not_found` where there is none, and `invalid` for a value that cannot be. A change is recorded
 * in the audit log as one `by` somebody; where nothing changes nothing is recorded.
 */
export function createAccounts(db: Database, clock: Clock, resumption: Resumption) {
  const store = createAccountsStore(db);

  function organization(id: number): Organization {
    const found = store.organization(id);
    if (found === undefined) throw notFound("organization", id);
    return found;
  }

  function member(id: number): Member {
    const found = store.member(id);
    if (found === undefined) throw notFound("member", id);
    return found;
  }

  function changeOrganization(
    id: number,
    by: Actor,
    action: "organization.plan" | "organization.archive" | "organization.restore",
    change: (found: Organization) => Partial<Organization>,
    detailsOf: (changed: Organization) => AuditEntry["details"] = () => ({}),
  ): Promise<Organization> {
    return inTransaction(db, clock, "organization", () => {
      const found = organization(id);
      store.changeOrganization(id, change(found));
      const changed = organization(id);
      if (!Bun.deepEquals(found, changed)) {
        const target = `organization ${id}` as const;
        const details = detailsOf(changed);
        recordChange(db, clock, by, { organizationId: id, action, target, details });
      }
      return changed;
    });
  }

  /** Within a transaction. */
  function putMember({ id, role, suspendedAt }: Member, by: Actor, change: MemberChange): Member {
    const { isSuspended } = change;
    const record = (action: AuditEntry["action"], details: AuditEntry["details"] = {}): void => {
      const { organizationId, email } = member(id);
      const target = `member ${id}` as const;
      const entry = { organizationId, action, target, details: { email, ...details } };
      recordChange(db, clock, by, entry);
    };
    if (change.role !== undefined && change.role !== role) {
      store.changeMember(id, { role: change.role });
      record("member.role", { before: role, role: change.role });
    }
    if (isSuspended !== undefined && isSuspended !== (suspendedAt !== null)) {
      store.changeMember(id, { suspendedAt: isSuspended ? clock.now() : null });
      record(isSuspended ? "member.suspend" : "member.restore");
    }
    return member(id);
  }

  function newMemberEmail(organizationId: number, text: string): string {
    const email = requiredEmail(text);
    const isTaken = store
      .membersOf(organizationId)
      .some((other) => other.email.toLowerCase() === email.toLowerCase());
    if (!isTaken) return email;
    throw fieldError({ email: [message("memberAlready", { email })] });
  }
  const changeMember = (id: number, by: Actor, change: MemberChange): Promise<Member> =>
    inTransaction(db, clock, "member", () => putMember(member(id), by, change));

  return {
    organization,
    organizations: (): Organization[] => store.organizations(),
    plans: (): Plan[] => store.plans(),
    plan: (code: PlanCode): Plan => store.plan(code),

    /**
     * Changes the limits of a plan, for all its organizations from their next request on.
     * @throws AppError `invalid` for a number out of its range (decisions, section 4)
     */
    async changePlan(code: PlanCode, change: PlanChange, by: Actor): Promise<Plan> {
      requireLimits(change);
      return inTransaction(db, clock, "plan", () => {
        const found = store.plan(code);
        store.changePlan(code, change);
        const changed = store.plan(code);
        if (!Bun.deepEquals(found, changed)) {
          recordChange(db, clock, by, {
            organizationId: null,
            action: "plan.set",
            target: `plan ${code}`,
            details: { ...change },
          });
        }
        return changed;
      });
    },

    async createOrganization(
      { name: given, plan }: { name: string; plan: PlanCode },
      by: Actor,
    ): Promise<Organization> {
      const name = requiredName(given);
      return inTransaction(db, clock, "organization", () => {
        const now = clock.now();
        const made = store.addOrganization({
          name,
          plan,
          planStartedAt: now,
          planEndsAt: null,
          createdAt: now,
          archivedAt: null,
        });
        recordChange(db, clock, by, {
          organizationId: made.id,
          action: "organization.create",
          target: `organization ${made.id}`,
          details: { name, plan },
        });
        return made;
      });
    },

    /** @param endsAt the first instant at which the plan no longer holds; null: no end */
    async givePlan(
      id: number,
      plan: PlanCode,
      endsAt: number | null,
      by: Actor,
    ): Promise<Organization> {
      if (endsAt !== null && endsAt <= clock.now()) {
        throw fieldError({ ends: [message("dayIsOver")] });
      }
      const change = (found: Organization): Partial<Organization> => {
        const now = clock.now();
        if (store.plan(planInForce(found, now).plan).webhooks === 0) resumption.resume(id);
        return nextTerm(found, plan, endsAt, now);
      };
      const ends = endsAt === null ? null : formatInstant(endsAt);
      await resumption.prepare(id);
      return changeOrganization(id, by, "organization.plan", change, () => ({ plan, ends }));
    },

    /** Archiving twice keeps the first instant. */
    archive(id: number, by: Actor): Promise<Organization> {
      return changeOrganization(id, by, "organization.archive", ({ archivedAt }) => ({
        archivedAt: archivedAt ?? clock.now(),
      }));
    },

    async restore(id: number, by: Actor): Promise<Organization> {
      await resumption.prepare(id);
      return changeOrganization(id, by, "organization.restore", ({ archivedAt }) => {
        if (archivedAt !== null) resumption.resume(id);
        return { archivedAt: null };
      });
    },

    member,
    /**
     * Organizations in which somebody may act: not suspended there, and not archived. Somebody who has
     * not proved to own the address gets only the one they came to first: whoever invited them there may have
     * chosen their password, and must not get into other organizations by it.
     */
    membershipsOf(email: string, isVerified: boolean): Membership[] {
      const places = store.placesOf(email);
      return (isVerified ? places : places.slice(0, 1)).filter(
        ({ member, organization }) =>
          member.suspendedAt === null && organization.archivedAt === null,
      );
    },
    /** All memberships of somebody, whether they may act there or not; the oldest first. */
    placesOf: (email: string): Membership[] => store.placesOf(email),
    /** Checks that no member of the organization has this address. @throws AppError `invalid` on `email` */
    newMemberEmail,
    /** The first member there is, or null. */
    firstMemberId: (): number | null => store.firstMemberId(),
    members(organizationId: number): Member[] {
      organization(organizationId);
      return store.membersOf(organizationId);
    },

    async addMember(
      input: {
        organizationId: number;
        email: string;
        name: string;
        role: MemberRole;
      },
      by: Actor,
    ): Promise<Member> {
      const name = optionalName(input.name);
      return inTransaction(db, clock, "member", () => {
        const { organizationId, role } = input;
        organization(organizationId);
        const email = newMemberEmail(organizationId, input.email);
        const made = store.addMember({
          organizationId,
          email,
          name,
          role,
          createdAt: clock.now(),
          suspendedAt: null,
        });
        recordChange(db, clock, by, {
          organizationId,
          action: "member.add",
          target: `member ${made.id}`,
          details: { email, role },
        });
        return made;
      });
    },

    /**
     * Makes a change by another member of the same organization, where the rules allow it. They are judged
     * in the transaction of the change, so that two owners cannot demote each other at once.
     * @throws AppError `not_found` for a member of another organization
     */
    changeMemberAs(
      actorId: number,
      id: number,
      change: MemberChange,
    ): Promise<{ ok: true; member: Member } | { ok: false; denial: MemberDenial }> {
      return inTransaction(db, clock, "member", () => {
        const actor = member(actorId);
        const target = member(id);
        if (target.organizationId !== actor.organizationId) throw notFound("member", id);
        const denial = memberDenial(actor, target, change, store.membersOf(actor.organizationId));
        if (denial !== null) return { ok: false, denial };
        const by = { person: actor.email, keyId: null };
        return { ok: true, member: putMember(target, by, change) };
      });
    },

    changeRole: (id: number, role: MemberRole, by: Actor): Promise<Member> =>
      changeMember(id, by, { role }),
    /** Suspending twice keeps the first instant. */
    suspend: (id: number, by: Actor): Promise<Member> =>
      changeMember(id, by, { isSuspended: true }),
    reinstate: (id: number, by: Actor): Promise<Member> =>
      changeMember(id, by, { isSuspended: false }),
  };
}

/** An address without blanks around it. @throws AppError `invalid` on `email` */
export function requiredEmail(text: string): string {
  const email = text.trim();
  if (!EMAIL.test(email) || email.length > EMAIL_LENGTH_MAX) {
    throw fieldError({ email: [message("notEmail")] });
  }
  return email;
}

/** A name without blanks around it. @throws AppError `invalid` on `name` */
export function requiredName(text: string): string {
  const name = optionalName(text);
  if (name === "") throw fieldError({ name: [message("blank")] });
  return name;
}

/** A name without blanks around it, which may be empty. @throws AppError `invalid` on `name` */
export function optionalName(text: string): string {
  const name = text.trim();
  if (/\p{Cc}/u.test(name)) throw fieldError({ name: [message("controlCharacters")] });
  if ([...name].length > NAME_LENGTH_MAX) {
    throw fieldError({
      name: [message("tooLong", { characters: NAME_LENGTH_MAX })],
    });
  }
  return name;
}
