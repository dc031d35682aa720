import { type Database, statement } from "../../db/database.ts";

/** The lower bits of a place are the channel's id. */
const ID_BITS = 53;
const STEP_BASE = 900;
const STEPS_PER_DIGIT = 50;

/**
 * The search index has channels in the order of their places: a place is a step, then the id. A step is
 * all channels of about one size, and bigger channels are in lower steps.
 * @param subscribers a whole number
 * @returns the step of a channel with so many subscribers. The column `place` is made by the same rule
 *   (migration 006), so it changes only by another migration.
 */
export function stepOf(subscribers: number): number {
  // A filter may ask for a negative number of subscribers.
  const digits = String(Math.max(0, subscribers));
  const firstTwo = Number(`${digits}0`.slice(0, 2));
  return STEP_BASE - digits.length * STEPS_PER_DIGIT - Math.floor(firstTwo / 2);
}

/** SQL: the place of an id in a step; without an id the beginning of the step. */
export function placeAt(step: string, id = "0"): string {
  // The driver gives numbers as REAL: a sum with one would not be exact.
  return `((${step} << ${ID_BITS}) + CAST(${id} AS INTEGER))`;
}

/** SQL: the step of a place. */
export function stepAt(place: string): string {
  return `(${place} >> ${ID_BITS})`;
}

/** SQL: the channel at a place. */
export function idAt(place: string): string {
  return `(${place} & ((1 << ${ID_BITS}) - 1))`;
}

/**
 * Brings the search index up to the table of channels; `write` belongs into the transaction that changed
 * the channels.
 */
export function createSearchIndex(db: Database) {
  // A place does not fit into a number of JavaScript, so it comes and goes as a text.
  const entry = statement<{ place: string; text: string }>(
    db,
    `SELECT CAST(place AS TEXT) AS place, search_text AS text FROM channels
     WHERE id = ? AND is_public = 1`,
  );
  const remove = statement(
    db,
    `DELETE FROM channel_search
     WHERE rowid IN (SELECT CAST(value AS INTEGER) FROM json_each(?))`,
  );
  const add = statement(
    db,
    `INSERT INTO channel_search (rowid, search_text)
     SELECT place, search_text FROM channels
     WHERE is_public = 1 AND id IN (SELECT value FROM json_each(?)) ORDER BY place`,
  );
  /** The entries that the index had of channels before this transaction wrote them. */
  const had = new Map<number, { place: string; text: string } | undefined>();

  return {
    inserted: (id: number): void => void had.set(id, undefined),

    /** To be called before the channel is written. */
    updating(id: number): void {
      if (!had.has(id)) had.set(id, entry.get(id));
    },

    /** Writes the entries that changed, in the order of places. */
    write(): void {
      const ids: number[] = [];
      const places: string[] = [];
      for (const [id, before] of had) {
        const now = before === undefined ? undefined : entry.get(id);
        if (before !== undefined && before.place === now?.place && before.text === now.text)
          continue;
        ids.push(id);
        if (before !== undefined) places.push(before.place);
      }
      had.clear();
      if (ids.length === 0) return;
      remove.run(JSON.stringify(places));
      add.run(JSON.stringify(ids));
    },
  };
}
