import type { Database } from "../../db/database.ts";
import { message } from "../../values/messages/messages.ts";
import type { Day } from "../../values/moscow-time.ts";
import { messengerIdColumn } from "../channels/messenger-id.ts";
import { channelColumn, dayColumn, integerColumn } from "../fields/columns.ts";
import {
  ADDED_TOGETHER,
  createStatisticsRecords,
  type StatisticsRecord,
} from "../statistics/statistics.store.ts";
import { createChannelLookup } from "./channel-lookup.ts";
import {
  type Given,
  type ImportContext,
  type ImportKind,
  RowFault,
  type RowOutcome,
} from "./import-kind.ts";

interface StatsRow {
  channel: number | string;
  channel_msgr_id: string;
  day: Day;
  subscribers: number;
  views: number;
  posts: number;
}

/** Written in one statement: most rows are new days that give all columns. */
function wholeRecord(
  channelId: number,
  day: Day,
  { subscribers, views, posts }: Given<StatsRow>,
): StatisticsRecord | null {
  const isWhole = subscribers != null && views != null && posts != null;
  return isWhole ? { channelId, day, subscribers, views, posts } : null;
}

const NONE = { views: 0, posts: 0 };

/** A channel's day; identity is channel and day (decisions, section 8). */
export const statsImport: ImportKind<StatsRow> = {
  columns: {
    channel: channelColumn(),
    channel_msgr_id: messengerIdColumn(),
    day: dayColumn(),
    subscribers: integerColumn(0),
    views: integerColumn(0),
    posts: integerColumn(0),
  },
  isDirectory: false,
  open(db: Database, context: ImportContext) {
    const channels = createChannelLookup(db, context);
    const records = createStatisticsRecords(db);
    return {
      together: {
        rows: ADDED_TOGETHER,
        insert(rows: readonly Given<StatsRow>[]): boolean {
          const whole: StatisticsRecord[] = [];
          for (const row of rows) {
            const record = row.day == null ? null : wholeRecord(channels.find(row), row.day, row);
            if (record === null) return false;
            whole.push(record);
          }
          return records.addAll(whole);
        },
      },

      write(row: Given<StatsRow>): RowOutcome {
        const channelId = channels.find(row);
        const { day } = row;
        if (day == null) throw new RowFault("day", message("required"));
        const whole = wholeRecord(channelId, day, row);
        if (whole !== null && records.add(whole)) return "inserted";
        const stored = records.find(channelId, day);
        const subscribers = row.subscribers ?? stored?.subscribers;
        const views = row.views ?? stored?.views;
        const posts = row.posts ?? stored?.posts;
        if (subscribers === undefined) throw new RowFault("subscribers", message("required"));
        const isSame =
          subscribers === stored?.subscribers && views === stored.views && posts === stored.posts;
        if (isSame) return "unchanged";
        // A new day's views and posts that the row does not give are those of its stored posts.
        const derived =
          views === undefined || posts === undefined ? records.ofPosts(channelId, day) : NONE;
        records.save({
          channelId,
          day,
          subscribers,
          views: views ?? derived.views,
          posts: posts ?? derived.posts,
        });
        return stored === undefined ? "inserted" : "updated";
      },

      beforeCommit: channels.forget,
    };
  },
};
