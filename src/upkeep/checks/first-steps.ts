import type { Database } from "../../db/database.ts";
import { findMeta, writeMeta } from "../../db/meta.ts";
import { transaction } from "../../db/transaction.ts";

/**
 * Steps of the first hour that leave no other trace: the sample was kept, a call was tried, an assistant
 * connected.
 */
type NotedStep = "sample_kept" | "first_call" | "assistant_seen";

/** Records a step permanently; recording it again changes nothing. */
export const noteStep = transaction("checklist", (tx, clock, step: NotedStep) => {
  if (findMeta(tx, step) === undefined) writeMeta(tx, step, Buffer.from(String(clock.now())));
});

export type FirstSteps = ReturnType<typeof createFirstSteps>;

/**
 * Progress through the first hour.
 * @param note `noteStep` on a writing connection
 * @param runLater runs work that no answer waits for, and logs if it fails
 */
export function createFirstSteps(
  db: Database,
  note: (step: NotedStep) => Promise<void>,
  runLater: (name: string, work: () => Promise<void>) => void,
) {
  const noted = new Set<NotedStep>();
  return {
    isNoted: (step: NotedStep): boolean => findMeta(db, step) !== undefined,
    note,
    /** Called by every request of a kind: writes once per process, and the request does not wait for it. */
    noteOnce(step: NotedStep): void {
      if (noted.has(step)) return;
      noted.add(step);
      runLater("a first step", () => note(step));
    },
  };
}
