import { type Database, statement } from "../db/database.ts";

/** Bits of a place for the id. */
const ID_BITS = 53;
const STEPS = 900;
const STEPS_PER_DIGIT = 50;

/**
 * The index has channels by their places, which begin with a step: big channels have low ones. The same
 * rule as that of the column `place`.
 */
export function stepOf(subscribers: number): number {
  const digits = String(Math.max(0, subscribers));
  const firstTwo = Number(`${digits}0`.slice(0, 2));
  return STEPS - digits.length * STEPS_PER_DIGIT - Math.floor(firstTwo / 2);
}

/** SQL: the place of an id in a step; without one the step's beginning. */
export function placeAt(step: string, id = "0"): string {
  return `((${step} << ${ID_BITS}) + CAST(${id} AS INTEGER))`;
}

/** SQL: the channel at a place. */
export function idAt(place: string): string {
  return `(${place} & ${2 ** ID_BITS - 1})`;
}

/** SQL: the step of a place. */
export function stepAt(place: string): string {
  return `(${place} >> ${ID_BITS})`;
}

/** Past the last step. */
export const STEPS_END = STEPS + 1;

/**
 * Keeps the search index as the table of channels is. Calls come in transactions; what is noted in one
 * has to be written in it.
 */
export function createSearchIndex(db: Database) {
  // A place is larger than a number of JavaScript is exact.
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
  /** Channels to be written, with their places in the index; null for those that it does not have. */
  const changed = new Map<number, string | null>();

  return {
    /** Notes a channel that was inserted. */
    inserted: (id: number): void => void changed.set(id, null),

    /** Notes a channel that the work updates, where that matters to the index. */
    updating(id: number, work: () => void): void {
      const before = entry.get(id);
      work();
      const after = entry.get(id);
      if (before?.place === after?.place && before?.text === after?.text) return;
      if (!changed.has(id)) changed.set(id, before?.place ?? null);
    },

    /** Writes what was noted, in the order of places. */
    write(): void {
      if (changed.size === 0) return;
      const places = [...changed.values()].filter((place) => place !== null);
      if (places.length > 0) remove.run(JSON.stringify(places));
      add.run(JSON.stringify([...changed.keys()]));
      changed.clear();
    },
  };
}
