import type { Database } from "../../db/database.ts";
import { findCopy, type Place } from "../../db/shared-rows.ts";
import { fieldError, notFound } from "../../errors.ts";
import { shortened } from "../../values/fields.ts";
import { message } from "../../values/messages/messages.ts";
import type { AccountChanges } from "./account-changes.ts";
import {
  hasPlan,
  organizationsNamed,
  selectFirstMemberId,
  selectMember,
  selectMembers,
  selectMemberships,
  selectOrganization,
  selectOrganizations,
  selectPlanNow,
  selectPlanRequest,
  selectPlanRequests,
  selectPlans,
} from "./accounts.store.ts";
import type { Member, Organization, Plan, PlanRequest } from "./accounts.table.ts";
import type { PlanCode } from "./plan.ts";

export interface Membership {
  member: Member;
  organization: Organization;
}

export type Accounts = ReturnType<typeof createAccounts>;

/**
 * Organizations, their members and their plans.
 * @param db for reading
 * @param changes run on a writing connection
 */
export function createAccounts(db: Database, changes: AccountChanges) {
  return {
    ...changes,
    /** State of this node's copy, by which a charge is checked; null on a standalone appliance. */
    copy: (): Place | null => findCopy(db) ?? null,
    organization: (id: number): Promise<Organization> => requireOrganization(db, id),
    organizations: async (): Promise<Organization[]> => selectOrganizations(db),
    isOrganization: async (id: number): Promise<boolean> =>
      selectOrganization(db, { id }) !== undefined,
    organizationsNamed: async (name: string): Promise<Organization[]> =>
      organizationsNamed(db, name),
    /** An organization's open request for another plan; null if there is none. */
    planRequest: async (organizationId: number): Promise<PlanRequest | null> =>
      (await selectPlanRequest(db, { organizationId })) ?? null,
    planRequests: async (part: { after: number; limit: number }): Promise<PlanRequest[]> =>
      selectPlanRequests(db, part),
    plans: async (): Promise<Plan[]> => selectPlans(db),
    plan: async (code: PlanCode): Promise<Plan> => selectPlanNow(db, code),
    member: (id: number): Promise<Member> => requireMember(db, id),
    /** @throws AppError `not_found` */
    async members(organizationId: number): Promise<Member[]> {
      await requireOrganization(db, organizationId);
      return selectMembers(db, { organizationId });
    },
    allMembershipsOf: async (email: string): Promise<Membership[]> =>
      selectMemberships(db, { email }),
    /**
     * Memberships in which a person may act: not suspended, and in an organization that is not archived.
     * Somebody who has not proved to own the address gets only their first one: whoever invited them there
     * may have chosen their password, and must not use it to get into other organizations.
     */
    async membershipsOf(email: string, isVerified: boolean): Promise<Membership[]> {
      const all = await selectMemberships(db, { email });
      return (isVerified ? all : all.slice(0, 1)).filter(isActive);
    },
    firstMemberId: async (): Promise<number | null> => selectFirstMemberId(db),
    /** Trims and validates an address that no member has yet. @throws AppError `invalid` on `email` */
    newMemberEmail: (organizationId: number, text: string): Promise<string> =>
      newMemberEmail(db, organizationId, text),
  };
}

export function isActive({ member, organization }: Membership): boolean {
  return member.suspendedAt === null && organization.archivedAt === null;
}

/** @throws AppError `not_found` */
export async function requireOrganization(db: Database, id: number): Promise<Organization> {
  const found = await selectOrganization(db, { id });
  if (found === undefined) throw notFound("organization", id);
  return found;
}

/** @throws AppError `invalid` on a field, with the plans that there are */
export function requirePlan(db: Database, given: PlanCode, field = "plan"): void {
  if (hasPlan(db, given)) return;
  const options = selectPlans(db).map(({ code }) => code);
  throw fieldError({ [field]: [message("notChoiceOf", { given: shortened(given), options })] });
}

/** @throws AppError `not_found` */
export async function requireMember(db: Database, id: number): Promise<Member> {
  const found = await selectMember(db, { id });
  if (found === undefined) throw notFound("member", id);
  return found;
}

/** @throws AppError `invalid` on `email` */
export async function newMemberEmail(
  db: Database,
  organizationId: number,
  text: string,
): Promise<string> {
  const email = requiredEmail(text);
  const others = await selectMembers(db, { organizationId });
  const isTaken = others.some((other) => other.email.toLowerCase() === email.toLowerCase());
  if (isTaken) throw fieldError({ email: [message("memberAlready", { email })] });
  return email;
}

/** The addresses that the account site accepts (people/auth.ts), so that every member can sign in. */
const EMAIL = /^(?!\.)(?!.*\.\.)[\w'+\-.]*[\w+-]@([a-z\d][a-z\d-]*\.)+[a-z]{2,}$/i;
export const EMAIL_LENGTH_MAX = 254;
const NAME_LENGTH_MAX = 200;

/** @throws AppError `invalid` on `email` */
export function requiredEmail(text: string): string {
  const email = text.trim();
  if (!EMAIL.test(email) || email.length > EMAIL_LENGTH_MAX) {
    throw fieldError({ email: [message("notEmail")] });
  }
  return email;
}

/** @throws AppError `invalid` on `name` */
export function requiredName(text: string): string {
  const name = optionalName(text);
  if (name === "") throw fieldError({ name: [message("blank")] });
  return name;
}

/** @throws AppError `invalid` on `name` */
export function optionalName(text: string): string {
  const name = text.trim();
  if (/\p{Cc}/u.test(name)) throw fieldError({ name: [message("controlCharacters")] });
  if ([...name].length > NAME_LENGTH_MAX) {
    throw fieldError({ name: [message("tooLong", { characters: NAME_LENGTH_MAX })] });
  }
  return name;
}
