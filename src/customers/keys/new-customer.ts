import type { Transaction } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { transaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { putOrganization } from "../accounts/account-changes.ts";
import { selectFirstMemberId, selectOrganizations } from "../accounts/accounts.store.ts";
import type { Member, Organization } from "../accounts/accounts.table.ts";
import { optionalName, requiredName } from "../accounts/accounts.ts";
import { putNewMember } from "../accounts/member-changes.ts";
import type { PlanCode } from "../accounts/plan.ts";
import type { Actor } from "../audit/audit-log.ts";
import { insertRecordedKey, type NewKey } from "./key-changes.ts";
import type { Key } from "./keys.table.ts";

/** A complete customer: an organization with a plan, its owner, and the owner's key. */
export interface NewCustomer {
  organization: string;
  plan: PlanCode;
  email: string;
  /** May be empty. */
  name: string;
  key: Pick<NewKey, "name" | "access">;
}

export interface Customer {
  organization: Organization;
  owner: Member;
  key: Key;
}

type WithToken = NewCustomer & { token: string };

export type CustomerChanges = Calls<typeof customerChanges>;

/** Customer created by an appliance's first start; whoever sets it up takes it over. */
export const FIRST_CUSTOMER: NewCustomer = {
  organization: "Sample",
  plan: "profi",
  email: "owner@example.com",
  name: "Sample owner",
  key: { name: "First key", access: "read_write" },
};

/** Creates all of it in one transaction, or nothing. @throws AppError `invalid` on `name` or `email` */
const addCustomer = transaction("customer", (tx, clock, input: WithToken, by: Actor) =>
  putCustomer(tx, clock, input, by),
);

/** As `addCustomer`; null if there is an organization already, perhaps just made by another process. */
const addFirstCustomer = transaction("customer", async (tx, clock, input: WithToken, by: Actor) => {
  const isEmpty =
    (await selectFirstMemberId(tx)) === null && (await selectOrganizations(tx)).length === 0;
  return isEmpty ? putCustomer(tx, clock, input, by) : null;
});

export async function putCustomer(
  tx: Transaction,
  clock: Clock,
  { token, organization: named, plan, email, name, key: { access, name: keyNamed } }: WithToken,
  by: Actor,
): Promise<Customer> {
  const newOrganization = { name: requiredName(named), plan };
  const organization = await putOrganization(tx, clock, newOrganization, by);
  const organizationId = organization.id;
  const owner = await putNewMember(tx, clock, { organizationId, email, name, role: "owner" }, by);
  const newKey = { memberId: owner.id, name: optionalName(keyNamed), access, expiresAt: null };
  const key = await insertRecordedKey(tx, clock, { ...newKey, token }, by);
  return { organization, owner, key };
}

export const customerChanges = { addCustomer, addFirstCustomer };
