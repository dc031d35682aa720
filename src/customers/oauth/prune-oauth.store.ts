import { and, eq, lte, notExists, or, sql } from "drizzle-orm";
import type { Transaction } from "../../db/database.ts";
import { change, param, query, withinLimit } from "../../db/query.ts";
import { keys } from "../keys/keys.table.ts";
import { oauthClients, oauthCodes, oauthGrants, oauthTokens } from "./oauth.table.ts";

const ROWS_PER_STEP = 50;

const someEnded = query((db) =>
  db
    .select({ keyId: oauthGrants.keyId })
    .from(oauthGrants)
    .innerJoin(keys, eq(keys.id, oauthGrants.keyId))
    .where(or(sql`${keys.revokedAt} IS NOT NULL`, lte(keys.expiresAt, param("now"))))
    .limit(ROWS_PER_STEP),
);

const removeTokens = change((db) => {
  const hasEnded = lte(oauthTokens.expiresAt, param("now"));
  return db.delete(oauthTokens).where(withinLimit(db, oauthTokens.hash, hasEnded, ROWS_PER_STEP));
});

const removeCodes = change((db) => {
  const hasEnded = lte(oauthCodes.expiresAt, param("until"));
  return db.delete(oauthCodes).where(withinLimit(db, oauthCodes.hash, hasEnded, ROWS_PER_STEP));
});

const removeClients = change((db) => {
  const grants = db
    .select({ keyId: oauthGrants.keyId })
    .from(oauthGrants)
    .where(eq(oauthGrants.clientId, oauthClients.id));
  const codes = db
    .select({ hash: oauthCodes.hash })
    .from(oauthCodes)
    .where(eq(oauthCodes.clientId, oauthClients.id));
  const wasRead = lte(oauthClients.readAt, param("until"));
  const isIdle = and(wasRead, notExists(grants), notExists(codes));
  return db.delete(oauthClients).where(withinLimit(db, oauthClients.id, isIdle, ROWS_PER_STEP));
});

/* The functions below each remove some rows, and return whether there may be more. */

/** Expired tokens. */
export async function deleteEndedTokens(tx: Transaction, now: number): Promise<boolean> {
  return (await removeTokens(tx).run({ now })).changes === ROWS_PER_STEP;
}

/** Codes that expired by then. */
export async function deleteEndedCodes(tx: Transaction, until: number): Promise<boolean> {
  return (await removeCodes(tx).run({ until })).changes === ROWS_PER_STEP;
}

/** Grants whose keys have ended, with their tokens; the keys stay. */
export async function deleteEndedGrants(tx: Transaction, now: number): Promise<boolean> {
  const ended = await someEnded(tx).all({ now });
  for (const { keyId } of ended) {
    await tx.builders.delete(oauthGrants).where(eq(oauthGrants.keyId, keyId));
  }
  return ended.length === ROWS_PER_STEP;
}

/** Clients last read by then that have neither grants nor codes. */
export async function deleteIdleClients(tx: Transaction, until: number): Promise<boolean> {
  return (await removeClients(tx).run({ until })).changes === ROWS_PER_STEP;
}
