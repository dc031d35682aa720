import { statSync } from "node:fs";
import { type Database, statement } from "./database.ts";
import { WITHIN_DEADLINE } from "./deadline.ts";
import { schemaVersion } from "./migrate.ts";

export interface DatabaseFacts extends DatabaseSize {
  schemaVersion: number;
  sqliteVersion: string;
  /** A search reads each of them: the nightly job merges them into one. */
  searchSegments: number;
  tables: TableFacts[];
}

interface DatabaseSize {
  fileBytes: number;
  walBytes: number;
  pageBytes: number;
  pages: number;
  /** Pages of the file that hold nothing, and are used before it grows. */
  freePages: number;
}

interface TableFacts {
  name: string;
  rows: number;
  /** True where there are more than were counted. */
  isMore: boolean;
}

const TABLES = [
  "organizations",
  "members",
  "keys",
  "people",
  "categories",
  "territories",
  "channels",
  "daily_statistics",
  "posts",
  "webhooks",
  "webhook_deliveries",
  "mails",
  "audit_log",
];

/** SQLite has no number of rows at hand: it counts them one by one, some ten million a second. */
const COUNTED_MAX = 1_000_000;

/** Numbers of the search index's segments, walked from one to the next: the index has a row for each page. */
const SEARCH_SEGMENTS = `
  WITH RECURSIVE segment (id) AS (
    SELECT min(segid) FROM channel_search_idx
    UNION ALL
    SELECT (SELECT min(segid) FROM channel_search_idx WHERE segid > segment.id)
    FROM segment WHERE segment.id IS NOT NULL
  )
  SELECT count(id) AS n FROM segment`;

/** How large the database is and what is in it, for staff. Runs under the deadline. */
export function readDatabaseFacts(db: Database): DatabaseFacts {
  return {
    ...readDatabaseSize(db),
    schemaVersion: schemaVersion(db),
    sqliteVersion: text(db, "SELECT sqlite_version() AS value"),
    searchSegments: number(db, SEARCH_SEGMENTS),
    tables: TABLES.map((name) => tableFacts(db, name)),
  };
}

/** How large the database is: at hand, whatever is in it. */
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

function tableFacts(db: Database, name: string): TableFacts {
  const some = `SELECT 1 FROM ${name} WHERE ${WITHIN_DEADLINE} LIMIT ${COUNTED_MAX + 1}`;
  const rows = number(db, `SELECT count(*) AS n FROM (${some})`);
  return { name, rows: Math.min(rows, COUNTED_MAX), isMore: rows > COUNTED_MAX };
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
