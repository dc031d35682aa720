import type { Database } from "../../../../db/database.ts";
import { unknownSlug } from "../../../../values/fields.ts";
import { message } from "../../../../values/messages/messages.ts";
import { CHANNEL_FIELDS, type ChannelRecord, writeFormerHandles } from "../../../channels/card.ts";
import { createChannelRecords } from "../../../channels/channel-records.store.ts";
import { recordsAfter } from "../../../channels/channels.store.ts";
import { formerHandlesOf } from "../../../channels/former-handles.store.ts";
import { createCategoryNames } from "../../../directory/category-names.ts";
import { recount } from "../../../directory/recount.ts";
import { flagColumn, ID_MAX, integerColumn, nullable } from "../../../fields/columns.ts";
import { columnsOf, type RowOf, writer } from "../../../fields/stored-field.ts";
import { newestPostAt } from "../../../posts/posts.store.ts";
import { pruneLastPostOrder } from "../../../search/last-post-order.ts";
import { mergeSearch, optimizeSearch } from "../../../search/optimize-search.ts";
import { FEWEST_REFRESHED } from "../../writing/transaction-size.ts";
import { removedAfter } from "../exported-rows.store.ts";
import { placeAmongRemoved, positionAmongRemoved } from "../exported-rows.ts";
import {
  type Given,
  type ImportContext,
  type ImportKind,
  RowFault,
  type RowOutcome,
} from "../import-kind.ts";
import { isSame, merge } from "../merge-row.ts";
import { requirePast } from "../require-past.ts";
import { createMovedHandles } from "./moved-handles.ts";
import { createRefresh, inOrderOfSubscribers } from "./refresh-rows.ts";

/**
 * A row of channels. `removed` marks a number that a former channel had: exports contain it so that the
 * number is not reused. `merged_into` is the channel that took over its identity.
 */
type ChannelRow = RowOf<typeof CHANNEL_FIELDS> & { removed: boolean; merged_into: number };
const writeChannel = writer(CHANNEL_FIELDS);
type Records = ReturnType<typeof createChannelRecords>;

/**
 * Number of search texts from which an import merges the search index and recounts its terms; otherwise the
 * nightly job does, because counting takes the same time however few there are.
 */
const TEXTS_MANY = 1_000;
/**
 * Number of last-post times from which an import removes outdated entries from their order; otherwise the
 * nightly job does. Hourly readings of all channels would leave one entry per channel and hour until then.
 */
const TIMES_MANY = 100_000;

/**
 * Fields that affect the directories' counts of channels. Files with only other fields leave the counts as
 * they are.
 */
const COUNTED_BY = ["category", "categories", "territory", "is_public"] as const;

/** Channels are identified by `id`, or else `msgr_id`, or else `handle`. */
export const channelsImport: ImportKind<ChannelRow> = {
  columns: {
    ...columnsOf(CHANNEL_FIELDS),
    removed: flagColumn(),
    merged_into: nullable(integerColumn(1, ID_MAX)),
  },
  requiredColumns: ["id", "msgr_id", "handle", "title", "subscribers", "is_public", "removed"],
  isDirectory: false,
  open(db: Database, { clock, note, highestNumber = 0 }: ImportContext) {
    const records = createChannelRecords(db, clock);
    const refresh = createRefresh(db);
    const moved = createMovedHandles(note);
    /** Search texts written by the last transaction, and in total. */
    let [written, writtenInAll] = [0, 0];
    let times = 0;
    let areRefreshes = false;
    let areCountsOutdated = false;
    const categoryNamed = createCategoryNames(db);

    /** A category may be given by its name, as it is in most people's tables. */
    function withCode(row: Given<ChannelRow>): Given<ChannelRow> {
      const { category } = row;
      if (category == null || records.hasCategory(category)) return row;
      const code = categoryNamed(category);
      if (code === undefined) throw new RowFault("category", message("noCategory"));
      return { ...row, category: code };
    }

    const recountIfChanged = async (): Promise<void> => {
      if (areCountsOutdated) await recount(db, clock);
    };
    return {
      counts: moved.counts,

      arrange(rows) {
        const arranged = inOrderOfSubscribers(rows);
        areRefreshes = arranged !== rows;
        return arranged;
      },

      fewest: () => (areRefreshes ? FEWEST_REFRESHED : undefined),

      write(row: Given<ChannelRow>): RowOutcome {
        if (row.removed === true) return recordRemoval(records, row);
        if (row.merged_into != null) throw new RowFault("merged_into", message("removedByCommand"));
        requirePast("last_post_at", row.last_post_at, clock.now());
        for (const { givenUpAt } of row.former_handles ?? [])
          requirePast("former_handles", givenUpAt, clock.now());
        const refreshed = refresh(row);
        if (refreshed === "updated" && row.last_post_at !== undefined) times += 1;
        if (refreshed !== null) return refreshed;
        const stored = findStored(records, row);
        const { former_handles: listed, ...given } = withCode(row);
        const record = merge(CHANNEL_FIELDS, given, stored, message("requiredForNewChannel"));
        record.categories = withoutPrimary(record);
        followNewestPost(db, record, row);
        requireSlugs(records, row);
        requireFreeMessengerId(records, record, stored);
        requireNewNumber(records, record, stored);
        const former =
          stored === undefined ? (listed ?? []) : records.unknownHandles(record, listed ?? []);
        if (stored !== undefined && former.length === 0 && isSame(record, stored))
          return "unchanged";
        areCountsOutdated ||=
          stored === undefined || COUNTED_BY.some((name) => record[name] !== stored[name]);
        if (record.id === 0) record.id = Math.max(records.nextNumber(), highestNumber + 1);
        const holder = giveUpHandle(records, record);
        if (stored === undefined) records.insert(record, former);
        else records.update(record, stored, former);
        if (holder !== null && record.handle !== null) moved.add(record.handle, holder, record.id);
        return stored === undefined ? "inserted" : "updated";
      },
      beforeCommit(): void {
        written = records.writeSearch();
        writtenInAll += written;
      },

      async afterCommit(): Promise<void> {
        if (written > 0) await mergeSearch(db, clock);
      },

      async afterwards(): Promise<void> {
        moved.end();
        await recountIfChanged();
        if (writtenInAll >= TEXTS_MANY) await optimizeSearch(db, clock);
        if (times >= TIMES_MANY) await pruneLastPostOrder(db, clock);
      },

      interrupted: recountIfChanged,
    };
  },
  exported: {
    columns: [
      ...(Object.keys(CHANNEL_FIELDS) as (keyof typeof CHANNEL_FIELDS)[]),
      ...(["removed", "merged_into"] as const),
    ],
    fields: CHANNEL_FIELDS,
    selectedBy: ["channel"],
    *rows(db, { channelId }, after, limit) {
      const afterRemoved = placeAmongRemoved(after);
      let read = 0;
      if (afterRemoved === null) {
        const [afterId = channelId === null ? 0 : channelId - 1] = after ?? [];
        for (const record of recordsAfter(db, afterId, limit)) {
          if (channelId !== null && record.id !== channelId) return;
          read += 1;
          yield { position: [record.id], values: channelValues(db, record) };
        }
      }
      if (channelId !== null || read === limit) return;
      for (const removed of removedAfter(db, afterRemoved ?? 0, limit - read)) {
        yield { position: positionAmongRemoved(removed.id), values: { ...removed, removed: true } };
      }
    },
  },
};

