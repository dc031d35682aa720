import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { AppError } from "../errors.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import { message } from "../values/messages/messages.ts";
import { fileStamp } from "../values/moscow-time.ts";
import { type Database, statement } from "./database.ts";
import { writeCopy } from "./file/database-copy.ts";
import { realFile } from "./file/file-access.ts";
import { madeOnce } from "./lock.ts";
import { IN_MEMORY, openDatabase } from "./open-database.ts";
import schema from "./schema.sql" with { type: "text" };
import {
  FIRST_VERSION,
  MIGRATIONS,
  newestWith,
  requireKnownVersion,
  schemaVersion,
} from "./schema-version.ts";
import { inTransaction, type Wait } from "./transaction.ts";

/** Wait for the lock until the next look at whether another process has migrated the file. */
const LOOK: Wait = { maxMs: 250, rank: "single" };

interface Migration {
  /** Version of the file before; 0 for a new one. */
  from: number;
  /** Path of the copy made before migrating; null for a new file, or if nothing was migrated. */
  snapshot: string | null;
}

/**
 * Creates the schema in a new file, or migrates a file to this program's schema, in one transaction. A copy
 * is made first, under the same lock, so it holds exactly the state that is migrated.
 * @param migrations those of this program, unless a test has others
 * @throws AppError `conflict` if the file is newer than the program or older than the first release, or
 * another program's; `unavailable` if the copy cannot be written
 */
export async function migrate(
  db: Database,
  clock: Clock,
  migrations: readonly string[] = MIGRATIONS,
): Promise<Migration> {
  const to = newestWith(migrations);
  return madeOnce(
    clock,
    () => (schemaVersion(db) === to ? { from: to, snapshot: null } : null),
    async () => {
      db.pragma("foreign_keys = OFF");
      try {
        return await inTransaction(db, clock, "migrate", () => bring(db, clock, migrations), LOOK);
      } finally {
        db.pragma("foreign_keys = ON");
      }
    },
  );
}

function bring(db: Database, clock: Clock, migrations: readonly string[]): Migration {
  // Read again under the lock: another process may have migrated while this one waited.
  const from = schemaVersion(db);
  const to = newestWith(migrations);
  if (from !== 0) requireKnownVersion(db.path, from, to);
  else if (!isEmpty(db)) throw new AppError("conflict", message("databaseOfOtherProgram"));
  const needsSnapshot = from !== 0 && from < to && !db.isInMemory;
  const snapshot = needsSnapshot ? takeSnapshot(db.path, to, clock) : null;
  try {
    if (from === 0) db.exec(schema);
    for (const sql of migrations.slice(Math.max(0, from - FIRST_VERSION))) db.exec(sql);
    requireReferences(db);
    db.pragma(`user_version = ${to}`);
  } catch (error) {
    // The file is unchanged, so its copy is not needed; every failed start would leave another.
    if (snapshot !== null) rmSync(snapshot);
    throw error;
  }
  return { from, snapshot };
}

/** The schema of a file created by this program. */
export function expectedShape(): SchemaShape {
  using db = openDatabase(IN_MEMORY, systemClock);
  for (const sql of [schema, ...MIGRATIONS]) db.exec(sql);
  return shapeOf(db);
}

/** Checks all foreign keys after a migration, which ran without enforcing them. */
function requireReferences(db: Database): void {
  const [broken] = db.pragma<{ table: string; parent: string }>("foreign_key_check");
  if (broken === undefined) return;
  throw new Error(`a migration left rows of ${broken.table} without their ${broken.parent}`);
}

function isEmpty(db: Database): boolean {
  return statement(db, "SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

const SNAPSHOTS_KEPT = 2;
const SNAPSHOT_END = /^\.before-schema-\d+-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)$/;

/**
 * Copies a database beside itself before it is migrated to a version, and removes all but the latest such
 * copies.
 * @returns path of the copy
 */
function takeSnapshot(named: string, version: number, clock: Clock): string {
  const path = realFile(named);
  const snapshot = `${path}.before-schema-${version}-${fileStamp(clock.now())}`;
  // A connection of its own, because SQLite cannot copy from one that is in a transaction.
  using reader = openDatabase(path, clock, "reader");
  writeCopy(reader, snapshot, clock);
  removeOldSnapshots(path);
  return snapshot;
}

function removeOldSnapshots(path: string): void {
  const folder = dirname(resolve(path));
  const name = basename(path);
  const found = readdirSync(folder).flatMap((file) => {
    const end = file.startsWith(name) ? SNAPSHOT_END.exec(file.slice(name.length)) : null;
    return end === null ? [] : [{ file, takenAt: end[1] ?? "" }];
  });
  const byTime = found.sort((a, b) => (a.takenAt < b.takenAt ? 1 : -1));
  for (const { file } of byTime.slice(SNAPSHOTS_KEPT)) rmSync(join(folder, file));
}

/** A table, index, trigger or view of a schema. */
interface SchemaObject {
  type: "table" | "index" | "trigger" | "view";
  name: string;
  /** Its CREATE statement. */
  sql: string;
}

/**
 * A file's tables, indexes, triggers and views by name, without those that SQLite and FTS5 create
 * themselves.
 */
export type SchemaShape = ReadonlyMap<string, SchemaObject>;

export function shapeOf(db: Database): SchemaShape {
  const objects = statement<SchemaObject>(
    db,
    `SELECT s.type, s.name, s.sql FROM sqlite_schema s
     WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       AND NOT EXISTS (SELECT 1 FROM pragma_table_list l WHERE l.name = s.name AND l.type = 'shadow')`,
  ).all();
  return new Map(objects.map((object) => [object.name, object]));
}

/** Objects that a file lacks or has in another form; additional ones are ignored. */
export function differences(found: SchemaShape, expected: SchemaShape): SchemaObject[] {
  return [...expected.values()].filter(({ name, sql }) => {
    const other = found.get(name)?.sql;
    return other === undefined || plain(other) !== plain(sql);
  });
}

/** A statement without insignificant parts: comments, quotes around names, and line breaks. */
function plain(sql: string): string {
  return sql
    .replaceAll(/--[^\n]*/g, " ")
    .replaceAll('"', "")
    .replaceAll(/\s+/g, "");
}
