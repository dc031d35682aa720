import type { Database, Transaction } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
import { fieldError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { optionalName, requireMember } from "../accounts/accounts.ts";
import { type Actor, recordChange } from "../audit/audit-log.ts";
import { hashKeyToken, shownPrefix } from "./key-token.ts";
import { insertKey, selectKey, updateRevoked } from "./keys.store.ts";
import type { Key } from "./keys.table.ts";

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
