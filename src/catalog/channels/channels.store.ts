import { type Database, statement } from "../../db/database.ts";
import { updateSql } from "../../db/statement.ts";
import { type JsonText, listTextOf } from "../../values/json-text.ts";
import { type CardView, CHANNEL_COLUMNS, type ChannelRecord, splitBySpaces } from "./card.ts";
import type { ChannelReference } from "./channel-reference.ts";
import { idOfHandle } from "./handles.store.ts";
import { idOfMessengerId } from "./removed-channels.store.ts";
import type { CardParts } from "./stored-card.ts";
import { CARD_JSON, CARD_PARTS, CHANNELS_PER_TURN, filledCard } from "./stored-card.ts";

export function selectCardById(db: Database, id: number): JsonText<CardView> | undefined {
  return card(db, `public_cards p ${NUMBERS} WHERE p.id = @value`, id);
}

/** Card of the public channel that has this handle, or had it last; letter case is ignored. */
export function selectCardByHandle(db: Database, handle: string): JsonText<CardView> | undefined {
  return card(db, `public_cards p ${NUMBERS} WHERE p.id = ${idOfHandle("@value")}`, handle);
}

/** A number that changes whenever any card does. */
export function cardsVersion(db: Database): number {
  const sql =
    "SELECT version + ifnull((SELECT max(version) FROM channel_changes), 0) AS version FROM cards_version";
  const version = statement<{ version: number }>(db, sql);
  return version.get()?.version ?? 0;
}

export function selectCardByMessengerId(
  db: Database,
  messengerId: string,
): JsonText<CardView> | undefined {
  const id = idOfMessengerId("@value");
  return card(db, `public_cards p ${NUMBERS} WHERE p.id = ${id}`, messengerId);
}

const NUMBERS = "CROSS JOIN channels c ON c.id = p.id";

function card(db: Database, from: string, value: number | string): JsonText<CardView> | undefined {
  const found = statement<CardParts>(db, `SELECT ${CARD_PARTS} FROM ${from}`).get({ value });
  return found && filledCard(found);
}

/**
 * Cards in the order of the ids (the outer loop of a cross join), without unknown and hidden channels.
 * SQLite joins them into one text, which is cheaper than reading a row for each.
 */
export function selectCards(db: Database, ids: readonly number[]): JsonText<CardView[]> {
  const sql = `SELECT CAST(group_concat(${CARD_JSON}, ',') AS BLOB) AS cards
    FROM json_each(?) given CROSS JOIN public_cards p ON p.id = given.value
      CROSS JOIN channels c ON c.id = p.id`;
  const found = statement<{ cards: Buffer | null }>(db, sql).get(JSON.stringify(ids));
  return listTextOf(found?.cards ?? null);
}

/**
 * Reads the database pages of the next `CHANNELS_PER_TURN` cards after a number (read-ahead.ts).
 * @returns number of the last one; null if none is left
 */
export function readCardsAhead(db: Database, afterId: number): number | null {
  const sql = `SELECT max(id) AS id FROM (
    SELECT p.id FROM public_cards p ${NUMBERS} WHERE p.id > ? ORDER BY p.id LIMIT ?)`;
  const read = statement<{ id: number | null }>(db, sql);
  return read.get(afterId, CHANNELS_PER_TURN)?.id ?? null;
}

/** A handle as given, in any case, and the channel that has it. */
export interface HandleOwner {
  handle: string;
  id: number;
}

/** Public channels by current or former handle; handles that no channel ever had are omitted. */
export function selectIdsByHandle(db: Database, handles: readonly string[]): HandleOwner[] {
  const sql = `SELECT given.value AS handle, c.id
    FROM json_each(?) given
    CROSS JOIN channels c ON c.id = ${idOfHandle("given.value")}
    WHERE c.is_public = 1`;
  return statement<HandleOwner>(db, sql).all(JSON.stringify(handles));
}

/** The highest numbers of public channels. */
export function selectNewest(db: Database, limit: number): number[] {
  const sql = "SELECT id FROM public_cards ORDER BY id DESC LIMIT ?";
  return statement(db, sql).pluck<number>().all(limit);
}

export function selectPublicId(db: Database, reference: ChannelReference): number | null {
  if (reference.kind === "nothing") return null;
  const [id, value] = idAndValue(reference);
  const sql = `SELECT c.id FROM channels c WHERE c.id = ${id} AND c.is_public = 1`;
  return statement<{ id: number }>(db, sql).get({ value })?.id ?? null;
}

export function selectId(db: Database, reference: ChannelReference): number | null {
  if (reference.kind === "nothing") return null;
  const [id, value] = idAndValue(reference);
  const sql = `SELECT k.id FROM channel_cards k WHERE k.id = ${id}`;
  return statement<{ id: number }>(db, sql).get({ value })?.id ?? null;
}

/** SQL of the id that a reference names, and the value to bind for `@value`. */
function idAndValue(
  reference: Exclude<ChannelReference, { kind: "nothing" }>,
): [id: string, value: number | string] {
  switch (reference.kind) {
    case "id":
      return ["@value", reference.id];
    case "handle":
      return [idOfHandle("@value"), reference.handle];
    case "messengerId":
      return [idOfMessengerId("@value"), reference.messengerId];
  }
}

