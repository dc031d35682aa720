import type { Database } from "../../db/database.ts";
import { dayOf, formatDay, startOfDay } from "../../values/moscow-time.ts";
import { cardSchema, toCard } from "../channels/card.ts";
import { recordsAfter } from "../channels/channels.store.ts";
import { type PostRecord, postSchema, toPostView } from "../posts/post.ts";
import { dailyStatisticsSchema } from "../statistics/statistics-day.ts";
import {
  askedChannels,
  type BulkKind,
  type BulkSelection,
  channelTest,
  metricsTest,
  publicChannels,
} from "./bulk-selection.ts";
import { type ExportRow, FIRST_DAY, LAST_DAY, type Position } from "./export-kinds.ts";
import { daysAfter, laterPosts, postsAfter, tiedPostsAfter } from "./exports.store.ts";

interface BulkRows {
  /** Names of the columns, in their order: the fields of the API. */
  columns: readonly string[];
  /** Rows after a position, fewer than the limit only at the end, read while they are taken. */
  rows(
    db: Database,
    selection: BulkSelection,
    after: Position,
    limit: number,
  ): Generator<ExportRow>;
}

/** Rows as customers export them: of public channels, with the fields that the API shows. */
export const bulkKinds: Record<BulkKind, BulkRows> = {
  channels: {
    columns: Object.keys(cardSchema.properties),
    *rows(db, selection, after, limit) {
      const { channelId } = selection;
      const test = channelTest(selection);
      const hasMetrics = metricsTest(db, selection);
      const [afterId = channelId === null ? 0 : channelId - 1] = after ?? [];
      for (const record of recordsAfter(db, afterId, limit)) {
        if (channelId !== null && record.id !== channelId) return;
        const values = test(record) && hasMetrics(record.id) ? toCard(record) : null;
        yield { position: [record.id], values };
      }
    },
  },
  stats: { columns: Object.keys(dailyStatisticsSchema.properties), rows: days },
  posts: {
    columns: Object.keys(postSchema.properties),
    rows: (db, selection, after, limit) =>
      selection.channelId === null
        ? allPosts(db, selection, after, limit)
        : channelPosts(db, selection, after, limit),
  },
};

/** By channel and day, in which order they lie; days and channels that are not asked for are jumped over. */
function* days(
  db: Database,
  selection: BulkSelection,
  after: Position,
  limit: number,
): Generator<ExportRow> {
  const { channelId: one } = selection;
  const { from, to } = bounds(selection);
  const isAsked = askedChannels(db, selection);
  let [channelAt, dayAt] = [after?.[0] ?? one ?? 0, after?.[1] ?? from - 1];
  let read = 0;
  for (let isMore = true; isMore && read < limit; ) {
    isMore = false;
    for (const record of daysAfter(db, [channelAt, dayAt], limit - read)) {
      const { channelId: channel, day, subscribers, views, posts } = record;
      if (one !== null && channel !== one) return;
      read += 1;
      [channelAt, dayAt] = [channel, day];
      const isJump = day < from || day > to || !isAsked(channel);
      if (isJump) dayAt = day < from ? from - 1 : LAST_DAY;
      const values = { channel, day: formatDay(day), subscribers, views, posts };
      yield { position: [channelAt, dayAt], values: isJump ? null : values };
      if (!isJump) continue;
      isMore = true;
      break;
    }
  }
}

/** By id, in which order they lie in the file; what is not asked for is left out as it is met. */
function* allPosts(
  db: Database,
  selection: BulkSelection,
  after: Position,
  limit: number,
): Generator<ExportRow> {
  const isAsked = askedChannels(db, selection);
  const toValues = postWriter(db, selection);
  for (const record of postsAfter(db, after?.[0] ?? 0, limit)) {
    yield { position: [record.id], values: isAsked(record.channel) ? toValues(record) : null };
  }
}

/** By instant, in which order the index has them. The position has the id first, as that of all posts. */
function* channelPosts(
  db: Database,
  selection: BulkSelection,
  after: Position,
  limit: number,
): Generator<ExportRow> {
  const { from, to } = bounds(selection);
  const channel = selection.channelId ?? 0;
  const toValues = askedChannels(db, selection)(channel) ? postWriter(db, selection) : () => null;
  const [id = null, publishedAt = startOfDay(from) - 1] = after ?? [];
  let read = 0;
  if (id !== null) {
    for (const record of tiedPostsAfter(db, [channel, publishedAt, id], limit)) {
      read += 1;
      yield { position: [record.id, publishedAt], values: toValues(record) };
    }
  }
  for (const record of laterPosts(db, [channel, publishedAt], limit - read)) {
    if (dayOf(record.published_at) > to) return;
    yield { position: [record.id, record.published_at], values: toValues(record) };
  }
}

/** Null for a post that is not of the days, or no advertising where that is asked for. */
function postWriter(db: Database, selection: BulkSelection) {
  const { from, to } = bounds(selection);
  const { isAd } = selection;
  const isPublic = publicChannels(db);
  return (record: PostRecord) => {
    const day = dayOf(record.published_at);
    if (day < from || day > to || (isAd !== null && record.is_ad !== Number(isAd))) return null;
    const { forwarded_from: origin } = record;
    return toPostView(
      origin === null || isPublic(origin) ? record : { ...record, forwarded_from: null },
    );
  };
}

function bounds({ from, to }: BulkSelection): { from: number; to: number } {
  return { from: from ?? FIRST_DAY, to: to ?? LAST_DAY };
}
