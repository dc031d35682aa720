import type { Database, Transaction } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
import { fieldError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { putOrganization } from "../accounts/account-changes.ts";
import { selectFirstMemberId, selectOrganizations } from "../accounts/accounts.store.ts";
import type { Member, Organization } from "../accounts/accounts.table.ts";
import { optionalName, requiredName, requireMember } from "../accounts/accounts.ts";
import { putNewMember } from "../accounts/member-changes.ts";
import type { PlanCode } from "../accounts/plan.ts";
import { type Actor, recordChange } from "../audit/audit-log.ts";
import { hashKeyToken, shownPrefix } from "./key-token.ts";
import { insertKey, type Key, selectKey, updateRevoked } from "./keys.store.ts";

export type NewKey = Pick<Key, "memberId" | "name" | "access" | "expiresAt">;

export type KeyChanges = Calls<typeof keyChanges>;

/**
 * Stores a key, of which only the token's hash and its first characters are kept.
 * @throws AppError `not_found` for the member; `invalid` on `name`, and on `expires` for a past instant
 */
async function addKey(
  db: Database,
  clock: Clock,
  { memberId, name: given, access, expiresAt, token }: NewKey & { token: string },
  by: Actor,
): Promise<Key> {
  if (expiresAt !== null && expiresAt <= clock.now()) {
    throw fieldError({ expires: [message("dayIsOver")] });
  }
  const name = optionalName(given);
  return inTransaction(db, clock, "key-create", (tx) =>
    insertRecordedKey(tx, clock, { memberId, name, access, expiresAt, token }, by),
  );
}

/** Inserts a key with its audit entry, in the caller's transaction. @throws AppError `not_found` */
export async function insertRecordedKey(
  tx: Transaction,
  clock: Clock,
  { token, ...newKey }: NewKey & { token: string; prefix?: string },
  by: Actor,
): Promise<Key> {
  const { memberId, name, access } = newKey;
  const { organizationId } = await requireMember(tx, memberId);
  const prefix = newKey.prefix ?? shownPrefix(token);
  const made = await insertKey(tx, {
    ...newKey,
    prefix,
    hash: hashKeyToken(token),
    createdAt: clock.now(),
    lastUsedAt: null,
    revokedAt: null,
  });
  await recordChange(tx, clock, by, {
    organizationId,
    action: "key.create",
    id: made.id,
    details: { member: memberId, name, access, prefix },
  });
  return made;
}

/**
 * Age from which an unused first key counts as lost. Two starts at the same time each print one, and
 * neither must revoke the other's.
 */
const LOST_AFTER_MS = 60_000;

/** Creates a key and revokes the unused ones it replaces, but none made just now, in one transaction. */
const replaceKeys = transaction(
  "key-replace",
  async (
    tx,
    clock,
    { replaced, ...key }: NewKey & { token: string; replaced: readonly number[] },
    by: Actor,
  ) => {
    for (const id of replaced) {
      const found = await selectKey(tx, { id });
      const isLost = found !== undefined && clock.now() - found.createdAt >= LOST_AFTER_MS;
      if (isLost) await revokeRecorded(tx, clock, id, by);
    }
    return insertRecordedKey(tx, clock, key, by);
  },
);

/** Revoking again keeps the original time. @throws AppError `not_found` */
const revokeKey = transaction("key-revoke", (tx, clock, id: number, by: Actor) =>
  revokeRecorded(tx, clock, id, by),
);

/** Revokes a key with its audit entry, once, in the caller's transaction. @throws AppError `not_found` */
export async function revokeRecorded(
  tx: Transaction,
  clock: Clock,
  id: number,
  by: Actor,
  why: { reason?: string } = {},
): Promise<Key> {
  const found = await selectKey(tx, { id });
  if (found === undefined) throw notFound("key", id);
  if (found.revokedAt !== null) return found;
  const revokedAt = clock.now();
  await updateRevoked(tx, id, revokedAt);
  const { memberId, name, prefix } = found;
  const { organizationId } = await requireMember(tx, memberId);
  await recordChange(tx, clock, by, {
    organizationId,
    action: "key.revoke",
    id,
    details: { name, prefix, ...why },
  });
  return { ...found, revokedAt };
}

export const keyChanges = { addKey, replaceKeys, revokeKey };

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
