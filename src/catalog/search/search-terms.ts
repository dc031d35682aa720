import { type Database, statement } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";

/** A trigram is counted from this number of channels on. */
const COUNTED_MIN = 500;
/** Under this trigram stands the number of all public channels. */
const EMPTY = "";

/** Candidates that are looked at in one go. With more, another plan or expression takes over. */
export const CANDIDATES_MAX = 4_200;

/**
 * Entries of the index that are read in the time in which one candidate is looked at. All entries of a
 * term are read, from end to end.
 */
const ENTRIES_PER_LOOK = 250;
/**
 * How many entries a further term of the cheap expression may have, by the candidates so far. Such a term
 * is taken to spare half of them or more, and each too many costs a look.
 */
const ENTRIES_PER_CANDIDATE = 50;
const ENTRIES_PER_TERM = 200_000;
const ENTRIES_MAX = 600_000;
/** The share of the candidates that a trigram leaves which overlaps another. */
const OVERLAPPING_SHARE = 0.25;

/** A term of the index that a search text must have. */
export interface Term {
  text: string;
  /** Where it begins in the text that is searched; null for a facet. */
  at: number | null;
}

/** An expression for the index that each match satisfies. */
export interface Expression {
  match: string;
  terms: readonly string[];
  /** About how many channels satisfy it. */
  candidates: number;
  /** The cost of reading the index for it, in looks at a candidate. */
  reading: number;
  /** About how many channels the index has. */
  channels: number;
}

/**
 * Expressions for the index. The cheap one has the rarest terms, as long as one more costs less than the
 * candidates that it spares. The thorough one has all terms that are worth reading; it is left out where
 * it would be the same. Terms that the index is not asked for are tested on the candidates.
 */
export function expressionsOf(db: Database, terms: readonly Term[]): Expression[] {
  if (terms.length === 0) return [];
  const counts = countsOf(db, terms);
  const count = ({ text }: Term): number => counts.get(text) ?? COUNTED_MIN;
  const total = counts.get(EMPTY) ?? COUNTED_MIN;
  const sorted = terms.toSorted((one, other) => count(one) - count(other));
  const first: Term[] = [];
  const others: Term[] = [];
  let entries = 0;
  let candidates = total;
  /** Channels that the first and the other terms together may leave. */
  let fewest = total;
  for (const term of sorted) {
    if ([...first, ...others].some((taken) => overlap(taken, term))) continue;
    const share = Math.min(1, count(term) / total);
    const entriesMax =
      candidates > CANDIDATES_MAX / 2 ? ENTRIES_PER_TERM : candidates * ENTRIES_PER_CANDIDATE;
    if (first.length === 0 || (others.length === 0 && count(term) <= entriesMax)) {
      first.push(term);
      candidates *= share;
    } else if (entries + count(term) <= ENTRIES_MAX) {
      others.push(term);
    } else {
      continue;
    }
    entries += count(term);
    fewest *= share;
  }
  // Terms that overlap a taken one spare little, but may be all there is.
  const isEnough = others.length > 0 && fewest < CANDIDATES_MAX / 4;
  for (const term of isEnough ? [] : sorted) {
    const isTaken = first.includes(term) || others.includes(term);
    if (isTaken || entries + count(term) > ENTRIES_MAX) continue;
    others.push(term);
    entries += count(term);
    fewest *= OVERLAPPING_SHARE;
  }
  const expression = (asked: Term[], left: number): Expression => ({
    match: toMatch(asked),
    terms: asked.map(({ text }) => text),
    candidates: left,
    reading: sum(asked.map(count)) / ENTRIES_PER_LOOK,
    channels: total,
  });
  const cheap = expression(first, candidates);
  const thorough = expression([...first, ...others], fewest);
  return others.length > 0 ? [cheap, thorough] : [cheap];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Trigrams that have characters of the text in common mostly stand in the same channels. */
function overlap(one: Term, other: Term): boolean {
  return one.at !== null && other.at !== null && Math.abs(one.at - other.at) < 3;
}

function toMatch(terms: readonly Term[]): string {
  return terms.map(({ text }) => `"${text.replaceAll('"', '""')}"`).join(" AND ");
}

function countsOf(db: Database, terms: readonly Term[]): Map<string, number> {
  const rows = statement<{ trigram: string; channels: number }>(
    db,
    `SELECT trigram, channels FROM search_trigrams
     WHERE trigram IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify([EMPTY, ...terms.map(({ text }) => text)]));
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
  const all = statement<{ n: number }>(db, "SELECT count(*) AS n FROM channel_search").get();
  const counts = [...counted, { term: EMPTY, doc: all?.n ?? 0 }];
  await inTransaction(db, clock, "count-trigrams", () => {
    statement(db, "DELETE FROM search_trigrams").run();
    statement(
      db,
      `INSERT INTO search_trigrams (trigram, channels)
       SELECT value ->> 'term', value ->> 'doc' FROM json_each(?)`,
    ).run(JSON.stringify(counts));
  });
}
