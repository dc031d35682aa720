import type { Clock } from "../ports/clock.ts";
import { type Database, statement, type Transaction } from "./database.ts";
import { inParts } from "./transaction.ts";

/** Backfills a table or an index from stored rows while everything else goes on. */
export interface BackgroundBuild {
  name: string;
  /** Progress in whole percent; null once it is complete. */
  percent(db: Database): number | null;
  /**
   * Continues until `untilMs` of the monotonic clock, or to the end, in short transactions with pauses.
   * Nothing is skipped if it is killed, or if two processes do it at once.
   */
  goOn(db: Database, clock: Clock, untilMs: number): Promise<void>;
}

/** A table being backfilled from rows of an earlier version, in the order of their numbers. */
interface Build {
  name: string;
  /** Last number processed. */
  afterId: number;
  /** Last number to process: rows written later fill the table themselves. */
  untilId: number;
}

/**
 * Processes the next rows after a number, as many as fit in a few milliseconds.
 * @returns the last number processed; null if no rows are left
 */
export type BuildStep = (tx: Transaction, build: Build) => number | null;

/** The unfinished build of this name, or undefined. */
export function findBuild(db: Database, name: string): Build | undefined {
  return statement<Build>(
    db,
    "SELECT name, after_id AS afterId, until_id AS untilId FROM background_builds WHERE name = ?",
  ).get(name);
}

/** Progress of a build, in whole percent. */
export function percentDone({ afterId, untilId }: Pick<Build, "afterId" | "untilId">): number {
  return Math.floor((100 * afterId) / untilId);
}

/** A table's build as background work: each step commits its progress together with its rows. */
export function tableBuild(name: string, step: BuildStep): BackgroundBuild {
  return {
    name,
    percent(db) {
      const build = findBuild(db, name);
      return build === undefined ? null : percentDone(build);
    },
    goOn: (db, clock, untilMs) =>
      inParts(db, clock, "background-build", (tx) => {
        const build = findBuild(tx, name);
        if (build === undefined) return false;
        const doneId = step(tx, build);
        if (doneId === null || doneId >= build.untilId) {
          statement(tx, "DELETE FROM background_builds WHERE name = ?").run(name);
          return false;
        }
        statement(tx, "UPDATE background_builds SET after_id = ? WHERE name = ?").run(doneId, name);
        return clock.monotonic() < untilMs;
      }),
  };
}
