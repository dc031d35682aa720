import type { Database } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import type { Ports } from "../../../ports/ports.ts";
import { type AlertWork, createAlertTurns } from "../alerts/push-alerts.ts";
import { isAttemptDue } from "../delivery/deliveries.store.ts";
import type { Sender } from "../delivery/sender.ts";
import { isWorkDue, type webhookWork } from "./due-work.ts";

export type Push = ReturnType<typeof createPush>;

/**
 * Runs the work of webhooks: `tick` is called every second.
 * @param batchMs time between two batches, each of which puts the posts read since into events
 */
export function createPush(
  db: Database,
  work: Calls<typeof webhookWork> & AlertWork,
  sender: Pick<Sender, "pump" | "idle">,
  batchMs: number,
  { clock, log }: Pick<Ports, "clock" | "log">,
) {
  const alerts = createAlertTurns(work, clock);

  /** Works in steps, so that the sender's transactions on the same thread get in between. */
  async function doWork(): Promise<void> {
    const { isBatch, part: first } = await work.startDueWork({ batchMs });
    let part = first;
    while (part !== null) {
      const { last } = part;
      let { wanted } = part;
      while (wanted.length > 0) wanted = wanted.slice(await work.cutPart({ last, wanted }));
      part = await work.endPart({ last });
      // Sends finished events while the next part is being processed.
      if (part !== null && (await isAttemptDue(db, { nowMs: clock.now() }))) {
        void sender.pump().catch(() => {});
      }
    }
    // Alerts come after the posts of watched channels, and so never delay them.
    if (isBatch || alerts.isLeft()) await alerts.turn();
    for (const webhook of await work.disableFailed()) {
      log.warn({ webhook }, "a webhook was disabled: not a single delivery succeeded for a day");
    }
  }

  /**
   * Starts the attempts that are due, which continue after it settles. Never throws.
   * @param fillsQueue whether to put posts into events too, which one process of all nodes does
   */
  async function tick(fillsQueue = true): Promise<void> {
    try {
      if (fillsQueue && (await isWorkDue(db, clock.now(), batchMs))) await doWork();
      else if (fillsQueue && alerts.isLeft()) await alerts.turn();
      // The sender logs its own failures.
      if (await isAttemptDue(db, { nowMs: clock.now() })) await sender.pump().catch(() => {});
    } catch (error) {
      log.warn({ err: error }, "due webhook work failed; it will be retried");
    }
  }

  return {
    tick,
    /** As `tick`, but settles once no attempt is in progress. */
    async runDue(fillsQueue = true): Promise<void> {
      await tick(fillsQueue);
      await sender.idle();
    },
  };
}
