import { type Database, statement } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { type Day, startOfDay } from "../moscow-time.ts";
import type { Clock } from "../ports/clock.ts";

/** Channels a transaction: some 5 ms of the write lock. */
const CHANNELS_PER_TRANSACTION = 500;
/** Between two transactions, so that other writers get their turn. */
const PAUSE_MS = 3;

const NEXT_CHANNELS = `
  SELECT id FROM channels WHERE is_public = 1 AND id > ? ORDER BY id LIMIT ?`;

const CLOSE = `
  INSERT INTO daily_statistics (channel_id, day, subscribers, views, posts)
  SELECT c.id, :day, c.subscribers,
    (SELECT coalesce(sum(p.views), 0) FROM posts p
     WHERE p.channel_id = c.id AND p.published_at >= :from AND p.published_at < :until),
    (SELECT count(*) FROM posts p
     WHERE p.channel_id = c.id AND p.published_at >= :from AND p.published_at < :until)
  FROM channels c
  WHERE c.is_public = 1 AND c.id BETWEEN :first AND :last
  ON CONFLICT (channel_id, day) DO NOTHING`;

/**
 * Gives every public channel without an imported row for the day one, with the card's subscribers
 * and the day's stored posts (decisions, section 8). Interrupted, it can be run again.
 * @returns how many rows it made
 */
export async function closeDay(db: Database, clock: Clock, day: Day): Promise<number> {
  const nextChannels = statement<{ id: number }>(db, NEXT_CHANNELS);
  const close = statement(db, CLOSE);
  let made = 0;
  let after = 0;
  for (;;) {
    const ids = nextChannels.all(after, CHANNELS_PER_TRANSACTION);
    const first = ids[0]?.id;
    const last = ids.at(-1)?.id;
    if (first === undefined || last === undefined) return made;
    made += await inTransaction(
      db,
      clock,
      "close-day",
      () =>
        close.run({ day, from: startOfDay(day), until: startOfDay(day + 1), first, last }).changes,
    );
    after = last;
    await clock.sleep(PAUSE_MS);
  }
}