export function createIsPublic(db: Database): (id: number) => boolean {
  const find = statement(db, "SELECT id FROM channels WHERE id = ? AND is_public = 1");
  return (id) => find.get(id) !== undefined;
}

/**
 * Looks up channel ids for imports, public or not. Most imported rows are new, and finding out that an id
 * does not exist costs a quarter of looking up a whole record.
 */
export function createChannelIds(db: Database) {
  const byId = statement<{ id: number }>(db, "SELECT id FROM channel_cards WHERE id = ?");
  const byMessengerId = statement<{ id: number }>(
    db,
    "SELECT id FROM channel_cards WHERE msgr_id = ?",
  );
  const byHandle = statement<{ id: number }>(db, "SELECT id FROM channel_cards WHERE handle = ?");
  const removed = statement(db, "SELECT 1 FROM removed_channels WHERE id = ?");
  const byHandleEver = statement<{ id: number | null }>(db, `SELECT ${idOfHandle("@value")} AS id`);
  const nextNumber = statement<{ id: number }>(
    db,
    `SELECT max(coalesce((SELECT max(id) FROM channels), 0),
       coalesce((SELECT max(id) FROM removed_channels), 0)) + 1 AS id`,
  );
  return {
    byId: (id: number): number | undefined => byId.get(id)?.id,
    byMessengerId: (messengerId: string): number | undefined => byMessengerId.get(messengerId)?.id,
    byHandle: (handle: string): number | undefined => byHandle.get(handle)?.id,
    /** The channel that has the handle, or had it last. */
    byHandleEver: (handle: string): number | undefined =>
      byHandleEver.get({ value: handle })?.id ?? undefined,
    wasRemoved: (id: number): boolean => removed.get(id) !== undefined,
    /** A number that no channel has ever had. */
    nextNumber: (): number => nextNumber.get()?.id ?? 1,
  };
}

/** A channel's numbers that change daily; they are not part of its stored card or search text. */
const NUMBERS_CHANGED = ["subscribers", "subscribers_at", "last_post_at"] as const;
type ChannelNumbers = Pick<ChannelRecord, "id" | (typeof NUMBERS_CHANGED)[number]>;

/** Runs inside the caller's transactions. */
export function createChannelNumbers(db: Database) {
  const find = statement<ChannelNumbers>(
    db,
    `SELECT id, ${NUMBERS_CHANGED.join(", ")} FROM channels WHERE id = ?`,
  );
  return {
    find: (id: number): ChannelNumbers | undefined => find.get(id),

    /**
     * Sets only columns that differ: SQLite rewrites a column's index even if the value is the same.
     * @returns false if nothing differs
     */
    update(now: ChannelNumbers, stored: ChannelNumbers): boolean {
      const changed = NUMBERS_CHANGED.filter((name) => now[name] !== stored[name]);
      if (changed.length > 0) statement(db, updateSql("channels", changed)).run(now);
      return changed.length > 0;
    },
  };
}

/**
 * Returns a function that moves a channel's time of the last post forward, never back; for imports, inside
 * the caller's transactions.
 */
export function createLastPosts(db: Database) {
  const sql = `UPDATE channels SET last_post_at = @publishedAt
    WHERE id = @channelId AND (last_post_at IS NULL OR last_post_at < @publishedAt)`;
  const move = statement(db, sql);
  return (channelId: number, publishedAt: number): void => {
    move.run({ channelId, publishedAt });
  };
}

/** Channels, public or not, in the order of their numbers, above `afterId`; read row by row. */
export function recordsAfter(
  db: Database,
  afterId: number,
  limit: number,
): Iterable<ChannelRecord> {
  const sql = `SELECT ${CHANNEL_COLUMNS} FROM channels c CROSS JOIN channel_cards k ON k.id = c.id
    WHERE c.id > ? ORDER BY c.id LIMIT ?`;
  return statement<ChannelRecord>(db, sql).iterate(afterId, limit);
}

/** The next ids above `afterId`, ascending, of channels in the territories. */
export function channelsInTerritories(
  db: Database,
  slugs: readonly string[],
  afterId: number,
  limit: number,
): number[] {
  const sql = `SELECT id FROM channel_cards
    WHERE territory IN (SELECT value FROM json_each(?)) AND id > ? ORDER BY id LIMIT ?`;
  return statement<{ id: number }>(db, sql)
    .all(JSON.stringify(slugs), afterId, limit)
    .map(({ id }) => id);
}

export function categoriesInUse(db: Database): Set<string> {
  const sql = "SELECT DISTINCT category, categories FROM channel_cards";
  const rows = statement<Pick<ChannelRecord, "category" | "categories">>(db, sql).all();
  return new Set(rows.flatMap(categorySlugs));
}

export function territoriesInUse(db: Database): Set<string> {
  const sql = "SELECT DISTINCT territory FROM channel_cards WHERE territory IS NOT NULL";
  const rows = statement<{ territory: string }>(db, sql).all();
  return new Set(rows.map(({ territory }) => territory));
}

/** Primary and additional categories, without duplicates. */
export function categorySlugs({
  category,
  categories,
}: Pick<ChannelRecord, "category" | "categories">): string[] {
  return [...new Set([...(category === null ? [] : [category]), ...splitBySpaces(categories)])];
}
