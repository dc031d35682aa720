import { type Database, statement } from "../db/database.ts";
import { REQUIRED } from "../fields.ts";
import type { Day } from "../moscow-time.ts";
import { derivedFromPosts } from "../statistics/close-day.ts";
import { createChannelLookup } from "./channel-lookup.ts";
import { channelColumn, dayColumn, integerColumn } from "./columns.ts";
import { type Given, type ImportKind, RowFault, type RowOutcome } from "./import-kind.ts";

interface StatsRow {
  channel: number | `@${string}`;
  day: Day;
  subscribers: number;
  views: number;
  posts: number;
}

interface Stored {
  subscribers: number;
  views: number;
  posts: number;
}

/** A channel's day; identity is channel and day (decisions, section 8). */
export const statsImport: ImportKind<StatsRow> = {
  columns: {
    channel: channelColumn(),
    day: dayColumn(),
    subscribers: integerColumn(0),
    views: integerColumn(0),
    posts: integerColumn(0),
  },
  isDirectory: false,
  open(db: Database) {
    const channelIdOf = createChannelLookup(db);
    const find = statement<Stored>(
      db,
      `SELECT subscribers, views, posts FROM daily_statistics WHERE channel_id = ? AND day = ?`,
    );
    const insert = statement(
      db,
      `INSERT INTO daily_statistics (channel_id, day, subscribers, views, posts)
       VALUES (?, ?, ?, ?, ?)`,
    );
    const update = statement(
      db,
      `UPDATE daily_statistics SET subscribers = ?, views = ?, posts = ?
       WHERE channel_id = ? AND day = ?`,
    );
    return {
      write(row: Given<StatsRow>): RowOutcome {
        const channelId = channelIdOf(row.channel);
        const { day } = row;
        if (day === undefined || day === null) throw new RowFault("day", REQUIRED);
        const stored = find.get(channelId, day);
        if (stored === undefined) {
          const { subscribers } = row;
          if (subscribers === undefined || subscribers === null) {
            throw new RowFault("subscribers", REQUIRED);
          }
          const derived =
            row.views == null || row.posts == null ? derivedFromPosts(db, channelId, day) : null;
          insert.run(
            channelId,
            day,
            subscribers,
            row.views ?? derived?.views,
            row.posts ?? derived?.posts,
          );
          return "inserted";
        }
        const subscribers = row.subscribers ?? stored.subscribers;
        const views = row.views ?? stored.views;
        const posts = row.posts ?? stored.posts;
        if (
          subscribers === stored.subscribers &&
          views === stored.views &&
          posts === stored.posts
        ) {
          return "unchanged";
        }
        update.run(subscribers, views, posts, channelId, day);
        return "updated";
      },
    };
  },
};
