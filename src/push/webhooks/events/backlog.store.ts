import { type Database, statement } from "../../../db/database.ts";

/** What webhooks have before them. */
export interface Backlog {
  /** Deliveries due or under way, counted up to COUNTED_MAX. */
  deliveriesDue: number;
  /** Epoch milliseconds; null where none is due. */
  oldestDueAt: number | null;
  /** Posts that were read and not yet cut into events, counted up to COUNTED_MAX. */
  postsWaiting: number;
}

/** A longer backlog is not counted to its end: whoever counts holds up the answers. */
const COUNTED_MAX = 10_000;

const DUE = `
  SELECT count(*) AS n FROM (
    SELECT 1 FROM webhooks w CROSS JOIN webhook_deliveries d ON d.webhook_id = w.id
    WHERE d.state = 'pending' AND d.next_attempt_at <= ? LIMIT ${COUNTED_MAX})`;

const OLDEST_DUE = `
  SELECT min(first) AS at FROM (
    SELECT (SELECT min(next_attempt_at) FROM webhook_deliveries
      WHERE webhook_id = w.id AND state = 'pending') AS first FROM webhooks w)
  WHERE first <= ?`;

const WAITING = `SELECT count(*) AS n FROM (SELECT 1 FROM read_posts LIMIT ${COUNTED_MAX})`;

export function selectBacklog(db: Database, nowMs: number): Backlog {
  return {
    deliveriesDue: statement<{ n: number }>(db, DUE).get(nowMs)?.n ?? 0,
    oldestDueAt: statement<{ at: number | null }>(db, OLDEST_DUE).get(nowMs)?.at ?? null,
    postsWaiting: statement<{ n: number }>(db, WAITING).get()?.n ?? 0,
  };
}
