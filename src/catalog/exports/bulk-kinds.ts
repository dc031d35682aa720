import type { Database } from "../../db/database.ts";
import { dayOf, formatDay, startOfDay } from "../../values/moscow-time.ts";
import { cardSchema, toCard } from "../channels/card.ts";
import { recordsAfter } from "../channels/channels.store.ts";
import {
  channelPostsAfter,
  nextChannelOfPosts,
  postsAfter,
} from "../imports/kinds/exported-rows.store.ts";
import { bounds, LAST_DAY, type Position, type ReadRows } from "../imports/kinds/exported-rows.ts";
import { type PostRecord, postSchema, toPostView } from "../posts/post.ts";
import { daysAfter } from "../statistics/statistics.store.ts";
import { dailyStatisticsSchema } from "../statistics/statistics.ts";
import type { BulkKind, BulkSelection } from "./bulk-selection.ts";
import {
  channelTest,
  isPostsByChannel,
  metricsTest,
  publicChannels,
  selectedChannels,
} from "./bulk-selection.ts";
import { foundRows } from "./export-selection.ts";

interface BulkRows {
  /** Its fields, in order, are the columns. */
  schema: { properties: Readonly<Record<string, object>> };
  rows: ReadRows<BulkSelection>;
}

/**
 * Days by channel, the order in which they are stored; days and channels that were not selected are skipped
 * by index.
 */
const days: ReadRows<BulkSelection> = function* (db, selection, after, limit) {
  const { channelId: one } = selection;
  const { from, to } = bounds(selection);
  const isSelected = selectedChannels(db, selection);
  let channelAt = after?.[0] ?? one ?? 0;
  let dayAt = after?.[1] ?? from - 1;
  let read = 0;
  for (let isMore = true; isMore && read < limit; ) {
    isMore = false;
    for (const record of daysAfter(db, [channelAt, dayAt], limit - read)) {
      const { channelId: channel, day, subscribers, views, posts } = record;
      if (one !== null && channel !== one) return;
      read += 1;
      [channelAt, dayAt] = [channel, day];
      const isJump = day < from || day > to || !isSelected(channel);
      if (isJump) dayAt = day < from ? from - 1 : LAST_DAY;
      const values = { channel, day: formatDay(day), subscribers, views, posts };
      yield { position: [channelAt, dayAt], values: isJump ? null : values };
      if (!isJump) continue;
      isMore = true;
      break;
    }
  }
};

/** Posts by id, the order in which they are stored; those that were not selected are dropped on the way. */
const allPosts: ReadRows<BulkSelection> = function* (db, selection, after, limit) {
  const isSelected = selectedChannels(db, selection);
  const toValues = postWriter(db, selection);
  for (const record of postsAfter(db, after?.[0] ?? 0, limit)) {
    yield { position: [record.id], values: isSelected(record.channel) ? toValues(record) : null };
  }
};

/**
 * Posts by channel and instant, the order of the index; channels and days that were not selected are
 * skipped by index. As for all posts, the position starts with the id.
 */
const postsByChannel: ReadRows<BulkSelection> = function* (db, selection, after, limit) {
  const { channelId: one } = selection;
  const isSelected = selectedChannels(db, selection);
  const toValues = postWriter(db, selection);
  let channel = after?.[2] ?? (one === null ? 0 : one - 1);
  let read = 0;
  if (after !== null && isSelected(channel)) {
    for (const record of channelPosts(db, selection, [channel, after], limit)) {
      read += 1;
      yield { position: positionByChannel(record), values: toValues(record) };
    }
  }
  while (read < limit && channel !== one) {
    const next = one ?? nextChannelOfPosts(db, channel);
    if (next === undefined) return;
    channel = next;
    const before = read;
    if (isSelected(channel)) {
      for (const record of channelPosts(db, selection, [channel, null], limit - read)) {
        read += 1;
        yield { position: positionByChannel(record), values: toValues(record) };
      }
    }
    if (read > before) continue;
    read += 1;
    yield { position: endOfChannel(channel), values: null };
  }
};

function* channelPosts(
  db: Database,
  selection: BulkSelection,
  [channel, after]: readonly [channel: number, after: Position],
  limit: number,
): Generator<PostRecord> {
  const { from, to } = bounds(selection);
  const areAds = selection.isAd === true;
  const [id = null, at = startOfDay(from) - 1] = after ?? [];
  // The cursor's post may be of a day before those selected now.
  const afterMs = Math.max(at, startOfDay(from) - 1);
  const afterId = afterMs === at ? id : null;
  for (const record of channelPostsAfter(db, [channel, afterMs, afterId], limit, areAds)) {
    if (dayOf(record.published_at) > to) return;
    yield record;
  }
}

export function endOfChannel(channel: number): Position {
  return [Number.MAX_SAFE_INTEGER, startOfDay(LAST_DAY + 1), channel];
}

const positionByChannel = ({ id, published_at: at, channel }: PostRecord): Position => [
  id,
  at,
  channel,
];

/** Returns a function that gives a post's fields as the API shows them; null if the filters exclude it. */
function postWriter(db: Database, selection: BulkSelection) {
  const { from, to } = bounds(selection);
  const { isAd, media, viewsMin } = selection;
  const isPublic = publicChannels(db);
  return (record: PostRecord) => {
    const day = dayOf(record.published_at);
    if (day < from || day > to || (isAd !== null && record.is_ad !== Number(isAd))) return null;
    if (record.views < (viewsMin ?? 0)) return null;
    if (media !== null && record.media?.split(" ").includes(media) !== true) return null;
    const { forwarded_from: origin } = record;
    return toPostView(
      origin === null || isPublic(origin) ? record : { ...record, forwarded_from: null },
    );
  };
}

/** Rows as customers export them: of public channels, with the fields that the API shows. */
export const bulkKinds: Record<BulkKind, BulkRows> = {
  channels: {
    schema: cardSchema,
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
  stats: { schema: dailyStatisticsSchema, rows: days },
  posts: {
    schema: postSchema,
    rows(db, selection, after, limit) {
      const { found, removals } = selection;
      if (found !== null) return foundRows(db, found, removals, after, limit);
      return isPostsByChannel(selection)
        ? postsByChannel(db, selection, after, limit)
        : allPosts(db, selection, after, limit);
    },
  },
};
