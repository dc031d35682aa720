import { type Database, statement, type Transaction } from "../../db/database.ts";
import { mergePages } from "../../db/meta.ts";
import { dictionaryName } from "./dictionary/lemmas.ts";
import { monthRows } from "./index-text.ts";

/** The part of the index with the posts of one Moscow month: a contentless FTS5 table of its own. */
export interface Part {
  /** Names its table. */
  id: number;
  /** Its rows of `searched_posts`, the end exclusive. */
  first_row: number;
  end_row: number;
  /** `read` by searches; being `building` to take the place of one that is; `leaving`, to be dropped. */
  state: "building" | "read" | "leaving";
  /** While building: rows up to it are in. */
  after_row: number;
  dictionary: string;
  is_due: 0 | 1;
}

export const tableOf = ({ id }: Pick<Part, "id">): string => `post_search_${id}`;

/** Whether it was made with another dictionary, so that queries may not find its words. */
export const isOutdated = ({ dictionary }: Part): boolean => dictionary !== dictionaryName();

/** Whether another is to be built in its place. */
export const isToBeRenewed = (part: Part): boolean =>
  part.state === "read" && (part.is_due === 1 || isOutdated(part));

/** All parts, newest first. */
export function selectParts(db: Database): Part[] {
  return statement<Part>(
    db,
    `SELECT id, first_row, end_row, state, after_row, dictionary, is_due
     FROM post_search_parts ORDER BY first_row DESC, id`,
  ).all();
}

/** Columns of their own for facets would cost two bytes an entry. Merged in short transactions. */
const TABLE = (name: string): string => `
  CREATE VIRTUAL TABLE ${name} USING fts5 (
    tokens, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '#@_/+.'"
  );
  INSERT INTO ${name} (${name}, rank) VALUES ('automerge', 0);
  INSERT INTO ${name} (${name}, rank) VALUES ('crisismerge', 400);
  INSERT INTO ${name} (${name}, rank) VALUES ('usermerge', 8);`;

const TRIGGER = (name: string, { first_row, end_row }: Part): string => `
  CREATE TRIGGER ${name}_gone AFTER DELETE ON searched_posts
  WHEN old.row >= ${first_row} AND old.row < ${end_row} BEGIN
    DELETE FROM ${name} WHERE rowid = old.row;
  END;`;

/** Adds an empty part for the month of a row. */
export function createPart(db: Database, row: number, state: "building" | "read"): Part {
  const { first, end } = monthRows(row);
  const part = statement<Part>(
    db,
    `INSERT INTO post_search_parts (first_row, end_row, state, after_row, dictionary)
     VALUES (?, ?, ?, ?, ?)
     RETURNING id, first_row, end_row, state, after_row, dictionary, is_due`,
  ).get(first, end, state, first - 1, dictionaryName()) as Part;
  const name = tableOf(part);
  db.exec(TABLE(name) + TRIGGER(name, part));
  return part;
}

/** Takes a part from searches. Its rows no longer follow deletions. */
export function letGo(db: Transaction, part: Part): void {
  statement(db, "UPDATE post_search_parts SET state = 'leaving' WHERE id = ?").run(part.id);
  db.exec(`DROP TRIGGER ${tableOf(part)}_gone`);
}

/** Takes the parts of months before a row from searches. @returns whether there were any */
export function letGoBefore(tx: Transaction, row: number): boolean {
  const old = selectParts(tx).filter((part) => part.state !== "leaving" && part.end_row <= row);
  for (const part of old) letGo(tx, part);
  return old.length > 0;
}

/** Puts a part that is complete in the place of the one that was read. */
export function swap(tx: Transaction, built: Part): void {
  for (const part of selectParts(tx)) {
    if (part.state === "read" && part.first_row === built.first_row) letGo(tx, part);
  }
  statement(tx, "UPDATE post_search_parts SET state = 'read' WHERE id = ?").run(built.id);
}

