import type { Database } from "../../db/database.ts";
import { dayOf, formatDay, formatExactInstant, startOfDay } from "../../values/moscow-time.ts";
import { CHANNEL_FIELDS, type ChannelRecord, writeFormerHandles } from "../channels/card.ts";
import { recordsAfter } from "../channels/channels.store.ts";
import { formerHandlesOf } from "../channels/former-handles.store.ts";
import { createCategoryImages } from "../directory/category-images.ts";
import { createDirectoryStore } from "../directory/directory.store.ts";
import { type StoredFields, writer } from "../fields/stored-field.ts";
import { imageText } from "../imports/image-file.ts";
import type { ImportKindName } from "../imports/import-kinds.ts";
import { POST_FIELDS } from "../posts/post.ts";
import type { StatisticsRecord } from "../statistics/statistics.store.ts";
import type { ExportSelection } from "./export-selection.ts";
import {
  daysAfter,
  highestGoneNumber,
  laterPosts,
  postsAfter,
  removedAfter,
  tiedPostsAfter,
  tombstonesAfter,
} from "./exports.store.ts";

/** The key of a row, by which the next page is entered; null: before the first. */
export type Position = readonly number[] | null;

export interface ExportRow {
  position: Position;
  /** Values by column; null for a row that is not asked for. */
  values: Record<string, unknown> | null;
}

interface ExportKind {
  /** Names of the columns, in their order: those of the import. */
  columns: readonly string[];
  /** How they are declared, where any may be null. */
  fields?: StoredFields;
  /** Rows after a position, fewer than the limit only at the end, read while they are taken. */
  rows(
    db: Database,
    selection: ExportSelection,
    after: Position,
    limit: number,
  ): Generator<ExportRow>;
}

const writeChannel = writer(CHANNEL_FIELDS);
const writePost = writer(POST_FIELDS);

/** The kinds of rows that are exported, those that are imported. */
export const exportKinds: Record<ImportKindName, ExportKind> = {
  categories: {
    columns: ["id", "slug", "name", "image"],
    *rows(db, _selection, after, limit) {
      const images = createCategoryImages(db);
      const [begin = 0] = after ?? [];
      const all = createDirectoryStore(db).categories();
      for (const [at, { id, slug, name, image }] of all.slice(begin, begin + limit).entries()) {
        const values = { id, slug, name, image: image && imageText(image, images) };
        yield { position: [begin + at + 1], values };
      }
    },
  },
  territories: {
    columns: ["id", "slug", "name", "kind", "parent"],
    *rows(db, _selection, after, limit) {
      const [begin = 0] = after ?? [];
      const all = createDirectoryStore(db).territories();
      for (const [at, entry] of all.slice(begin, begin + limit).entries()) {
        const { id, slug, name, kind, parent } = entry;
        yield { position: [begin + at + 1], values: { id, slug, name, kind, parent } };
      }
    },
  },
  channels: {
    columns: [...Object.keys(CHANNEL_FIELDS), "removed", "merged_into"],
    fields: CHANNEL_FIELDS,
    *rows(db, { channelId }, after, limit) {
      let read = 0;
      if (after === null || !isAmongRemoved(after)) {
        const [afterId = channelId === null ? 0 : channelId - 1] = after ?? [];
        for (const record of recordsAfter(db, afterId, limit)) {
          if (channelId !== null && record.id !== channelId) return;
          read += 1;
          yield { position: [record.id], values: channelValues(db, record) };
        }
      }
      if (channelId !== null || read === limit) return;
      for (const removed of removedAfter(db, placeAmongRemoved(after), limit - read)) {
        yield { position: [REMOVED, removed.id], values: { ...removed, removed: true } };
      }
    },
  },
  stats: {
    columns: ["channel", "day", "subscribers", "views", "posts"],
    *rows(db, selection, after, limit) {
      const { channelId: one } = selection;
      const { from, to } = bounds(selection);
      const [afterChannel = one ?? 0, afterDay = from - 1] = after ?? [];
      for (const record of daysAfter(db, [afterChannel, afterDay], limit)) {
        const { channelId: channel, day } = record;
        if (one !== null && (channel !== one || day > to)) return;
        const isAsked = from <= day && day <= to;
        const values = isAsked ? writeDay(record, selection) : null;
        yield { position: [channel, day], values };
      }
    },
  },
  posts: {
    columns: [...Object.keys(POST_FIELDS), "deleted"],
    fields: POST_FIELDS,
    *rows(db, selection, after, limit) {
      let read = 0;
      if (after === null || !isAmongRemoved(after)) {
        const posts = selection.channelId === null ? allPosts : channelPosts;
        for (const row of posts(db, selection, after, limit)) {
          read += 1;
          yield row;
        }
      }
      if (read < limit) yield* takenDownPosts(db, selection, after, limit - read);
    },
  },
};

