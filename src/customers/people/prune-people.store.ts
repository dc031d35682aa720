import { inArray, lte } from "drizzle-orm";
import type { Transaction } from "../../db/database.ts";
import { change, param } from "../../db/query.ts";
import { sessions, verifications } from "./people.table.ts";

const removeSessions = change((db) =>
  db.delete(sessions).where(
    inArray(
      sessions.id,
      db
        .select({ id: sessions.id })
        .from(sessions)
        .where(lte(sessions.expiresAt, param("now")))
        .limit(param("limit")),
    ),
  ),
);

const removeLinks = change((db) =>
  db.delete(verifications).where(
    inArray(
      verifications.id,
      db
        .select({ id: verifications.id })
        .from(verifications)
        .where(lte(verifications.expiresAt, param("now")))
        .limit(param("limit")),
    ),
  ),
);

/** Removes expired sessions. @returns how many */
export async function deleteEndedSessions(tx: Transaction, nowMs: number, limit: number) {
  return (await removeSessions(tx).run({ now: asText(nowMs), limit })).changes;
}

/** Removes expired password links. @returns how many */
export async function deleteEndedLinks(tx: Transaction, nowMs: number, limit: number) {
  return (await removeLinks(tx).run({ now: asText(nowMs), limit })).changes;
}

/** A time in the format of the sign-in library. */
function asText(nowMs: number): string {
  return new Date(nowMs).toISOString();
}
