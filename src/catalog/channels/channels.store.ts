import { type Database, statement } from "../../db/database.ts";
import { insertSql, updateSql } from "../../db/named-columns.ts";
import type { Clock } from "../../ports/clock.ts";
import { type JsonText, listTextOf } from "../../values/json-text.ts";
import {
  type CardView,
  CHANNEL_COLUMNS,
  type ChannelRecord,
  KEPT_COLUMNS,
  splitBySpaces,
  WALKED_COLUMNS,
} from "./card.ts";
import type { ChannelReference } from "./channel-reference.ts";
import {
  createFormerHandles,
  type FormerHandle,
  idOfHandle,
  isSameHandle,
} from "./former-handles.store.ts";
import { parseMessengerId } from "./messenger-id.ts";
import { CHANNELS_PER_TURN } from "./read-ahead.ts";
import { createSearchIndex } from "./search-index.ts";
import { searchTextOf } from "./search-text.ts";
import {
  CARD_JSON,
  CARD_PARTS,
  type CardParts,
  filledCard,
  isMarked,
  storedCard,
} from "./stored-card.ts";

/** The card of a public channel. */
export function selectCardById(db: Database, id: number): JsonText<CardView> | undefined {
  return card(db, `public_cards p ${NUMBERS} WHERE p.id = ?`, id);
}

/** The card of the public channel that has this handle, in any case of its letters, or had it last. */
export function selectCardByHandle(db: Database, handle: string): JsonText<CardView> | undefined {
  return card(db, `public_cards p ${NUMBERS} WHERE p.id = ${idOfHandle("@value")}`, {
    value: handle,
  });
}

/** A number that changes whenever a card does. */
export function cardsVersion(db: Database): number {
  const version = statement<{ version: number }>(db, "SELECT version FROM cards_version");
  return version.get()?.version ?? 0;
}

export function selectCardByMessengerId(
  db: Database,
  messengerId: string,
): JsonText<CardView> | undefined {
  const from = `channel_cards k CROSS JOIN public_cards p ON p.id = k.id ${NUMBERS}`;
  return card(db, `${from} WHERE k.msgr_id = ?`, messengerId);
}

const NUMBERS = "CROSS JOIN channels c ON c.id = p.id";

/** @param value of `?`, which costs 1 us less than a value by its name */
function card(
  db: Database,
  from: string,
  value: number | string | { value: string },
): JsonText<CardView> | undefined {
  const found = statement<CardParts>(db, `SELECT ${CARD_PARTS} FROM ${from}`).get(value);
  return found && filledCard(found);
}

/**
 * Cards in the order of the ids (the outer loop of a cross join); those that are unknown or not
 * public are left out. SQLite joins them into one text: to read fifty texts costs more.
 */
export function selectCards(db: Database, ids: readonly number[]): JsonText<CardView[]> {
  const found = statement<{ cards: Buffer | null }>(
    db,
    `SELECT CAST(group_concat(${CARD_JSON}, ',') AS BLOB) AS cards
     FROM json_each(?) given CROSS JOIN public_cards p ON p.id = given.value
       CROSS JOIN channels c ON c.id = p.id`,
  ).get(JSON.stringify(ids));
  return listTextOf(found?.cards ?? null);
}

/**
 * Reads the pages of the cards after a number (read-ahead.ts).
 * @returns the last one's number; null where none is left
 */
export function readCardsAhead(db: Database, afterId: number): number | null {
  const read = statement<{ id: number | null }>(
    db,
    `SELECT max(id) AS id FROM (
       SELECT p.id FROM public_cards p ${NUMBERS} WHERE p.id > ? ORDER BY p.id LIMIT ?)`,
  );
  return read.get(afterId, CHANNELS_PER_TURN)?.id ?? null;
}

/** A handle as it was given, in any case, and the channel that has it. */
export interface HandleOwner {
  handle: string;
  id: number;
}

/** Public channels by handle, present or former; those that nobody ever had are left out. */
export function selectIdsByHandle(db: Database, handles: readonly string[]): HandleOwner[] {
  return statement<HandleOwner>(
    db,
    `SELECT given.value AS handle, c.id
     FROM json_each(?) given
     CROSS JOIN channels c ON c.id = ${idOfHandle("given.value")}
     WHERE c.is_public = 1`,
  ).all(JSON.stringify(handles));
}

const ID_BY: Record<"id" | "handle" | "messengerId", string> = {
  id: "@value",
  handle: idOfHandle("@value"),
  messengerId: "(SELECT k.id FROM channel_cards k WHERE k.msgr_id = @value)",
};

