import type { Clock } from "../ports/clock.ts";
import { type Database, statement, type Transaction } from "./database.ts";
import { inParts } from "./transaction.ts";

/** A table that is being filled from rows that a former version wrote, in the order of their numbers. */
export interface Build {
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

/** Builds that are not done. */
export function selectBuilds(db: Database): Build[] {
  return statement<Build>(
    db,
    "SELECT name, after_id AS afterId, until_id AS untilId FROM background_builds ORDER BY name",
  ).all();
}

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

/**
 * Goes on with a build for a while, in short transactions with pauses. Each commits its place with its
 * rows: killed at any moment, or done by two processes at once, no row is left out.
 */
export async function buildForAWhile(
  db: Database,
  clock: Clock,
  { name, step, forMs }: { name: string; step: BuildStep; forMs: number },
): Promise<void> {
  const endAtMs = clock.monotonic() + forMs;
  await inParts(db, clock, "background-build", (tx) => {
    const build = findBuild(tx, name);
    if (build === undefined) return false;
    const doneId = step(tx, build);
    if (doneId === null || doneId >= build.untilId) {
      statement(tx, "DELETE FROM background_builds WHERE name = ?").run(name);
      return false;
    }
    statement(tx, "UPDATE background_builds SET after_id = ? WHERE name = ?").run(doneId, name);
    return clock.monotonic() < endAtMs;
  });
}
