import { statSync } from "node:fs";
import { type Database, statement } from "./database.ts";
import { WITHIN_DEADLINE } from "./deadline.ts";
import { schemaVersion } from "./schema-version.ts";

export interface DatabaseFacts extends DatabaseSize {
  schemaVersion: number;
  sqliteVersion: string;
  /** Every search reads each segment; the nightly job merges them into one. */
  searchSegments: number;
  tables: TableFacts[];
}

interface DatabaseSize {
  fileBytes: number;
  walBytes: number;
  pageBytes: number;
  pages: number;
  /** Free pages in the file, which are reused before it grows. */
  freePages: number;
}

export interface TableFacts {
  name: string;
  rows: number;
  /** True if there are more than were counted. */
  isMore: boolean;
}

/** Limit for counting rows: SQLite stores no counts and visits some ten million rows a second. */
const COUNTED_MAX = 1_000_000;
/** The same where all tables are counted, some of which have wide rows. */
const COUNTED_OF_ALL_MAX = 100_000;

/** Counts the search index's segments by stepping from one to the next: the index has a row per page. */
const SEARCH_SEGMENTS = `
  WITH RECURSIVE segment (id) AS (
    SELECT min(segid) FROM channel_search_idx
    UNION ALL
    SELECT (SELECT min(segid) FROM channel_search_idx WHERE segid > segment.id)
    FROM segment WHERE segment.id IS NOT NULL
  )
  SELECT count(id) AS n FROM segment`;

/** Size and contents of the database, for staff. Runs under the deadline. */
export function readDatabaseFacts(db: Database): DatabaseFacts {
  return {
    ...readDatabaseSize(db),
    schemaVersion: schemaVersion(db),
    sqliteVersion: text(db, "SELECT sqlite_version() AS value"),
    searchSegments: number(db, SEARCH_SEGMENTS),
    tables: tableNames(db).map((name) => tableFacts(db, name, COUNTED_OF_ALL_MAX)),
  };
}

/** Size of the database, which is read at once whatever it contains. */
export function readDatabaseSize(db: Database): DatabaseSize {
  const pragma = (name: string): number => db.pragmaValue(name) as number;
  const { path, isInMemory } = db;
  const [pages, pageBytes] = [pragma("page_count"), pragma("page_size")];
  return {
    fileBytes: isInMemory ? pages * pageBytes : bytesOf(path),
    walBytes: isInMemory ? 0 : bytesOf(`${path}-wal`),
    pageBytes,
    pages,
    freePages: pragma("freelist_count"),
  };
}

/** All tables, by name, without those that SQLite and FTS5 create themselves. */
export function tableNames(db: Database): string[] {
  return db
    .pragma<{ schema: string; name: string; type: string }>("table_list")
    .filter(({ schema, name, type }) => {
      return schema === "main" && /^(?:table|virtual)$/.test(type) && !name.startsWith("sqlite_");
    })
    .map(({ name }) => name)
    .sort();
}

/** Rows of some tables. Runs under the deadline. */
export function countRows(db: Database, names: readonly string[]): TableFacts[] {
  return names.map((name) => tableFacts(db, name, COUNTED_MAX));
}

function tableFacts(db: Database, name: string, rowsMax: number): TableFacts {
  const some = `SELECT 1 FROM ${name} WHERE ${WITHIN_DEADLINE} LIMIT ${rowsMax + 1}`;
  const rows = number(db, `SELECT count(*) AS n FROM (${some})`);
  return { name, rows: Math.min(rows, rowsMax), isMore: rows > rowsMax };
}

function number(db: Database, sql: string): number {
  return statement<{ n: number }>(db, sql).get()?.n ?? 0;
}

function text(db: Database, sql: string): string {
  return statement<{ value: string }>(db, sql).get()?.value ?? "";
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
