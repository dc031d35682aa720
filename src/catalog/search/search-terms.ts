import { type Database, statement } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";

/** A trigram is counted from this number of channels on. */
const COUNTED_MIN = 500;
/** Terms in an expression at the most: with four, twice as long for texts of common trigrams. */
const TERMS_MAX = 8;
/** Entries of the index that are read for one more term: some milliseconds. */
const ENTRIES_MAX = 600_000;

/** A term of the index that a search text must have. */
export interface Term {
  text: string;
  /** Where it begins in the text that is searched; null for a facet. */
  at: number | null;
}

/** An expression for the index that each match satisfies. */
export interface Expression {
  match: string;
  terms: readonly { text: string; channels: number }[];
}

/**
 * The expression that the index is asked for: the rarest terms, at first those that have no characters of
 * the text in common, since others mostly stand in the same channels. Terms that are left out are tested
 * on the candidates. Null where nothing is searched.
 */
export function expressionOf(db: Database, terms: readonly Term[]): Expression | null {
  const counts = countsOf(db, terms);
  const counted = terms
    .map((term) => ({ ...term, channels: counts.get(term.text) ?? COUNTED_MIN }))
    .sort((one, other) => one.channels - other.channels);
  const [rarest, ...others] = counted;
  if (rarest === undefined) return null;
  const taken = [rarest];
  const worthReading = others.filter(({ channels }) => channels <= ENTRIES_MAX);
  for (const mayOverlap of [false, true]) {
    for (const term of worthReading) {
      if (taken.length === TERMS_MAX) break;
      if (taken.includes(term) || (!mayOverlap && taken.some((one) => overlap(one, term))))
        continue;
      taken.push(term);
    }
  }
  return {
    match: taken.map(({ text }) => `"${text.replaceAll('"', '""')}"`).join(" AND "),
    terms: taken.map(({ text, channels }) => ({ text, channels })),
  };
}

/** Trigrams that have characters of the text in common mostly stand in the same channels. */
function overlap(one: Term, other: Term): boolean {
  return one.at !== null && other.at !== null && Math.abs(one.at - other.at) < 3;
}

function countsOf(db: Database, terms: readonly Term[]): Map<string, number> {
  const rows = statement<{ trigram: string; channels: number }>(
    db,
    `SELECT trigram, channels FROM search_trigrams
     WHERE trigram IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(terms.map(({ text }) => text)));
  return new Map(rows.map(({ trigram, channels }) => [trigram, channels]));
}

/** Counts trigrams anew. Reads the index, some seconds at a million channels, then writes at once. */
export async function countTrigrams(db: Database, clock: Clock): Promise<void> {
  db.exec(
    `CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_vocabulary
     USING fts5vocab('main', 'channel_search', 'row')`,
  );
  const counted = statement<{ term: string; doc: number }>(
    db,
    "SELECT term, doc FROM temp.search_vocabulary WHERE doc >= ?",
  ).all(COUNTED_MIN);
  await inTransaction(db, clock, "count-trigrams", () => {
    statement(db, "DELETE FROM search_trigrams").run();
    statement(
      db,
      `INSERT INTO search_trigrams (trigram, channels)
       SELECT value ->> 'term', value ->> 'doc' FROM json_each(?)`,
    ).run(JSON.stringify(counted));
  });
}
