import type { Database } from "../../../db/database.ts";
import { message } from "../../../values/messages/messages.ts";
import { type Day, formatDay, startOfDay } from "../../../values/moscow-time.ts";
import { messengerIdColumn } from "../../channels/channel-reference.ts";
import { channelColumn, countColumn, dayColumn, nullable } from "../../fields/columns.ts";
import type { GivenDay, StatisticsRecord } from "../../statistics/statistics.store.ts";
import {
  createStatisticsRecords,
  DAYS_PER_INSERT,
  daysAfter,
} from "../../statistics/statistics.store.ts";
import { createChannelLookup } from "./channel-lookup.ts";
import { bounds, type RowSelection } from "./exported-rows.ts";
import type { Given, ImportContext, ImportKind, RowOutcome } from "./import-kind.ts";
import { isSame, RowFault, requirePast } from "./import-kind.ts";

interface StatsRow {
  channel: number | string;
  channel_msgr_id: string;
  day: Day;
  subscribers: number;
  views: number;
  posts: number;
}

/**
 * A day whose row gives all columns, as most do: many such days are inserted in one statement. Null for any
 * other row.
 */
function wholeRecord(
  channelId: number,
  day: Day,
  { subscribers, views, posts }: Given<StatsRow>,
): GivenDay | null {
  const isWhole = subscribers != null && views != null && posts != null;
  return isWhole ? { channelId, day, subscribers, views, posts } : null;
}

/**
 * Days are identified by channel and day. Views and posts that a row does not give are derived from the
 * day's posts, unless they were given before.
 */
export const statsImport: ImportKind<StatsRow> = {
  columns: {
    channel: channelColumn(),
    channel_msgr_id: nullable(messengerIdColumn()),
    day: dayColumn(),
    subscribers: countColumn(),
    views: countColumn(),
    posts: countColumn(),
  },
  requiredColumns: ["channel", "channel_msgr_id", "day", "subscribers"],
  isDirectory: false,
  isMeasured: true,
  open(db: Database, context: ImportContext) {
    const { clock } = context;
    const channels = createChannelLookup(db, context);
    const records = createStatisticsRecords(db);
    return {
      together: {
        rows: DAYS_PER_INSERT,
        insert(rows: readonly Given<StatsRow>[]): boolean {
          const whole: GivenDay[] = [];
          const nowMs = clock.now();
          for (const row of rows) {
            const record = row.day == null ? null : wholeRecord(channels.find(row), row.day, row);
            if (record === null) return false;
            requirePast("day", startOfDay(record.day), nowMs);
            whole.push(record);
          }
          return records.addAll(whole);
        },
      },

      write(row: Given<StatsRow>): RowOutcome {
        const { id: channelId, isMerged } = channels.place(row);
        const { day } = row;
        if (day == null) throw new RowFault("day", message("required"));
        requirePast("day", startOfDay(day), clock.now());
        // As when it was merged, the days of the channel that stayed come first.
        if (isMerged && records.find(channelId, day) !== undefined) return "kept_out";
        const whole = wholeRecord(channelId, day, row);
        if (whole !== null && records.add(whole)) return "inserted";
        const stored = records.find(channelId, day);
        const subscribers = row.subscribers ?? stored?.subscribers;
        if (subscribers === undefined) throw new RowFault("subscribers", message("required"));
        const isDerived = stored === undefined && (row.views == null || row.posts == null);
        const before = isDerived ? records.ofPosts(channelId, day) : stored;
        const record = {
          subscribers,
          views: row.views ?? before?.views ?? 0,
          posts: row.posts ?? before?.posts ?? 0,
          viewsGiven: row.views == null ? (stored?.viewsGiven ?? 0) : 1,
          postsGiven: row.posts == null ? (stored?.postsGiven ?? 0) : 1,
        };
        if (stored !== undefined && isSame(record, stored)) return "unchanged";
        records.save({ channelId, day, ...record });
        return stored === undefined ? "inserted" : "updated";
      },

      beforeCommit: channels.forget,
    };
  },
  exported: {
    columns: ["channel", "day", "subscribers", "views", "posts"],
    selectedBy: ["channel", "days"],
    *rows(db, selection, after, limit) {
      const { channelId: one } = selection;
      const { from, to } = bounds(selection);
      const [afterChannel = one ?? 0, afterDay = from - 1] = after ?? [];
      for (const record of daysAfter(db, [afterChannel, afterDay], limit)) {
        const { channelId: channel, day } = record;
        if (one !== null && (channel !== one || day > to)) return;
        const isSelected = from <= day && day <= to;
        const values = isSelected ? writeDay(record, selection) : null;
        yield { position: [channel, day], values };
      }
    },
  },
};

/**
 * Leaves out derived values of an open day: once imported, they would count as given and no longer follow
 * the posts.
 */
function writeDay(record: StatisticsRecord, { openFrom }: RowSelection) {
  const { channelId: channel, day, subscribers, viewsGiven, postsGiven } = record;
  const isOpen = day >= openFrom;
  const views = isOpen && viewsGiven === 0 ? null : record.views;
  const posts = isOpen && postsGiven === 0 ? null : record.posts;
  return { channel, day: formatDay(day), subscribers, views, posts };
}