export function updateAfterRow(tx: Transaction, { id }: Part, row: number): void {
  statement(tx, "UPDATE post_search_parts SET after_row = ? WHERE id = ?").run(row, id);
}

/** Has all parts built anew; what was being built so far is not used. */
export function markAllDue(tx: Transaction): void {
  for (const part of selectParts(tx)) if (part.state === "building") letGo(tx, part);
  statement(tx, "UPDATE post_search_parts SET is_due = 1").run();
}

/** Rows 1 and 10 of FTS5's data describe its structure; all others are its pages. */
const DATA_FIRST = 11;

/**
 * A part's tables with their keys, and how many rows to remove in one step: FTS5 would empty itself in one
 * go, holding the lock for seconds.
 */
const CLEARED = [
  ["docsize", "id", 1_000],
  ["idx", "segid, term", 500],
  // Pages of 4 KB.
  ["data", "id", 100],
] as const;

/** Removes some of a part that is leaving, and in the end its table. */
export function dropSome(db: Transaction, part: Part): void {
  const name = tableOf(part);
  const hadSome = db.changingShadowTables(() =>
    CLEARED.some(([table, key, rows]) => {
      const pages = table === "data" ? `WHERE id >= ${DATA_FIRST}` : "";
      const some = `SELECT ${key} FROM ${name}_${table} ${pages} ORDER BY ${key} LIMIT ${rows}`;
      return (
        db.prepare(`DELETE FROM ${name}_${table} WHERE (${key}) IN (${some})`).run().changes > 0
      );
    }),
  );
  if (hadSome) return;
  db.exec(`DROP TABLE ${name}`);
  statement(db, "DELETE FROM post_search_parts WHERE id = ?").run(part.id);
}

/** Merges some pages of each part's segments. */
export function mergeEachPart(tx: Transaction, pages: number): void {
  for (const part of selectParts(tx)) {
    if (part.state !== "leaving") mergePages(tx, tableOf(part), pages);
  }
}

/**
 * Pages merged per step: some 3 ms of the write lock. Each step also rewrites the rest of the segments it
 * merges: with 16 pages, merging took twice as long during an import.
 */
const MERGED_PAGES = 64;

/** @returns a function that merges segments of all parts, one step per call; false once nothing is left */
export function mergingOfParts(): (tx: Transaction) => boolean {
  let afterId = 0;
  return (tx) => {
    const part = statement<{ id: number }>(
      tx,
      `SELECT id FROM post_search_parts WHERE id > ? AND state <> 'leaving' ORDER BY id LIMIT 1`,
    ).get(afterId);
    if (part === undefined) return false;
    if (!mergePages(tx, tableOf(part), MERGED_PAGES)) afterId = part.id;
    return true;
  };
}

/** A part whose largest segment has less of its pages is merged: so a page is rewritten a few times at most. */
const OF_LARGEST_MIN = 0.75;

/** Parts of months that are over, most of which is not in one segment. */
export function scatteredParts(db: Database, thisMonth: number): Part[] {
  return selectParts(db).filter((part) => {
    if (part.state !== "read" || part.end_row > thisMonth) return false;
    const { largest, all } = statement<{ largest: number | null; all: number | null }>(
      db,
      `SELECT max(pages) AS largest, sum(pages) AS "all"
       FROM (SELECT count(*) AS pages FROM ${tableOf(part)}_idx GROUP BY segid)`,
    ).get() ?? { largest: null, all: null };
    return (largest ?? 0) < OF_LARGEST_MIN * (all ?? 0);
  });
}

/** @returns a function that merges all segments of a part, one step per call; false once it is done, or the part gone */
export function mergingOf(part: Part): (tx: Transaction) => boolean {
  // A negative number begins a merge of all segments.
  let pages = -MERGED_PAGES;
  return (tx) => {
    if (!selectParts(tx).some(({ id, state }) => id === part.id && state === "read")) return false;
    const isMore = mergePages(tx, tableOf(part), pages);
    pages = MERGED_PAGES;
    return isMore;
  };
}
