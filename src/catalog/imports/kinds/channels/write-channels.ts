import type { Database } from "../../../../db/database.ts";
import { unknownSlug } from "../../../../values/fields.ts";
import { message } from "../../../../values/messages/messages.ts";
import { CHANNEL_FIELDS, type ChannelRecord } from "../../../channels/card.ts";
import type { ChannelRecords } from "../../../channels/channel-records.store.ts";
import { createChannelRecords } from "../../../channels/channel-records.store.ts";
import { createEntryNames } from "../../../directory/directory.ts";
import { recount } from "../../../directory/recount.ts";
import { newestPostAt } from "../../../posts/posts.store.ts";
import { mergeSearch, optimizeSearch, TEXTS_MANY } from "../../../search/search-terms.ts";
import type { Given, ImportContext, RowOutcome, RowWriter } from "../import-kind.ts";
import { isSame, merge, RowFault, requirePast } from "../import-kind.ts";
import {
  type ChannelRow,
  createRefresh,
  findReturning,
  findStored,
  giveUpHandle,
  latestReading,
  requireFreeIdentity,
} from "./row-identity.ts";

/** Moved handles to report individually; the rest are only counted. */
const REPORTED_MAX = 20;

function createMovedHandles(note: ImportContext["note"]) {
  const counts = { handles_moved: 0 };
  return {
    counts,

    add(handle: string, from: number, to: number): void {
      counts.handles_moved += 1;
      if (counts.handles_moved <= REPORTED_MAX) note(message("handleMoved", { handle, from, to }));
    },

    /** Reports how many more there were. */
    end(): void {
      const more = counts.handles_moved - REPORTED_MAX;
      if (more > 0) note(message("moreHandlesMoved", { handles: more }));
    },
  };
}

/**
 * Fields that affect the directories' counts of channels. Files with only other fields leave the counts as
 * they are.
 */
const COUNTED_BY = ["category", "categories", "territory", "is_public"] as const;

export function createChannelWriter(
  db: Database,
  { clock, note, highestNumber = 0, restores = false }: ImportContext,
): RowWriter<ChannelRow> {
  const records = createChannelRecords(db, clock);
  const refresh = createRefresh(db, clock);
  const moved = createMovedHandles(note);
  const withCodes = createDirectoryCodes(db, records);
  /** Search texts written by the last transaction, and in total. */
  let written = 0;
  let writtenInAll = 0;
  let areCountsOutdated = false;

  /** Writes a row that says more than numbers of an existing channel. */
  function writeWhole(row: Given<ChannelRow>): RowOutcome {
    const stored = findStored(records, row);
    const returning = stored ?? findReturning(records, row, restores);
    const { former_handles: listed, ...given } = withCodes(row);
    const record = merge(CHANNEL_FIELDS, given, stored, message("requiredForNewChannel"));
    record.categories = withoutPrimary(record);
    Object.assign(record, latestReading(row, stored, clock.now()));
    followNewestPost(db, record, row);
    requireCategories(records, row);
    requireFreeIdentity(records, record, stored);
    const former =
      stored === undefined ? (listed ?? []) : records.unknownHandles(record, listed ?? []);
    if (stored !== undefined && former.length === 0 && isSame(record, stored)) return "unchanged";
    areCountsOutdated ||=
      stored === undefined || COUNTED_BY.some((name) => record[name] !== stored[name]);
    if (record.id === 0) {
      record.id = returning?.id ?? Math.max(records.nextNumber(), highestNumber + 1);
    }
    const holder = giveUpHandle(records, record);
    const { removed } = records;
    if (stored === undefined) {
      if (returning?.id === record.id) removed.forget(returning.id);
      records.insert(record, former);
    } else {
      records.update(record, stored, former);
    }
    removed.release(record);
    if (holder !== null && record.handle !== null) moved.add(record.handle, holder, record.id);
    return stored === undefined ? "inserted" : "updated";
  }

  const recountIfChanged = async (): Promise<void> => {
    if (areCountsOutdated) await recount(db, clock);
  };

  return {
    counts: moved.counts,

    write(row): RowOutcome {
      if (row.removed === true || isRestoration(row))
        return recordRemoval(records, row, clock.now());
      if (row.merged_into != null) throw new RowFault("merged_into", message("removedByCommand"));
      requirePastTimes(row, clock.now());
      return refresh(row) ?? writeWhole(row);
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
    },

    interrupted: recountIfChanged,
  };
}

function requirePastTimes(row: Given<ChannelRow>, nowMs: number): void {
  requirePast("last_post_at", row.last_post_at, nowMs);
  requirePast("subscribers_at", row.subscribers_at, nowMs);
  for (const { givenUpAt } of row.former_handles ?? []) {
    requirePast("former_handles", givenUpAt, nowMs);
  }
}

/** Whether a row only says that a removed channel may return. */
function isRestoration({ removed, title, subscribers }: Given<ChannelRow>): boolean {
  return removed === false && title == null && subscribers == null;
}

/** Writes a row that says no more than that a channel was removed, here or elsewhere, or may return. */
function recordRemoval(
  { byId, removed }: ChannelRecords,
  {
    id,
    msgr_id = null,
    handle = null,
    merged_into: intoId = null,
    removed: isKeptOut,
  }: Given<ChannelRow>,
  nowMs: number,
): RowOutcome {
  if (id == null) throw new RowFault("id", message("required"));
  if (byId(id) !== undefined) {
    if (isKeptOut === true) throw new RowFault("removed", message("removedByCommand"));
    return "unchanged";
  }
  if (removed.byId(id) !== undefined) {
    return isKeptOut !== true && removed.lift(id) ? "updated" : "unchanged";
  }
  if (intoId !== null && byId(intoId) === undefined) {
    throw new RowFault("merged_into", message("noChannel", { channel: intoId }));
  }
  removed.insert({ id, msgr_id, handle, intoId, isKeptOut: isKeptOut === true }, nowMs);
  return "inserted";
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

function requireCategories(records: ChannelRecords, row: Given<ChannelRow>): void {
  for (const slug of row.categories ?? []) {
    if (!records.hasCategory(slug)) throw new RowFault("categories", unknownSlug(slug));
  }
}

const COLUMNS = ["category", "territory"] as const;

const UNKNOWN = { category: message("noCategory"), territory: message("noTerritory") };

/**
 * Returns a function that replaces displayed names of a category and a territory, as most people's tables
 * have them, with their codes.
 */
function createDirectoryCodes(
  db: Database,
  { hasCategory, hasTerritory }: ChannelRecords,
): (row: Given<ChannelRow>) => Given<ChannelRow> {
  const named = createEntryNames(db);
  const isCode = { category: hasCategory, territory: hasTerritory };

  /** @throws RowFault unless exactly one entry has the name */
  function codeOf(column: (typeof COLUMNS)[number], name: string): string {
    // The writer knows the codes from its start; an entry may have been added since then.
    const codes = named[column].codes(name).filter(isCode[column]);
    const [code] = codes;
    if (code === undefined) {
      const near = named[column].near(name);
      throw new RowFault(
        column,
        near.length === 0 ? UNKNOWN[column] : message("nameNear", { near }),
      );
    }
    if (codes.length > 1) throw new RowFault(column, message("nameOfSeveral", { codes }));
    return code;
  }

  return (row) => {
    let withCodes = row;
    for (const column of COLUMNS) {
      const given = row[column];
      if (given == null || isCode[column](given)) continue;
      withCodes = { ...withCodes, [column]: codeOf(column, given) };
    }
    return withCodes;
  };
}
