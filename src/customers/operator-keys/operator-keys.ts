import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
import { fieldError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Random } from "../../ports/ports.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { requiredName } from "../accounts/accounts.ts";
import { type Actor, recordChange } from "../audit/audit-log.ts";
import { createToken, hasChecksum, hashKeyToken, shownPrefix } from "../keys/key-token.ts";
import {
  insertOperatorKey,
  selectOperatorKey,
  selectOperatorKeyByHash,
  selectOperatorKeys,
  updateOperatorKeyRevoked,
} from "./operator-keys.store.ts";
import type { Ability, OperatorKey } from "./operator-keys.table.ts";

/** Unlike customers' keys, which begin with `knl_ro_` or `knl_rw_`: neither API takes the other's. */
const PREFIX = "knl_op_";
const FORM = /^knl_op_[0-9A-Za-z]{38}$/;

interface NewOperatorKey {
  name: string;
  can: Ability[];
  expiresAt: number | null;
}

/** @throws AppError `invalid` on `name`, and on `expires` for a day that is over */
function addOperatorKey(
  db: Database,
  clock: Clock,
  { name: given, can, expiresAt, token }: NewOperatorKey & { token: string },
  by: Actor,
): Promise<OperatorKey> {
  const name = requiredName(given);
  if (expiresAt !== null && expiresAt <= clock.now()) {
    throw fieldError({ expires: [message("dayIsOver")] });
  }
  return inTransaction(db, clock, "operator-key", async (tx) => {
    const prefix = shownPrefix(token);
    const made = await insertOperatorKey(tx, {
      name,
      prefix,
      can,
      expiresAt,
      createdAt: clock.now(),
      hash: Buffer.from(hashKeyToken(token), "base64"),
    });
    await recordChange(tx, clock, by, {
      action: "operator-key.create",
      id: made.id,
      details: { name, access: can.join(" "), prefix },
    });
    return made;
  });
}

/** Revoking again keeps the original time. @throws AppError `not_found` */
const revokeOperatorKey = transaction("operator-key", async (tx, clock, id: number, by: Actor) => {
  const found = await selectOperatorKey(tx, { id });
  if (found === undefined) throw notFound("key", id);
  if (found.revokedAt !== null) return found;
  const revokedAt = clock.now();
  await updateOperatorKeyRevoked(tx, { id, revokedAt });
  const { name, prefix } = found;
  await recordChange(tx, clock, by, {
    action: "operator-key.revoke",
    id,
    details: { name, prefix },
  });
  return { ...found, revokedAt };
});

type Verification =
  | { ok: true; key: OperatorKey }
  | { ok: false; code: "not_authenticated" | "authentication_failed"; reason: Message };

export type OperatorKeys = ReturnType<typeof createOperatorKeys>;

/**
 * Keys of the operator's API.
 * @param db for reading
 * @param changes run on a writing connection
 */
export function createOperatorKeys(
  db: Database,
  changes: Calls<typeof operatorKeyChanges>,
  random: Random,
) {
  return {
    /** @returns the stored key, and the full key, which cannot be retrieved again */
    async create(input: NewOperatorKey, by: Actor): Promise<{ key: OperatorKey; token: string }> {
      const token = createToken(PREFIX, random);
      return { key: await changes.addOperatorKey({ ...input, token }, by), token };
    },
    revoke: changes.revokeOperatorKey,
    list: async (): Promise<OperatorKey[]> => selectOperatorKeys(db),

    async verify(header: string | null, nowMs: number): Promise<Verification> {
      const token = /^bearer +(\S+)\s*$/i.exec(header ?? "")?.[1] ?? "";
      if (token === "") {
        return { ok: false, code: "not_authenticated", reason: message("operatorKeyNeeded") };
      }
      const isWhole = FORM.test(token) && hasChecksum(token);
      const hash = Buffer.from(hashKeyToken(token), "base64");
      const key = isWhole ? await selectOperatorKeyByHash(db, { hash }) : undefined;
      if (key === undefined) return failed(message("operatorKeyUnknown"));
      if (key.revokedAt !== null) return failed(message("keyRevoked"));
      if (key.expiresAt !== null && nowMs >= key.expiresAt) return failed(message("keyExpired"));
      return { ok: true, key };
    },
  };
}

function failed(reason: Message): Verification {
  return { ok: false, code: "authentication_failed", reason };
}

export function operatorActor({ id, name, can }: OperatorKey): Actor {
  return { person: `operator key ${id} (${name})`, keyId: null, can };
}

export const operatorKeyChanges = { addOperatorKey, revokeOperatorKey };
