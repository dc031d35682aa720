import type { Database } from "../../db/database.ts";
import { fieldError, notFound } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import type { AccountChanges } from "./account-changes.ts";
import {
  selectFirstMemberId,
  selectMember,
  selectMembers,
  selectOrganization,
  selectOrganizations,
  selectPlaces,
  selectPlan,
  selectPlans,
} from "./accounts.store.ts";
import type { Member, Organization, Plan } from "./accounts.table.ts";
import type { PlanCode } from "./plan.ts";

/** Somebody's place in an organization. */
export interface Membership {
  member: Member;
  organization: Organization;
}

export type Accounts = ReturnType<typeof createAccounts>;

/**
 * Organizations, their members and their plans.
 * @param db where they are read
 * @param changes as they are run on a connection that writes
 */
export function createAccounts(db: Database, changes: AccountChanges) {
  return {
    ...changes,
    organization: (id: number): Promise<Organization> => requireOrganization(db, id),
    organizations: (): Promise<Organization[]> => selectOrganizations(db),
    plans: (): Promise<Plan[]> => selectPlans(db),
    plan: (code: PlanCode): Promise<Plan> => selectPlan(db, code),
    member: (id: number): Promise<Member> => requireMember(db, id),
    /** @throws AppError `not_found` */
    async members(organizationId: number): Promise<Member[]> {
      await requireOrganization(db, organizationId);
      return selectMembers(db, organizationId);
    },
    /** All memberships of somebody, whether they may act there or not; the oldest first. */
    placesOf: (email: string): Promise<Membership[]> => selectPlaces(db, email),
    /**
     * Organizations in which somebody may act: not suspended there, and not archived. Somebody who has
     * not proved to own the address gets only the one they came to first: whoever invited them there may
     * have chosen their password, and must not get into other organizations by it.
     */
    async membershipsOf(email: string, isVerified: boolean): Promise<Membership[]> {
      const places = await selectPlaces(db, email);
      return (isVerified ? places : places.slice(0, 1)).filter(isActive);
    },
    /** The first member there is, or null. */
    firstMemberId: (): Promise<number | null> => selectFirstMemberId(db),
    /** An address that no member of the organization has. @throws AppError `invalid` on `email` */
    newMemberEmail: (organizationId: number, text: string): Promise<string> =>
      newMemberEmail(db, organizationId, text),
  };
}

/** Whether somebody may act there. */
export function isActive({ member, organization }: Membership): boolean {
  return member.suspendedAt === null && organization.archivedAt === null;
}

/** @throws AppError `not_found` */
export async function requireOrganization(db: Database, id: number): Promise<Organization> {
  const found = await selectOrganization(db, id);
  if (found === undefined) throw notFound("organization", id);
  return found;
}

/** @throws AppError `not_found` */
export async function requireMember(db: Database, id: number): Promise<Member> {
  const found = await selectMember(db, id);
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
  const others = await selectMembers(db, organizationId);
  const isTaken = others.some((other) => other.email.toLowerCase() === email.toLowerCase());
  if (isTaken) throw fieldError({ email: [message("memberAlready", { email })] });
  return email;
}

/** The account site takes only such addresses (people/auth.ts): no member is made who could not sign in. */
const EMAIL = /^(?!\.)(?!.*\.\.)[\w'+\-.]*[\w+-]@([a-z\d][a-z\d-]*\.)+[a-z]{2,}$/i;
export const EMAIL_LENGTH_MAX = 254;
const NAME_LENGTH_MAX = 200;

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
