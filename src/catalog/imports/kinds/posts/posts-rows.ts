import type { Database } from "../../../../db/database.ts";
import { dayOf, formatExactInstant, startOfDay } from "../../../../values/moscow-time.ts";
import { linkById, messengerIdColumn } from "../../../channels/channel-reference.ts";
import { flagColumn, nullable } from "../../../fields/columns.ts";
import { columnsOf, writer } from "../../../fields/stored-field.ts";
import type { MentionTarget } from "../../../mentions/mention.ts";
import { POST_FIELDS, type PostRecord } from "../../../posts/post.ts";
import {
  channelPostsAfter,
  forwardOutsideCatalog,
  highestGoneNumber,
  postsAfter,
  tombstonesAfter,
} from "../exported-rows.store.ts";
import type { ExportRow, ReadRows, RowSelection } from "../exported-rows.ts";
import { bounds, idAmongRemoved, positionAmongRemoved } from "../exported-rows.ts";
import type { ImportKind } from "../import-kind.ts";
import { NO_REMOVALS } from "../removed-months.store.ts";
import type { PostRow } from "./named-posts.ts";
import { createPostWriter } from "./write-posts.ts";

const writeFields = writer(POST_FIELDS);

/**
 * Row of a stored post. A forward from a channel outside the catalog is stored only as a mention, and is
 * exported under the name it has there.
 */
function writePost(db: Database, record: PostRecord): Record<string, unknown> {
  const values = writeFields(record);
  if (record.forwarded_from !== null) return values;
  const target = forwardOutsideCatalog(db, record);
  return target === undefined ? values : { ...values, forwarded_from: nameOf(target) };
}

/** A channel's name in the form that the column `forwarded_from` accepts. */
function nameOf(target: MentionTarget): string | number | undefined {
  if (target.startsWith("#")) return Number(target.slice(1));
  return target.startsWith("c/") ? linkById(target.slice(2)) : `@${target}`;
}

const exportedPosts: ReadRows<RowSelection> = function* (db, selection, after, limit) {
  const afterRemovedId = idAmongRemoved(after);
  let read = 0;
  if (afterRemovedId === null) {
    const posts = selection.channelId === null ? allPosts : channelPosts;
    for (const row of posts(db, selection, after, limit)) {
      read += 1;
      yield row;
    }
  }
  if (read < limit) yield* takenDownPosts(db, selection, afterRemovedId ?? 0, limit - read);
};

/** Posts by id, which is the order of the file; posts of other days are skipped on the way. */
const allPosts: ReadRows<RowSelection> = function* (db, selection, after, limit) {
  const { from, to } = bounds(selection);
  for (const record of postsAfter(db, after?.[0] ?? 0, limit)) {
    const day = dayOf(record.published_at);
    const isSelected = from <= day && day <= to;
    yield { position: [record.id], values: isSelected ? writePost(db, record) : null };
  }
};

/** A channel's posts by instant, which is the order of the index. */
const channelPosts: ReadRows<RowSelection> = function* (db, selection, after, limit) {
  const { from, to } = bounds(selection);
  const channel = selection.channelId ?? 0;
  const [publishedAt = startOfDay(from) - 1, id = null] = after ?? [];
  for (const record of channelPostsAfter(db, [channel, publishedAt, id], limit)) {
    if (dayOf(record.published_at) > to) return;
    yield { position: [record.published_at, record.id], values: writePost(db, record) };
  }
};

/**
 * Posts that were taken down, by id: once imported, they are kept out of the other appliance too. A post
 * whose day is unknown belongs to every selection of days. Last comes the highest post number used, if its
 * post was removed with a channel, so that it is not assigned again.
 */
function* takenDownPosts(
  db: Database,
  selection: RowSelection,
  afterId: number,
  limit: number,
): Generator<ExportRow> {
  // Tombstones outlast the months of their posts.
  const { from, to } = bounds({ ...selection, removals: NO_REMOVALS });
  let read = 0;
  for (const { publishedAt, ...post } of tombstonesAfter(db, afterId, limit)) {
    const day = publishedAt === null ? null : dayOf(publishedAt);
    const isSelected =
      (selection.channelId ?? post.channel) === post.channel &&
      (day === null || (from <= day && day <= to));
    const published_at = publishedAt === null ? null : formatExactInstant(publishedAt);
    const values = isSelected ? { ...post, published_at, deleted: true } : null;
    read += 1;
    yield { position: positionAmongRemoved(post.id), values };
  }
  const isWhole = selection.channelId === null && selection.from === null && selection.to === null;
  const id = isWhole && read < limit ? highestGoneNumber(db) : undefined;
  if (id === undefined || id === afterId) return;
  yield { position: positionAmongRemoved(id), values: { id, deleted: true } };
}

/** Posts are identified by `id`, or else by channel and `msgr_post_id`. */
export const postsImport: ImportKind<PostRow> = {
  columns: {
    ...columnsOf(POST_FIELDS),
    channel_msgr_id: nullable(messengerIdColumn()),
    deleted: flagColumn(),
  },
  requiredColumns: ["id", "channel", "channel_msgr_id", "msgr_post_id", "published_at", "deleted"],
  isDirectory: false,
  isMeasured: true,
  open: createPostWriter,
  exported: {
    columns: [...(Object.keys(POST_FIELDS) as (keyof typeof POST_FIELDS)[]), "deleted"],
    fields: POST_FIELDS,
    selectedBy: ["channel", "days"],
    rows: exportedPosts,
  },
};
