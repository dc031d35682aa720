import type { Database } from "../../db/database.ts";
import { dayOf, formatDay, startOfDay } from "../../values/moscow-time.ts";
import { CHANNEL_FIELDS } from "../channels/card.ts";
import { createCategoryImages } from "../directory/category-images.ts";
import { createDirectoryStore } from "../directory/directory.store.ts";
import { writer } from "../fields/stored-field.ts";
import { imageText } from "../imports/image-file.ts";
import type { ImportKindName } from "../imports/import-kinds.ts";
import { POST_FIELDS, type PostRecord } from "../posts/post.ts";
import type { ExportSelection } from "./export-selection.ts";
import {
  channelDaysAfter,
  channelPostsAfter,
  channelsAfter,
  daysAfter,
  postsAfter,
} from "./exports.store.ts";

/** The key of a row, by which the next page is entered; null: before the first. */
export type Position = readonly number[] | null;

export interface ExportRow {
  position: Position;
  /** By column; null for a row that is not asked for. */
  values: Record<string, unknown> | null;
}

interface ExportKind {
  /** Names of the columns, in their order: those of the import. */
  columns: readonly string[];
  /** Rows after a position, as many as there are up to a limit, read while they are taken. */
  rows(
    db: Database,
    selection: ExportSelection,
    after: Position,
    limit: number,
  ): Generator<ExportRow>;
}

const writeChannel = writer(CHANNEL_FIELDS);
const writePost = writer(POST_FIELDS);

/** The kinds of rows that are exported, those that are imported (living data, section 7). */
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
    columns: Object.keys(CHANNEL_FIELDS),
    *rows(db, { channelId }, after, limit) {
      const [afterId = channelId === null ? 0 : channelId - 1] = after ?? [];
      for (const record of channelsAfter(db, afterId, channelId, limit)) {
        yield { position: [record.id], values: writeChannel(record) };
      }
    },
  },
  stats: {
    columns: ["channel", "day", "subscribers", "views", "posts"],
    *rows(db, selection, after, limit) {
      const { channelId, from, to } = { ...selection, ...bounds(selection) };
      const [channel = channelId ?? 0, day = from - 1] = after ?? [];
      const records =
        channelId === null
          ? daysAfter(db, [channel, day], limit)
          : channelDaysAfter(db, channelId, day, to, limit);
      for (const record of records) {
        const { channelId: ofChannel, day: ofDay, ...numbers } = record;
        const isAsked = from <= ofDay && ofDay <= to;
        yield {
          position: [ofChannel, ofDay],
          values: isAsked ? { channel: ofChannel, day: formatDay(ofDay), ...numbers } : null,
        };
      }
    },
  },
  posts: {
    columns: Object.keys(POST_FIELDS),
    *rows(db, selection, after, limit) {
      const { from, to } = bounds(selection);
      for (const record of postRecords(db, selection, after, limit)) {
        const { id, published_at: publishedAt } = record;
        const day = dayOf(publishedAt);
        yield {
          position: selection.channelId === null ? [id] : [publishedAt, id],
          values: from <= day && day <= to ? writePost(record) : null,
        };
      }
    },
  },
};

/** Days that no row is before, and after. */
const FIRST_DAY = dayOf(Date.parse("0000-01-01T00:00:00Z"));
const LAST_DAY = dayOf(Date.parse("9999-12-31T00:00:00Z"));

function bounds({ from, to }: ExportSelection): { from: number; to: number } {
  return { from: from ?? FIRST_DAY, to: to ?? LAST_DAY };
}

function postRecords(
  db: Database,
  selection: ExportSelection,
  after: Position,
  limit: number,
): Iterable<PostRecord> {
  const { channelId } = selection;
  if (channelId === null) return postsAfter(db, after?.[0] ?? 0, limit);
  const { from, to } = bounds(selection);
  const [afterMs = startOfDay(from), afterId = 0] = after ?? [];
  return channelPostsAfter(db, channelId, [afterMs, afterId], startOfDay(to + 1), limit);
}
