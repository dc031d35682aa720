import { lte } from "drizzle-orm";
import type { Transaction } from "../../db/database.ts";
import { change, param, withinLimit } from "../../db/query.ts";
import { sessions, verifications } from "./people.table.ts";

const ROWS_PER_STEP = 50;

const removeSessions = change((db) => {
  const hasEnded = lte(sessions.expiresAt, param("now"));
  return db.delete(sessions).where(withinLimit(db, sessions.id, hasEnded, ROWS_PER_STEP));
});

const removeLinks = change((db) => {
  const hasEnded = lte(verifications.expiresAt, param("now"));
  return db.delete(verifications).where(withinLimit(db, verifications.id, hasEnded, ROWS_PER_STEP));
});

/** Removes some of the expired sessions. @returns whether there may be more */
export async function deleteEndedSessions(tx: Transaction, nowMs: number): Promise<boolean> {
  return (await removeSessions(tx).run({ now: asText(nowMs) })).changes === ROWS_PER_STEP;
}

/** Removes some of the expired password links. @returns whether there may be more */
export async function deleteEndedLinks(tx: Transaction, nowMs: number): Promise<boolean> {
  return (await removeLinks(tx).run({ now: asText(nowMs) })).changes === ROWS_PER_STEP;
}

/** A time in the format of the sign-in library. */
function asText(nowMs: number): string {
  return new Date(nowMs).toISOString();
}
