import { rmSync } from "node:fs";
import { AppError } from "../errors.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import { foldText } from "../values/fold-text.ts";
import { message } from "../values/messages/messages.ts";
import { findBuild } from "./background-builds.ts";
import { madeOnce } from "./busy.ts";
import { type Database, statement } from "./database.ts";
import { foundation } from "./migrations/001-foundation.ts";
import { webhooks } from "./migrations/002-webhooks.ts";
import { site } from "./migrations/003-site.ts";
import { publicCards } from "./migrations/004-public-cards.ts";
import { searchTrigrams } from "./migrations/005-search-trigrams.ts";
import { searchPlaces } from "./migrations/006-search-places.ts";
import { limitsOfOne } from "./migrations/007-limits-of-one.ts";
import { searchMerges } from "./migrations/008-search-merges.ts";
import { numbersApart } from "./migrations/009-numbers-apart.ts";
import { oneIdentity } from "./migrations/010-one-identity.ts";
import { livingPosts } from "./migrations/011-living-posts.ts";
import { oauth } from "./migrations/012-oauth.ts";
import { firstHour } from "./migrations/013-first-hour.ts";
import { sources } from "./migrations/014-sources.ts";
import { botSources } from "./migrations/015-bot-sources.ts";
import { postSearch } from "./migrations/016-post-search.ts";
import { channelMetrics } from "./migrations/017-channel-metrics.ts";
import { mentions } from "./migrations/018-mentions.ts";
import { signUps } from "./migrations/019-sign-ups.ts";
import { workers } from "./migrations/020-workers.ts";
import { alerts } from "./migrations/021-alerts.ts";
import { lastPosts } from "./migrations/022-last-posts.ts";
import { takenDownTimes } from "./migrations/023-taken-down-times.ts";
import { cluster } from "./migrations/024-cluster.ts";
import { clusterMarks } from "./migrations/025-cluster-marks.ts";
import { stemsOfTwo } from "./migrations/026-stems-of-two.ts";
import { formerShapes } from "./migrations/027-former-shapes.ts";
import { bounds } from "./migrations/028-bounds.ts";
import { timeBudgets } from "./migrations/029-time-budgets.ts";
import { listsInParts } from "./migrations/030-lists-in-parts.ts";
import { operator } from "./migrations/031-operator.ts";
import { IN_MEMORY, openDatabase } from "./open-database.ts";
import { mendShape, type SchemaShape, shapeOf } from "./schema-shape.ts";
import { takeSnapshot } from "./snapshot.ts";
import { inTransaction, type Wait } from "./transaction.ts";

/** Migration N takes a file from version N-1 to N; a file's version is its `user_version`. */
export const MIGRATIONS: readonly string[] = [
  foundation,
  webhooks,
  site,
  publicCards,
  searchTrigrams,
  searchPlaces,
  limitsOfOne,
  searchMerges,
  numbersApart,
  oneIdentity,
  livingPosts,
  oauth,
  firstHour,
  sources,
  botSources,
  postSearch,
  channelMetrics,
  mentions,
  signUps,
  workers,
  alerts,
  lastPosts,
  takenDownTimes,
  cluster,
  clusterMarks,
  stemsOfTwo,
  formerShapes,
  bounds,
  timeBudgets,
  listsInParts,
  operator,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

export function schemaVersion(db: Database): number {
  return db.pragmaValue("user_version") as number;
}

/** Wait for the lock until the next look at whether another process has migrated the file. */
const LOOK: Wait = { maxMs: 250, rank: "single" };

/** Outcome of a migration. */
interface Migration {
  /** Version of the file before. */
  from: number;
  /** Path of the copy made before migrating; null for a new file, or if nothing was migrated. */
  snapshot: string | null;
}

/**
 * Migrates the file to this program's schema in one transaction, entirely or not at all. A copy is made
 * first, under the same lock, so it holds exactly the state that is migrated.
 * @throws AppError `conflict` naming both versions if the file is newer than the program; `unavailable` if
 * the copy cannot be written
 */
export async function migrate(db: Database, clock: Clock): Promise<Migration> {
  return madeOnce(
    clock,
    () => findCurrent(db),
    async () => {
      // Rebuilding a table drops the old one, which would cascade to all rows that refer to it.
      db.pragma("foreign_keys = OFF");
      try {
        return await migrateWhole(db, clock);
      } finally {
        db.pragma("foreign_keys = ON");
      }
    },
  );
}

/** Null if the file has to be migrated. */
function findCurrent(db: Database): Migration | null {
  const from = schemaVersion(db);
  return from === SCHEMA_VERSION ? { from, snapshot: null } : null;
}

function migrateWhole(db: Database, clock: Clock): Promise<Migration> {
  const work = (): Migration => {
    // Read again under the lock: another process may have migrated while this one waited.
    const from = schemaVersion(db);
    requireKnownVersion(null, from);
    if (from === 0 && !isEmpty(db)) {
      throw new AppError("conflict", message("databaseOfOtherProgram"));
    }
    const needsSnapshot = from > 0 && from < SCHEMA_VERSION && !db.isInMemory;
    const snapshot = needsSnapshot ? takeSnapshot(db.path, SCHEMA_VERSION, clock) : null;
    try {
      applyMigrations(db, from);
      if (from > 0) mendShape(db, expectedShape());
      requireReferences(db);
      db.pragma(`user_version = ${SCHEMA_VERSION}`);
    } catch (error) {
      // The file is unchanged, so its copy is not needed; every failed start would leave another.
      if (snapshot !== null) rmSync(snapshot);
      throw isOfOtherShape(error)
        ? new AppError(
            "conflict",
            message("databaseOfOtherShape", { version: from, reason: error.message }),
            {
              cause: error,
            },
          )
        : error;
    }
    return { from, snapshot };
  };
  return inTransaction(db, clock, "migrate", work, LOOK);
}

/**
 * Whether a statement met tables that a file of its version cannot have: unreleased versions gave the same
 * numbers to other migrations.
 */
function isOfOtherShape(error: unknown): error is Error {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code === "SQLITE_ERROR" || code.startsWith("SQLITE_CONSTRAINT");
}

function applyMigrations(db: Database, from: number): void {
  // Migrations call it to fold search texts again after the folding has changed.
  db.defineFunction("fold_text", (given) => foldText(String(given)));
  for (const sql of MIGRATIONS.slice(from)) db.exec(sql);
  // The build drops this index at its end. Without channels there is no build, so it is dropped here.
  if (findBuild(db, "last_post_order") === undefined) {
    db.exec("DROP INDEX IF EXISTS channels_by_last_post");
  }
}

/** The schema of a file created by this program. */
export function expectedShape(): SchemaShape {
  using db = openDatabase(IN_MEMORY, systemClock);
  applyMigrations(db, 0);
  return shapeOf(db);
}

/** @throws AppError `conflict` naming both versions if the file is newer than this program */
export function requireKnownVersion(file: string | null, version: number): void {
  if (version <= SCHEMA_VERSION) return;
  const versions = { version, known: SCHEMA_VERSION };
  throw new AppError(
    "conflict",
    file === null
      ? message("newerDatabase", versions)
      : message("newerFile", { file, ...versions }),
  );
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
