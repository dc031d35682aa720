import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";

/** Limit for the former handles on a card. */
const SHOWN_MAX = 20;

export interface FormerHandle {
  handle: string;
  /** When it was given up; null if unknown. */
  givenUpAt: number | null;
}

interface HandleChange {
  before: string | null;
  after: string | null;
  /** Additional former handles that a file lists, newest first. */
  listed: readonly FormerHandle[];
}

/** Stores the handles that channels had before, inside the caller's transactions. */
export function createFormerHandles(db: Database) {
  const giveUp = statement(
    db,
    `INSERT INTO former_handles (channel_id, handle, given_up_at)
     VALUES (@channelId, @handle, @now)`,
  );
  const add = statement(
    db,
    `INSERT OR IGNORE INTO former_handles (channel_id, handle, given_up_at)
     VALUES (@channelId, @handle, @givenUpAt)`,
  );
  const takeBack = statement(
    db,
    "DELETE FROM former_handles WHERE handle = @handle AND channel_id = @channelId",
  );
  const has = statement(
    db,
    "SELECT 1 FROM former_handles WHERE handle = @handle AND channel_id = @channelId",
  );
  const newest = statement<{ handle: string }>(
    db,
    `SELECT handle FROM former_handles WHERE channel_id = @channelId
     ORDER BY given_up_at DESC, id DESC LIMIT ${SHOWN_MAX}`,
  );
  const move = statement(
    db,
    "UPDATE OR IGNORE former_handles SET channel_id = @intoId WHERE channel_id = @id",
  );
  const forget = statement(db, "DELETE FROM former_handles WHERE channel_id = @id");

  return {
    /** Moves a channel's former handles to another channel, or deletes them if that is null. */
    move(id: number, intoId: number | null): void {
      if (intoId !== null) move.run({ id, intoId });
      forget.run({ id });
    },

    unknown: (
      channelId: number,
      current: string | null,
      listed: readonly FormerHandle[],
    ): FormerHandle[] =>
      listed.filter(
        ({ handle }) =>
          !isSameHandle(handle, current) && has.get({ channelId, handle }) === undefined,
      ),

    /**
     * Records the handle that a channel gives up, and former handles that a file lists.
     * @returns the newest former handles, separated by spaces, as the column of the card stores them
     */
    record(channelId: number, { before, after, listed }: HandleChange, now: number): string {
      // Oldest first, so that later ones get larger numbers.
      for (const { handle, givenUpAt } of listed.toReversed()) {
        if (!isSameHandle(handle, after)) add.run({ channelId, handle, givenUpAt });
      }
      if (before !== null && !isSameHandle(before, after)) {
        // The channel may have given this handle up before; only the latest time counts.
        takeBack.run({ channelId, handle: before });
        giveUp.run({ channelId, handle: before, now });
      }
      if (after !== null) takeBack.run({ channelId, handle: after });
      return newest
        .all({ channelId })
        .map(({ handle }) => handle)
        .join(" ");
    },
  };
}

export function formerHandlesOf(db: Database, channelId: number): FormerHandle[] {
  const sql = `SELECT handle, given_up_at AS givenUpAt FROM former_handles WHERE channel_id = ?
    ORDER BY given_up_at DESC, id DESC`;
  return statement<FormerHandle>(db, sql).all(channelId);
}

/** Ignores letter case. */
export function isSameHandle(one: string | null, other: string | null): boolean {
  return one?.toLowerCase() === other?.toLowerCase();
}

/**
 * SQL: number of the channel, public or not, that has a handle, or else had it last. Null if no channel
 * ever had it, or the last one was deleted.
 * @param handle SQL expression of the handle
 */
export function idOfHandle(handle: string): string {
  return `coalesce(
    (SELECT k.id FROM channel_cards k WHERE k.handle = ${handle}),
    (SELECT f.channel_id FROM former_handles f WHERE f.handle = ${handle} AND NOT EXISTS (
       SELECT 1 FROM removed_channels r WHERE r.handle = ${handle} AND r.into_id IS NULL)
     ORDER BY f.given_up_at DESC, f.id DESC LIMIT 1))`;
}

/** Channels that are read at once; each has an address in each language, of which 50,000 make a site map. */
const HANDLES_PER_PART = 25_000;

/**
 * Numbers after which the parts of the list of all public channels begin, 25,000 channels in each.
 * @param partsMax most of them
 */
export function selectPartStarts(db: Database, partsMax: number): number[] {
  const sql = `SELECT id FROM channels WHERE id > ? AND is_public = 1 AND ${WITHIN_DEADLINE}
    ORDER BY id LIMIT 1 OFFSET ?`;
  const next = statement<{ id: number }>(db, sql);
  const starts = [0];
  while (starts.length < partsMax) {
    const found = next.get(starts.at(-1) ?? 0, HANDLES_PER_PART - 1);
    if (found === undefined) break;
    starts.push(found.id);
  }
  return starts;
}

export function selectPublicHandles(db: Database, afterId: number): string[] {
  const sql = `SELECT (SELECT handle FROM channel_cards WHERE id = c.id) AS handle FROM channels c
    WHERE c.id > ? AND c.is_public = 1 AND ${WITHIN_DEADLINE} ORDER BY c.id LIMIT ?`;
  return statement<{ handle: string | null }>(db, sql)
    .all(afterId, HANDLES_PER_PART)
    .flatMap(({ handle }) => (handle === null ? [] : [handle]));
}
