import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { System } from "../../ports/system.ts";
import { type Database, statement } from "../database.ts";
import { WITHIN_DEADLINE } from "../deadline.ts";
import { SCHEMA_VERSION, schemaVersion } from "../schema-version.ts";

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
  const pages = pragma("page_count");
  const pageBytes = pragma("page_size");
  return {
    fileBytes: isInMemory ? pages * pageBytes : bytesOf(path),
    walBytes: isInMemory ? 0 : bytesOf(`${path}-wal`),
    pageBytes,
    pages,
    freePages: pragma("freelist_count"),
  };
}

/** Tables of the parts of the post index, which follow its months. */
const PART_OF_INDEX = /^post_search_\d+$/;

/** All tables of the schema, by name, without those that SQLite and FTS5 create themselves. */
export function tableNames(db: Database): string[] {
  return db
    .pragma<{ schema: string; name: string; type: string }>("table_list")
    .filter(({ schema, name, type }) => {
      const isOwn = !name.startsWith("sqlite_") && !PART_OF_INDEX.test(name);
      return schema === "main" && /^(?:table|virtual)$/.test(type) && isOwn;
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

/** With less free space, an import or a long transaction may fill the volume at any moment. */
const FREE_MIN_MIB = 64;
const MIB = 1024 * 1024;

/**
 * Checks whether the database can serve: each returns a sentence about what is wrong, or null. They use the
 * given connection, so that none waits behind somebody's query.
 */
export function databaseChecks(db: Database, system: Pick<System, "freeBytes">) {
  return {
    database: (): string | null =>
      versionOf(db) === null ? "The database does not answer." : null,

    migrations: (): string | null => {
      const version = versionOf(db);
      if (version === null || version === SCHEMA_VERSION) return null;
      return (
        `The database has schema version ${version}, this program needs ${SCHEMA_VERSION}: ` +
        "restart the program that is installed."
      );
    },

    disk: async (): Promise<string | null> => {
      const free = await freeDiskBytes(db, system);
      if (free === null || free >= FREE_MIN_MIB * MIB) return null;
      return `Less than ${FREE_MIN_MIB} MiB are free on the database's volume.`;
    },
  };
}

/** Free bytes on the file's volume; null for an in-memory database, or if the system does not tell. */
export async function freeDiskBytes(
  db: Database,
  system: Pick<System, "freeBytes">,
): Promise<number | null> {
  return db.isInMemory ? null : await system.freeBytes(dirname(db.path)).catch(() => null);
}

/** Schema version of the file; null if the database does not answer. */
function versionOf(db: Database): number | null {
  try {
    return schemaVersion(db);
  } catch {
    return null;
  }
}
