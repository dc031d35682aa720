import type { Clock } from "../ports/clock.ts";
import { type Database, statement, type Transaction } from "./database.ts";
import { inParts } from "./transaction.ts";

/** Work on what is stored that goes on beside all else until it is done: tables and indexes that are filled. */
export interface BackgroundBuild {
  name: string;
  /** Whole percent that is done; null where nothing is left to do. */
  percent(db: Database): number | null;
  /**
   * Goes on until an instant of the monotonic clock or to the end, in short transactions with pauses. Killed at any
   * moment, or done by two processes at once, it leaves nothing out.
   */
  goOn(db: Database, clock: Clock, untilMs: number): Promise<void>;
}

/** A table that is being filled from rows that a former version wrote, in the order of their numbers. */
interface Build {
  name: string;
  /** The last number that is done. */
  afterId: number;
  /** The last number there is to do: what is written later fills the table by itself. */
  untilId: number;
}

/**
 * Fills in what some rows after a number give: as much as a few milliseconds do.
 * @returns the last number that is done now; null where no rows are left
 */
export type BuildStep = (tx: Transaction, build: Build) => number | null;

/** A build that is not done, or undefined. */
export function findBuild(db: Database, name: string): Build | undefined {
  return statement<Build>(
    db,
    "SELECT name, after_id AS afterId, until_id AS untilId FROM background_builds WHERE name = ?",
  ).get(name);
}

/** How much of a build is done, in whole percent. */
export function percentDone({ afterId, untilId }: Pick<Build, "afterId" | "untilId">): number {
  return Math.floor((100 * afterId) / untilId);
}

/** A table's build as background work: each step commits its place with its rows. */
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