/** The service number of the public channel that a reference names; null where there is none. */
export function selectPublicId(db: Database, reference: ChannelReference): number | null {
  if (reference.kind === "nothing") return null;
  const sql = `SELECT c.id FROM channels c WHERE c.id = ${ID_BY[reference.kind]} AND c.is_public = 1`;
  return statement<{ id: number }>(db, sql).get({ value: named(reference) })?.id ?? null;
}

/** The service number of the channel, public or not, that a reference names; null where there is none. */
export function selectId(db: Database, reference: ChannelReference): number | null {
  if (reference.kind === "nothing") return null;
  const sql = `SELECT k.id FROM channel_cards k WHERE k.id = ${ID_BY[reference.kind]}`;
  return statement<{ id: number }>(db, sql).get({ value: named(reference) })?.id ?? null;
}

function named(reference: Exclude<ChannelReference, { kind: "nothing" }>): number | string {
  switch (reference.kind) {
    case "id":
      return reference.id;
    case "handle":
      return reference.handle;
    case "messengerId":
      return reference.messengerId;
  }
}

/** Tells of a number whether a public channel has it. */
export function createIsPublic(db: Database): (id: number) => boolean {
  const find = statement(db, "SELECT id FROM channels WHERE id = ? AND is_public = 1");
  return (id) => find.get(id) !== undefined;
}

const RECORD_BY_ID = `SELECT ${CHANNEL_COLUMNS}
  FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id = ?`;

/**
 * Finds the ids of channels for imports, public or not. Most rows of an import are new, and to find
 * that there is no id costs a quarter of looking for a whole record.
 */
export function createChannelIds(db: Database) {
  const id = statement<{ id: number }>(db, "SELECT id FROM channel_cards WHERE id = ?");
  const messengerId = statement<{ id: number }>(
    db,
    "SELECT id FROM channel_cards WHERE msgr_id = ?",
  );
  const handle = statement<{ id: number }>(db, "SELECT id FROM channel_cards WHERE handle = ?");
  const removed = statement(db, "SELECT 1 FROM removed_channels WHERE id = ?");
  const handleEver = statement<{ id: number | null }>(db, `SELECT ${idOfHandle("@value")} AS id`);
  return {
    byId: (given: number): number | undefined => id.get(given)?.id,
    byMessengerId: (given: string): number | undefined => messengerId.get(given)?.id,
    /** The channel that has the handle now. It may be given in any case. */
    byHandle: (given: string): number | undefined => handle.get(given)?.id,
    /** The channel that has the handle, or had it last. */
    byHandleEver: (given: string): number | undefined =>
      handleEver.get({ value: given })?.id ?? undefined,
    /** Whether a channel with this number was merged or deleted. */
    wasRemoved: (given: number): boolean => removed.get(given) !== undefined,
  };
}

/** The numbers of a channel that change daily; no part of its stored card or search text. */
type ChannelNumbers = Pick<ChannelRecord, "id" | "subscribers" | "last_post_at">;

/** Finds and writes the numbers of channels, for imports; its calls come inside transactions. */
export function createChannelNumbers(db: Database) {
  const find = statement<ChannelNumbers>(
    db,
    "SELECT id, subscribers, last_post_at FROM channels WHERE id = ?",
  );
  const setSubscribers = statement(db, updateSql("channels", ["subscribers"]));
  const setLastPost = statement(db, updateSql("channels", ["last_post_at"]));
  const setBoth = statement(db, updateSql("channels", ["subscribers", "last_post_at"]));
  return {
    find: (id: number): ChannelNumbers | undefined => find.get(id),

    /**
     * Sets what differs: SQLite writes the index of a column that is set to the value it had.
     * @returns false where nothing does
     */
    update(now: ChannelNumbers, stored: ChannelNumbers): boolean {
      const areOtherSubscribers = now.subscribers !== stored.subscribers;
      const isOtherPost = now.last_post_at !== stored.last_post_at;
      const set = areOtherSubscribers && isOtherPost ? setBoth : null;
      if (set !== null) set.run(now);
      else if (areOtherSubscribers) setSubscribers.run(now);
      else if (isOtherPost) setLastPost.run(now);
      return areOtherSubscribers || isOtherPost;
    },
  };
}

/** Sets a channel's time of the last post to a later one; for imports, inside transactions. */
export function createLastPosts(db: Database) {
  const move = statement(
    db,
    `UPDATE channels SET last_post_at = @publishedAt
     WHERE id = @channelId AND (last_post_at IS NULL OR last_post_at < @publishedAt)`,
  );
  return (channelId: number, publishedAt: number): void => {
    move.run({ channelId, publishedAt });
  };
}

/**
 * Finds and writes channels, for imports; its calls come inside transactions. Before each commit
 * `writeSearch` is to be called.
 */
