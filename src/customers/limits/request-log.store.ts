import { and, desc, eq, gte, lte } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database, Transaction } from "../../db/database.ts";
import { change, query } from "../../db/statement.ts";
import { inParts } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Message } from "../../values/messages/messages.ts";
import { DAY_MS } from "../../values/moscow-time.ts";

/** Each key's latest requests, for its owner to look at. */
export const requestLog = sqliteTable("request_log", {
  id: integer("id").primaryKey(),
  keyId: integer("key_id").notNull(),
  at: integer("at").notNull(),
  verb: text("verb").notNull(),
  /** Including the query. */
  path: text("path").notNull(),
  status: integer("status").notNull(),
  durationUs: integer("duration_us").notNull(),
  units: integer("units").notNull(),
  /** Why the request was refused or failed; only of statuses 429 and above. */
  reason: text("reason", { mode: "json" }).$type<Message>(),
});

export type LoggedRequest = Omit<typeof requestLog.$inferSelect, "id" | "keyId">;

export interface LoggedOfKey {
  keyId: number;
  requests: readonly LoggedRequest[];
}

/** Requests kept per key, and for how many days. */
export const LOGGED_MAX = 100;
export const LOGGED_DAYS = 7;

const add = change((db, request: LoggedRequest & { keyId: number }) => {
  const { keyId, at, verb, path, status, durationUs, units, reason } = request;
  const row = { keyId, at, verb, path, status, durationUs, units, reason };
  return db.insert(requestLog).values(row);
}).run;

const removeEarlier = change((db, { keyId }: { keyId: number }) => {
  const isOfKey = eq(requestLog.keyId, keyId);
  const earlier = db
    .select({ id: requestLog.id })
    .from(requestLog)
    .where(isOfKey)
    .orderBy(desc(requestLog.id))
    .limit(1)
    .offset(LOGGED_MAX);
  return db.delete(requestLog).where(and(isOfKey, lte(requestLog.id, earlier)));
}).run;

/** Writes requests, one key per step, and removes those beyond the limit of each key. */
export async function writeRequestLog(
  db: Database,
  clock: Clock,
  batch: readonly LoggedOfKey[],
): Promise<void> {
  const keys = batch.values();
  await inParts(db, clock, "request-log", async (tx) => {
    const next = keys.next().value;
    if (next === undefined) return false;
    await writeOfKey(tx, next);
    return true;
  });
}

async function writeOfKey(tx: Transaction, { keyId, requests }: LoggedOfKey): Promise<void> {
  for (const request of requests) await add(tx, { keyId, ...request });
  await removeEarlier(tx, { keyId });
}

const latest = query((db, { keyId, since }: { keyId: number; since: number }) =>
  db
    .select()
    .from(requestLog)
    .where(and(eq(requestLog.keyId, keyId), gte(requestLog.at, since)))
    .orderBy(desc(requestLog.id))
    .limit(LOGGED_MAX),
).all;

export function selectRequestLog(db: Database, keyId: number, nowMs: number): LoggedRequest[] {
  return latest(db, { keyId, since: nowMs - LOGGED_DAYS * DAY_MS });
}