/**
 * Includes all former handles: the card only has the newest, without the times at which they were given up.
 */
function channelValues(db: Database, record: ChannelRecord) {
  const former = record.former_handles === "" ? [] : formerHandlesOf(db, record.id);
  return { ...writeChannel(record), former_handles: writeFormerHandles(former) };
}

/** Writes a row with `removed`: reserves the number of a channel that was removed elsewhere. */
function recordRemoval(
  records: Records,
  { id, merged_into: intoId = null }: Given<ChannelRow>,
): RowOutcome {
  if (id == null) throw new RowFault("id", message("required"));
  if (records.byId(id) !== undefined) throw new RowFault("removed", message("removedByCommand"));
  if (records.wasRemoved(id)) return "unchanged";
  if (intoId !== null && records.byId(intoId) === undefined) {
    throw new RowFault("merged_into", message("noChannel", { channel: intoId }));
  }
  records.recordRemoval(id, intoId);
  return "inserted";
}

/** The stored channel that a row belongs to, by the first identity it gives; undefined for a new one. */
function findStored(records: Records, row: Given<ChannelRow>): ChannelRecord | undefined {
  if (row.id != null) return records.byId(row.id);
  if (row.msgr_id != null) {
    const known = records.byMessengerId(row.msgr_id);
    if (known !== undefined || row.handle == null) return known;
    // When a catalog kept by handle receives messenger ids, the holder of the handle is the same channel,
    // not a twin.
    const holder = records.byHandle(row.handle);
    return holder?.msgr_id === null ? holder : undefined;
  }
  if (row.handle != null) return records.byHandle(row.handle);
  throw new RowFault("id", message("channelNotNamed"));
}

/** Keeps `last_post_at` from being earlier than the newest stored post. */
function followNewestPost(db: Database, record: ChannelRecord, row: Given<ChannelRow>): void {
  if (row.last_post_at === undefined || record.id === 0) return;
  const newest = newestPostAt(db, record.id);
  if (newest !== null) record.last_post_at = Math.max(record.last_post_at ?? 0, newest);
}

/** Additional categories without the primary one, which people's files often repeat among them. */
function withoutPrimary({ category, categories }: ChannelRecord): string {
  return categories
    .split(" ")
    .filter((slug) => slug !== category)
    .join(" ");
}

function requireSlugs(records: Records, row: Given<ChannelRow>): void {
  for (const slug of row.categories ?? []) {
    if (!records.hasCategory(slug)) throw new RowFault("categories", unknownSlug(slug));
  }
  if (row.territory != null && !records.hasTerritory(row.territory)) {
    throw new RowFault("territory", unknownSlug(row.territory));
  }
}

function requireFreeMessengerId(
  records: Records,
  record: ChannelRecord,
  stored: ChannelRecord | undefined,
): void {
  if (record.msgr_id === null || record.msgr_id === stored?.msgr_id) return;
  const holder = records.byMessengerId(record.msgr_id);
  if (holder !== undefined) {
    throw new RowFault("msgr_id", message("numberOfChannel", { channel: holder.id }));
  }
}

/** Refuses the number of a removed channel, which is never reused. */
function requireNewNumber(
  records: Records,
  { id }: ChannelRecord,
  stored: ChannelRecord | undefined,
): void {
  if (stored !== undefined || id === 0 || !records.wasRemoved(id)) return;
  throw new RowFault("id", message("numberOfRemovedChannel", { channel: id }));
}

/**
 * Takes a handle away from its present channel, if a row gives it to another.
 * @returns number of the channel that had it, or null
 */
function giveUpHandle(records: Records, { id, handle }: ChannelRecord): number | null {
  const holder = handle === null ? undefined : records.byHandle(handle);
  if (holder === undefined || holder.id === id) return null;
  records.update({ ...holder, handle: null }, holder);
  return holder.id;
}