export function createChannelRecords(db: Database, clock: Clock) {
  const directoryIds = readDirectoryIds(db);
  const byId = statement<ChannelRecord>(db, RECORD_BY_ID);
  const search = createSearchIndex(db);
  const formerHandles = createFormerHandles(db);
  const ids = createChannelIds(db);
  const record = (id: number | undefined): ChannelRecord | undefined =>
    id === undefined ? undefined : byId.get(id);
  const insertChannel = statement(db, insertSql("channels", WALKED_COLUMNS));
  const insertCard = statement(db, insertSql("channel_cards", KEPT_COLUMNS));
  const insertRemoved = statement(
    db,
    "INSERT INTO removed_channels (id, into_id, removed_at, is_done) VALUES (?, ?, ?, 1)",
  );
  const nextNumber = statement<{ id: number }>(
    db,
    `SELECT max(coalesce((SELECT max(id) FROM channels), 0),
       coalesce((SELECT max(id) FROM removed_channels), 0)) + 1 AS id`,
  );
  const updateCard = statement(db, updateSql("channel_cards", KEPT_COLUMNS));
  const savePublicCard = statement(
    db,
    `INSERT INTO public_cards (id, json) VALUES (?, ?)
     ON CONFLICT (id) DO UPDATE SET json = excluded.json`,
  );
  const removePublicCard = statement(db, "DELETE FROM public_cards WHERE id = ?");

  const removals = [
    removePublicCard,
    statement(db, "DELETE FROM channel_texts WHERE id = ?"),
    statement(db, "DELETE FROM channel_cards WHERE id = ?"),
    statement(db, "UPDATE channels SET is_public = 0 WHERE id = ?"),
  ];

  function keepPublicCard(record: ChannelRecord): void {
    if (record.is_public === 1) savePublicCard.run(record.id, storedCard(record));
    else removePublicCard.run(record.id);
  }

  const textOf = (record: ChannelRecord): string =>
    searchTextOf({
      title: record.title,
      handle: record.handle,
      kind: record.kind,
      categoryIds: categorySlugs(record).flatMap((slug) => directoryIds.categories.get(slug) ?? []),
      territoryIds:
        record.territory === null ? [] : (directoryIds.territories.get(record.territory) ?? []),
      aPlus: record.a_plus === 1,
      verified: record.verified === 1,
    });

  function write(record: ChannelRecord, stored: ChannelRecord): void {
    const names = Object.keys(record) as (keyof ChannelRecord)[];
    const changed = names.filter((name) => record[name] !== stored[name]);
    const isRefresh = changed.every(isMarked);
    if (!isRefresh) search.changing(record.id);
    // Only what differs is set: SQLite writes the index of a column that is set to the value it had.
    const walked = changed.filter((name) => WALKED_COLUMNS.includes(name));
    if (walked.length > 0) statement(db, updateSql("channels", walked)).run(record);
    if (isRefresh) return;
    updateCard.run(record);
    keepPublicCard(record);
    search.put(record.id, textOf(record));
  }

  function remove(record: ChannelRecord): void {
    search.changing(record.id);
    for (const removal of removals) removal.run(record.id);
  }

  /** The messenger id of the channel that is left. Twins may have it in its two forms: one form remains. */
  function messengerIdOf(from: ChannelRecord, into: ChannelRecord): string | null {
    const kept = into.msgr_id ?? from.msgr_id;
    const canonical = kept === null ? null : parseMessengerId(kept);
    const holder = canonical === null ? undefined : ids.byMessengerId(canonical);
    return holder === undefined || holder === into.id ? canonical : kept;
  }

  return {
    hasCategory: (slug: string): boolean => directoryIds.categories.has(slug),
    hasTerritory: (slug: string): boolean => directoryIds.territories.has(slug),
    byId: (id: number) => record(ids.byId(id)),
    byMessengerId: (messengerId: string) => record(ids.byMessengerId(messengerId)),
    byHandle: (handle: string) => record(ids.byHandle(handle)),

    /** A number that no channel has or had. */
    nextNumber: (): number => nextNumber.get()?.id ?? 1,

    wasRemoved: ids.wasRemoved,

    /** Notes the number of a channel that was deleted in another appliance, or merged into one that is here. */
    keepRemoved(id: number, intoId: number | null): void {
      insertRemoved.run(id, intoId, clock.now());
    },

    /** Those of the handles that are not known as the channel's, former or present. */
    unknownHandles: (
      { id, handle }: ChannelRecord,
      said: readonly FormerHandle[],
    ): FormerHandle[] => formerHandles.unknown(id, handle, said),

    /**
     * @param record its former handles are not read
     * @param said former handles that a file gives it, newest first
     */
    insert(record: ChannelRecord, said: readonly FormerHandle[] = []): void {
      const { id } = record;
      insertChannel.run(record);
      const change = { before: null, after: record.handle, said };
      const former_handles = said.length > 0 ? formerHandles.keep(id, change, clock.now()) : "";
      const inserted = { ...record, former_handles };
      insertCard.run(inserted);
      keepPublicCard(inserted);
      search.put(id, textOf(record));
    },

    /**
     * Writes a channel, and keeps the handle that it gives up.
     * @param given its former handles are not read
     * @param stored the channel as it is stored
     * @param said former handles that a file gives it besides, newest first
     */
    update(given: ChannelRecord, stored: ChannelRecord, said: readonly FormerHandle[] = []): void {
      const change = { before: stored.handle, after: given.handle, said };
      const hasChange = said.length > 0 || !isSameHandle(given.handle, stored.handle);
      const former_handles = hasChange
        ? formerHandles.keep(given.id, change, clock.now())
        : stored.former_handles;
      write({ ...given, former_handles }, stored);
    },

    /**
     * Takes a channel out of all that is answered and found. Its row of `channels` is left, hidden, for the
     * posts and statistics that refer to it.
     */
    remove(record: ChannelRecord): void {
      remove(record);
      formerHandles.move(record.id, null);
    },

    /**
     * Removes a channel as `remove` does, and gives another what it was known by: its handles as former
     * ones, and the present handle and messenger id as its own where it has none.
     */
    merge(from: ChannelRecord, into: ChannelRecord): void {
      remove(from);
      formerHandles.move(from.id, into.id);
      const handle = into.handle ?? from.handle;
      const change = { before: from.handle, after: handle, said: [] };
      const former_handles = formerHandles.keep(into.id, change, clock.now());
      write({ ...into, handle, msgr_id: messengerIdOf(from, into), former_handles }, into);
    },

    /** Writes the channel's search text anew, after the directory changed. */
    refreshText(record: ChannelRecord): void {
      search.changing(record.id);
      search.put(record.id, textOf(record));
    },

    /** Brings the search index to what was inserted and updated. */
    writeSearch: search.write,
  };
}

