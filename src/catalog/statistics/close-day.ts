import { type Database, statement } from "../../db/database.ts";
import { inParts } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Day, startOfDay } from "../../values/moscow-time.ts";

/** Channels per step, few because each channel's posts of the day are added up, possibly hundreds. */
const CHANNELS_PER_STEP = 20;

const NEXT_CHANNELS = `
  SELECT id FROM channels WHERE is_public = 1 AND id > ? ORDER BY id LIMIT ?`;

const CLOSE = `
  INSERT INTO daily_statistics
    (channel_id, day, subscribers, views, posts, views_given, posts_given)
  SELECT c.id, :day, c.subscribers,
    (SELECT coalesce(sum(p.views), 0) FROM posts p
     WHERE p.channel_id = c.id AND p.published_at >= :from AND p.published_at < :until),
    (SELECT count(*) FROM posts p
     WHERE p.channel_id = c.id AND p.published_at >= :from AND p.published_at < :until),
    0, 0
  FROM channels c
  WHERE c.is_public = 1 AND c.id BETWEEN :first AND :last
  ON CONFLICT (channel_id, day) DO NOTHING`;

/**
 * Creates a row for every public channel that has none for the day, with the card's subscribers and values
 * derived from the day's stored posts, which it keeps following. If interrupted, it can be run again.
 * @returns number of rows created
 */
export async function closeDay(db: Database, clock: Clock, day: Day): Promise<number> {
  const nextChannels = statement<{ id: number }>(db, NEXT_CHANNELS);
  const close = statement(db, CLOSE);
  const from = startOfDay(day);
  const until = startOfDay(day + 1);
  let created = 0;
  let after = 0;
  await inParts(db, clock, "close-day", () => {
    const ids = nextChannels.all(after, CHANNELS_PER_STEP);
    const first = ids[0]?.id;
    const last = ids.at(-1)?.id;
    if (first === undefined || last === undefined) return false;
    created += close.run({ day, from, until, first, last }).changes;
    after = last;
    return true;
  });
  return created;
}
