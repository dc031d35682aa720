import type { Database } from "../../db/database.ts";
import { findMeta, writeMeta } from "../../db/meta.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";

/** Steps of the first hour that leave no other trace: staff kept the sample, tried a call, an assistant came. */
type NotedStep = "sample_kept" | "first_call" | "assistant_seen";

/** Notes a step for good; the second time changes nothing. */
export function noteStep(db: Database, clock: Clock, step: NotedStep): Promise<void> {
  return inTransaction(db, clock, "checklist", (tx) => {
    if (findMeta(tx, step) === undefined) writeMeta(tx, step, Buffer.from(String(clock.now())));
  });
}

export type FirstSteps = ReturnType<typeof createFirstSteps>;

/**
 * Steps of the first hour.
 * @param note as `noteStep` is run on a connection that writes
 * @param runLater runs what no answer waits for, and tells its failure
 */
export function createFirstSteps(
  db: Database,
  note: (step: NotedStep) => Promise<void>,
  runLater: (name: string, work: () => Promise<void>) => void,
) {
  const asked = new Set<NotedStep>();
  return {
    isNoted: (step: NotedStep): boolean => findMeta(db, step) !== undefined,
    note,
    /** Called by every request of a kind: writes once in a process, and is not waited for. */
    noteOnce(step: NotedStep): void {
      if (asked.has(step)) return;
      asked.add(step);
      runLater("a first step", () => note(step));
    },
  };
}