/** With all of its former handles: the card has the newest only, and not when they were given up. */
function channelValues(db: Database, record: ChannelRecord) {
  const former = record.former_handles === "" ? [] : formerHandlesOf(db, record.id);
  return { ...writeChannel(record), former_handles: writeFormerHandles(former) };
}

/** A derived value of an open day is left out: imported, it would be a given one, and follow no post. */
function writeDay(record: StatisticsRecord, { openFrom }: ExportSelection) {
  const { channelId: channel, day, subscribers, viewsGiven, postsGiven } = record;
  const isOpen = day >= openFrom;
  const views = isOpen && viewsGiven === 0 ? null : record.views;
  const posts = isOpen && postsGiven === 0 ? null : record.posts;
  return { channel, day: formatDay(day), subscribers, views, posts };
}

/** Posts by id, in which order they lie in the file; days are left out as they are met. */
function* allPosts(
  db: Database,
  selection: ExportSelection,
  after: Position,
  limit: number,
): Generator<ExportRow> {
  const { from, to } = bounds(selection);
  for (const record of postsAfter(db, after?.[0] ?? 0, limit)) {
    const day = dayOf(record.published_at);
    const isAsked = from <= day && day <= to;
    yield { position: [record.id], values: isAsked ? writePost(record) : null };
  }
}

/** Posts of a channel by instant, in which order the index has them. */
function* channelPosts(
  db: Database,
  selection: ExportSelection,
  after: Position,
  limit: number,
): Generator<ExportRow> {
  const { from, to } = bounds(selection);
  const channel = selection.channelId ?? 0;
  const [publishedAt = startOfDay(from) - 1, id = null] = after ?? [];
  let read = 0;
  if (id !== null) {
    for (const record of tiedPostsAfter(db, [channel, publishedAt, id], limit)) {
      read += 1;
      yield { position: [publishedAt, record.id], values: writePost(record) };
    }
  }
  for (const record of laterPosts(db, [channel, publishedAt], limit - read)) {
    if (dayOf(record.published_at) > to) return;
    yield { position: [record.published_at, record.id], values: writePost(record) };
  }
}

/** Before the id in a position: behind all others come the channels and posts that were removed. */
const REMOVED = Number.MAX_SAFE_INTEGER;

function isAmongRemoved([place]: readonly number[]): boolean {
  return place === REMOVED;
}

/** The id behind which the removed ones are read. */
function placeAmongRemoved(after: Position): number {
  return after !== null && isAmongRemoved(after) ? (after[1] ?? 0) : 0;
}

/**
 * Posts that were taken down, by id: imported, they keep the post out of the other appliance too. One of which
 * nobody knows the day is of any. Behind them comes the highest number of all, where its post went with a channel.
 */
function* takenDownPosts(
  db: Database,
  selection: ExportSelection,
  after: Position,
  limit: number,
): Generator<ExportRow> {
  const { from, to } = bounds(selection);
  let read = 0;
  for (const { publishedAt, ...post } of tombstonesAfter(db, placeAmongRemoved(after), limit)) {
    const day = publishedAt === null ? null : dayOf(publishedAt);
    const isAsked =
      (selection.channelId ?? post.channel) === post.channel &&
      (day === null || (from <= day && day <= to));
    const published_at = publishedAt === null ? null : formatExactInstant(publishedAt);
    const values = isAsked ? { ...post, published_at, deleted: true } : null;
    read += 1;
    yield { position: [REMOVED, post.id], values };
  }
  const isWhole = selection.channelId === null && selection.from === null && selection.to === null;
  const id = isWhole && read < limit ? highestGoneNumber(db) : undefined;
  if (id === undefined || id === placeAmongRemoved(after)) return;
  yield { position: [REMOVED, id], values: { id, deleted: true } };
}

/** Days that no row is before, and after. */
export const FIRST_DAY = dayOf(Date.parse("0000-01-01T00:00:00Z"));
export const LAST_DAY = dayOf(Date.parse("9999-12-31T00:00:00Z"));

function bounds({ from, to }: ExportSelection): { from: number; to: number } {
  return { from: from ?? FIRST_DAY, to: to ?? LAST_DAY };
}
