import { type Database, statement } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";

/** Trigrams that fewer channels have are not counted. */
const COUNTED_MIN = 500;
/** Its count is that of all public channels. */
const EMPTY = "";

/** More candidates are left to a thorough expression, or the page is found without any. */
export const CANDIDATES_MAX = 4_200;

/**
 * What the index has of a term is read from end to end: so many entries take as long as the look at one
 * candidate.
 */
const ENTRIES_PER_LOOK = 250;
/**
 * How many entries another term may have: half of the candidates, or more, are taken to be spared by
 * it, and a plan that finds too many candidates costs milliseconds.
 */
const ENTRIES_PER_CANDIDATE = 50;
const ENTRIES_PER_TERM = 200_000;
const ENTRIES_MAX = 600_000;
/** Of the candidates, which a trigram leaves that overlaps another. */
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
  /** What is read of the index for it takes as long as the look at so many candidates. */
  reading: number;
  /** About how many channels the index has. */
  channels: number;
}

/**
 * Ways to ask the index, cheap ones first: for the rarest terms, as long as another costs less than the
 * candidates that it leaves out; then for all that may be read. What is not asked of the index is tested
 * on the candidates.
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
  /** How many all of them together may leave. */
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
  // What overlaps leaves out little, but may be all there is.
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
