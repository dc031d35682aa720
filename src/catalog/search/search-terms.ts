import { type Database, statement } from "../../db/database.ts";
import { mergePages } from "../../db/meta.ts";
import { inParts, inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SearchedText } from "../channels/search-text.ts";

/** Trigrams of fewer channels are not stored with their count. */
export const COUNTED_MIN = 500;
/** Limit for terms in an expression. */
const TERMS_MAX = 8;

/**
 * Number of written search texts from which an import, or a node that copied them, optimizes the search index; for
 * fewer the nightly job does, because counting terms takes the same time however few there are.
 */
export const TEXTS_MANY = 1_000;

/** An index expression that every match satisfies. */
export interface Expression {
  match: string;
  /** About how many channels have the text, if its pieces are found independently of each other. */
  channels: number;
  /** How many entries of the index are read. */
  entries: number;
}

/**
 * The expression to look up: the rarest terms that a search text must contain. Texts are read to test the
 * others.
 * @param most further terms that more channels have are left out
 * @param apart of terms of one piece that begin less than this apart, the rarest is taken
 * @param all how many channels there are
 * @returns an empty one if there are no terms
 */
export function expressionOf(
  db: Database,
  pieces: SearchedText["pieces"],
  { most, apart, all }: { most: number; apart: number; all: number },
): Expression {
  const counts = new Map(
    termsByRarity(db, pieces.flat()).map(({ text, channels }) => [text, channels]),
  );
  const countOf = (text: string): number => counts.get(text) ?? 0;
  const terms = pieces
    .flatMap((piece, of) => piece.map((text, at) => ({ text, of, at, channels: countOf(text) })))
    .sort((one, other) => one.channels - other.channels);
  const chosen: typeof terms = [];
  for (const term of terms) {
    const isKnown = chosen.some(
      (one) => one.text === term.text || (one.of === term.of && Math.abs(one.at - term.at) < apart),
    );
    if (chosen.length === 0 || (!isKnown && term.channels <= most)) chosen.push(term);
    if (chosen.length === TERMS_MAX) break;
  }
  const shareOf = (piece: readonly string[]): number =>
    Math.min(1, Math.min(...piece.map(countOf)) / Math.max(1, all));
  return {
    match: chosen.map(({ text }) => quotedTerm(text)).join(" AND "),
    channels: pieces.reduce((part, piece) => part * shareOf(piece), all),
    entries: chosen.reduce((sum, { channels }) => sum + channels, 0),
  };
}

export function quotedTerm(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Distinct terms with about how many channels have them, the rarest first. */
export function termsByRarity(
  db: Database,
  terms: readonly string[],
): { text: string; channels: number }[] {
  const sql = `SELECT trigram, channels FROM search_trigrams
    WHERE trigram IN (SELECT value FROM json_each(?))`;
  const rows = statement<{ trigram: string; channels: number }>(db, sql).all(JSON.stringify(terms));
  const counts = new Map(rows.map(({ trigram, channels }) => [trigram, channels]));
  return [...new Set(terms)]
    .map((text) => ({ text, channels: counts.get(text) ?? COUNTED_MIN }))
    .sort((one, other) => one.channels - other.channels);
}

/**
 * Recounts the channels of trigrams. Reading the index takes some seconds at a million channels; the counts
 * are then replaced in one transaction.
 */
async function countTrigrams(db: Database, clock: Clock): Promise<void> {
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

/**
 * Index pages to merge per step: one or two milliseconds of the write lock. But all channels of a term are
 * merged at once, however few pages are requested: with 300,000 channels that took up to 23 ms on a busy
 * processor.
 */
const PAGES = 16;

/**
 * Merges the search index into one segment: after many changes it has some twenty, and searches are two to
 * three times slower. Then counts the channels of each trigram, by which a search chooses its way.
 */
export async function optimizeSearch(db: Database, clock: Clock): Promise<void> {
  // A negative number of pages starts a merge of all segments.
  await inTransaction(db, clock, "merge-search", () => mergePages(db, "channel_search", -PAGES));
  await mergeSearch(db, clock);
  await countTrigrams(db, clock);
}

/** Whether the index is one segment whose terms are counted, so that optimizing it would change nothing. */
export function isSearchOptimized(db: Database): boolean {
  const sql = `
    SELECT (SELECT min(segid) FROM channel_search_idx) = (SELECT max(segid) FROM channel_search_idx)
    AND EXISTS (SELECT 1 FROM search_trigrams)`;
  return statement(db, sql).pluck<0 | 1 | null>().get() === 1;
}

/**
 * How many changes of channels after a version may have written a search text (`what` 1), by whichever process.
 * @returns with the newest version
 */
export function textsWrittenSince(db: Database, version: number): { texts: number; until: number } {
  const sql =
    "SELECT count(*) FILTER (WHERE what = 1) AS texts, max(version) AS until FROM channel_changes WHERE version > ?";
  const row = statement<{ texts: number; until: number | null }>(db, sql).get(version);
  return { texts: row?.texts ?? 0, until: row?.until ?? version };
}

/**
 * Merges segments of the search index if there are many of similar size. Must be called after each
 * transaction that wrote to it. FTS5's own merging is off (schema.sql), because it runs inside that
 * transaction, where a large merge held the lock for 60 to 90 ms.
 */
export async function mergeSearch(db: Database, clock: Clock): Promise<void> {
  await inParts(db, clock, "merge-search", () => mergePages(db, "channel_search", PAGES));
}
