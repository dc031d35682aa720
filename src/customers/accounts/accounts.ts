import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { fieldError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
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

/** Steps by which an organization gets webhook events again after it got none. */
export interface Resumption {
  /** Before: what is long of it. Does nothing for an organization that gets events. */
  prepare(organizationId: number): Promise<void>;
  /** In the transaction that makes the change. */
  resume(organizationId: number): void;
}

/** Those that the account site signs in (people/auth.ts): no member is made who never could. */
const EMAIL = /^(?!\.)(?!.*\.\.)[\w'+\-.]*[\w+-]@([a-z\d][a-z\d-]*\.)+[a-z]{2,}$/i;
export const EMAIL_LENGTH_MAX = 254;
const NAME_LENGTH_MAX = 200;

/**
 * Organizations, their members and their plans. Every verb that names an organization or member
 * throws `not_found` where there is none, and `invalid` for a value that cannot be. What changes
 * something is recorded as a change `by` somebody, and not at all where all is so already.
 */
export function createAccounts(db: Database, clock: Clock, resumption: Resumption) {
  const store = createAccountsStore(db);

  function organization(id: number): Organization {
    const found = store.organization(id);
    if (found === undefined) throw notFound(`Organization ${id}`);
    return found;
  }

  function member(id: number): Member {
    const found = store.member(id);
    if (found === undefined) throw notFound(`Member ${id}`);
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
        const [target, details] = [`organization ${id}`, detailsOf(changed)];
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
      const target = `member ${id}`;
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
    throw fieldError({ email: [`${email} is a member of this organization already.`] });
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
          const [target, details] = [`plan ${code}`, { ...change }];
          recordChange(db, clock, by, {
            organizationId: null,
            action: "plan.set",
            target,
            details,
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
        throw fieldError({ ends: ["The day is over already."] });
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
     * Where somebody may act: not where they are suspended, and in no archived organization. Of whom
     * it is not known that they are who has the address: only where they came first, since whoever
     * invited them there may have chosen their password.
     */
    membershipsOf(email: string, isVerified: boolean): Membership[] {
      const places = store.placesOf(email);
      return (isVerified ? places : places.slice(0, 1)).filter(
        ({ member, organization }) =>
          member.suspendedAt === null && organization.archivedAt === null,
      );
    },
    /** All that somebody belongs to, whether they may act there or not; the first one first. */
    placesOf: (email: string): Membership[] => store.placesOf(email),
    /** An address that no member of the organization has. @throws AppError `invalid` on `email` */
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
        const [target, details] = [`member ${made.id}`, { email, role }];
        recordChange(db, clock, by, { organizationId, action: "member.add", target, details });
        return made;
      });
    },

    /**
     * A change by another member of the same organization, where the rules allow it: judged in the
     * transaction that makes it, so that two owners cannot demote each other at once.
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
        if (target.organizationId !== actor.organizationId) throw notFound(`Member ${id}`);
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
    throw fieldError({ email: ["Enter a valid email address."] });
  }
  return email;
}

/** A name without blanks around it. @throws AppError `invalid` on `name` */
export function requiredName(text: string): string {
  const name = optionalName(text);
  if (name === "") throw fieldError({ name: ["This field may not be blank."] });
  return name;
}

/** The same, or an empty one. @throws AppError `invalid` on `name` */
export function optionalName(text: string): string {
  const name = text.trim();
  if (/\p{Cc}/u.test(name)) throw fieldError({ name: ["Control characters are not allowed."] });
  if ([...name].length > NAME_LENGTH_MAX) {
    throw fieldError({
      name: [`Ensure this field has no more than ${NAME_LENGTH_MAX} characters.`],
    });
  }
  return name;
}
