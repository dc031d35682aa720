import { type Database, statement, type Transaction } from "../../db/database.ts";

/** The sample's channels as they were loaded, which shows later which of them an import changed. */

/** Marks channels, in their present state, as the sample's. */
export function markSample(tx: Transaction, ids: readonly number[]): void {
  const sql = `INSERT INTO sample_channels (id, handle, title, subscribers)
    SELECT c.id, k.handle, k.title, c.subscribers
    FROM channels c CROSS JOIN channel_cards k ON k.id = c.id
    WHERE c.id IN (SELECT value FROM json_each(?))
    ON CONFLICT (id) DO NOTHING`;
  statement(tx, sql).run(JSON.stringify(ids));
}

/** Numbers of channels that are unchanged since the sample was loaded. */
export function selectSample(db: Database): number[] {
  const sql = `SELECT s.id FROM sample_channels s
    CROSS JOIN channels c ON c.id = s.id CROSS JOIN channel_cards k ON k.id = s.id
    WHERE c.subscribers = s.subscribers AND k.title = s.title AND k.handle IS s.handle
    ORDER BY s.id`;
  return statement<{ id: number }>(db, sql)
    .all()
    .map(({ id }) => id);
}

/**
 * Removes the marks once the sample is gone, and frees its channels' numbers, because an operator's own
 * catalog may start with them.
 */
export function forgetSample(tx: Transaction): void {
  statement(
    tx,
    `DELETE FROM removed_channels WHERE is_done = 1 AND id IN (
       SELECT s.id FROM sample_channels s
       WHERE NOT EXISTS (SELECT 1 FROM channels c WHERE c.id = s.id))`,
  ).run();
  statement(tx, "DELETE FROM sample_channels").run();
}

/** Whether the catalog contains a channel that is not the sample's. */
export function hasOwnChannels(db: Database): boolean {
  const sample = JSON.stringify(selectSample(db));
  const sql = "SELECT 1 FROM channels WHERE id NOT IN (SELECT value FROM json_each(?)) LIMIT 1";
  const own = statement(db, sql);
  return own.get(sample) !== undefined;
}