/** Channels, public or not, by number after one, read one at a time. */
export function recordsAfter(
  db: Database,
  afterId: number,
  limit: number,
): Iterable<ChannelRecord> {
  return statement<ChannelRecord>(
    db,
    `SELECT ${CHANNEL_COLUMNS} FROM channels c CROSS JOIN channel_cards k ON k.id = c.id
     WHERE c.id > ? ORDER BY c.id LIMIT ?`,
  ).iterate(afterId, limit);
}

/** Ids of some channels in territories, in ascending order after an id. */
export function channelsInTerritories(
  db: Database,
  slugs: readonly string[],
  afterId: number,
  limit: number,
): number[] {
  return statement<{ id: number }>(
    db,
    `SELECT id FROM channel_cards
     WHERE territory IN (SELECT value FROM json_each(?)) AND id > ? ORDER BY id LIMIT ?`,
  )
    .all(JSON.stringify(slugs), afterId, limit)
    .map(({ id }) => id);
}

export function categoriesInUse(db: Database): Set<string> {
  const rows = statement<Pick<ChannelRecord, "category" | "categories">>(
    db,
    "SELECT DISTINCT category, categories FROM channel_cards",
  ).all();
  return new Set(rows.flatMap(categorySlugs));
}

export function territoriesInUse(db: Database): Set<string> {
  const rows = statement<{ territory: string }>(
    db,
    "SELECT DISTINCT territory FROM channel_cards WHERE territory IS NOT NULL",
  ).all();
  return new Set(rows.map(({ territory }) => territory));
}

/** Primary and additional categories, each once. */
export function categorySlugs({
  category,
  categories,
}: Pick<ChannelRecord, "category" | "categories">): string[] {
  return [...new Set([...(category === null ? [] : [category]), ...splitBySpaces(categories)])];
}

interface DirectoryIds {
  categories: Map<string, number>;
  /** Ids of the node and of all above it. */
  territories: Map<string, number[]>;
}

function readDirectoryIds(db: Database): DirectoryIds {
  const categories = new Map(
    statement<{ slug: string; id: number }>(db, "SELECT slug, id FROM categories")
      .all()
      .map(({ slug, id }) => [slug, id]),
  );
  const nodes = statement<{ slug: string; id: number; path: string }>(
    db,
    "SELECT slug, id, path FROM territories",
  ).all();
  const ids = new Map(nodes.map(({ slug, id }) => [slug, id]));
  const territories = new Map(
    nodes.map(({ slug, path }) => [slug, path.split("/").flatMap((above) => ids.get(above) ?? [])]),
  );
  return { categories, territories };
}
