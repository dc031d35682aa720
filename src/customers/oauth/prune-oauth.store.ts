import { and, eq, inArray, lte, notExists, or, sql } from "drizzle-orm";
import type { Transaction } from "../../db/database.ts";
import { change, param, query } from "../../db/query.ts";
import { keys } from "../keys/keys.table.ts";
import { oauthClients, oauthCodes, oauthGrants, oauthTokens } from "./oauth.table.ts";

const someEnded = query((db) =>
  db
    .select({ keyId: oauthGrants.keyId })
    .from(oauthGrants)
    .innerJoin(keys, eq(keys.id, oauthGrants.keyId))
    .where(or(sql`${keys.revokedAt} IS NOT NULL`, lte(keys.expiresAt, param("now"))))
    .limit(param("limit")),
);

const removeTokens = change((db) =>
  db.delete(oauthTokens).where(
    inArray(
      oauthTokens.hash,
      db
        .select({ hash: oauthTokens.hash })
        .from(oauthTokens)
        .where(lte(oauthTokens.expiresAt, param("now")))
        .limit(param("limit")),
    ),
  ),
);

const removeCodes = change((db) =>
  db.delete(oauthCodes).where(
    inArray(
      oauthCodes.hash,
      db
        .select({ hash: oauthCodes.hash })
        .from(oauthCodes)
        .where(lte(oauthCodes.expiresAt, param("until")))
        .limit(param("limit")),
    ),
  ),
);

const removeClients = change((db) =>
  db.delete(oauthClients).where(
    inArray(
      oauthClients.id,
      db
        .select({ id: oauthClients.id })
        .from(oauthClients)
        .where(
          and(
            lte(oauthClients.readAt, param("until")),
            notExists(
              db
                .select({ keyId: oauthGrants.keyId })
                .from(oauthGrants)
                .where(eq(oauthGrants.clientId, oauthClients.id)),
            ),
            notExists(
              db
                .select({ hash: oauthCodes.hash })
                .from(oauthCodes)
                .where(eq(oauthCodes.clientId, oauthClients.id)),
            ),
          ),
        )
        .limit(param("limit")),
    ),
  ),
);

/** Removes expired tokens. @returns how many */
export async function deleteEndedTokens(tx: Transaction, now: number, limit: number) {
  return (await removeTokens(tx).run({ now, limit })).changes;
}

/** Removes codes that expired by then. @returns how many */
export async function deleteEndedCodes(tx: Transaction, until: number, limit: number) {
  return (await removeCodes(tx).run({ until, limit })).changes;
}

/** Removes grants whose keys have ended, with their tokens; the keys stay. @returns how many */
export async function deleteEndedGrants(tx: Transaction, now: number, limit: number) {
  const ended = await someEnded(tx).all({ now, limit });
  for (const { keyId } of ended) {
    await tx.builders.delete(oauthGrants).where(eq(oauthGrants.keyId, keyId));
  }
  return ended.length;
}

/** Removes clients last read by then that have neither grants nor codes. @returns how many */
export async function deleteIdleClients(tx: Transaction, until: number, limit: number) {
  return (await removeClients(tx).run({ until, limit })).changes;
}
