import { type Database, statement } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";

/** Trigrams with fewer channels are not counted. */
const COUNTED_MIN = 500;
/** Most terms in an expression: with four, texts of frequent trigrams took twice as long. */
const TERMS_MAX = 8;
/** Index entries to read for one more term: a few milliseconds. */
const ENTRIES_MAX = 600_000;

/** An index expression that every match satisfies. */
export interface Expression {
  match: string;
  terms: readonly { text: string; channels: number }[];
}

/**
 * The expression to look up: the rarest terms that a search text must contain. The remaining terms are
 * tested on the candidates. Null if there are no terms.
 */
export function expressionOf(db: Database, terms: readonly string[]): Expression | null {
  const counts = countsOf(db, terms);
  const [rarest, ...others] = [...new Set(terms)]
    .map((text) => ({ text, channels: counts.get(text) ?? COUNTED_MIN }))
    .sort((one, other) => one.channels - other.channels);
  if (rarest === undefined) return null;
  const worthReading = others.filter(({ channels }) => channels <= ENTRIES_MAX);
  const taken = [rarest, ...worthReading].slice(0, TERMS_MAX);
  return {
    match: taken.map(({ text }) => `"${text.replaceAll('"', '""')}"`).join(" AND "),
    terms: taken,
  };
}

function countsOf(db: Database, terms: readonly string[]): Map<string, number> {
  const rows = statement<{ trigram: string; channels: number }>(
    db,
    `SELECT trigram, channels FROM search_trigrams
     WHERE trigram IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(terms));
  return new Map(rows.map(({ trigram, channels }) => [trigram, channels]));
}

/**
 * Recounts trigrams: reads the index, which takes some seconds at a million channels, then writes at once.
 */
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
