import type { Database } from "../db/database.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { isAttemptDue, isWorkDue } from "./due-work.ts";
import type { Sender } from "./sender.ts";

export interface Push {
  /** Does all that is due at this moment; attempts go on after it settles. Never throws. */
  look(): Promise<void>;
  /** The same, and settles once no attempt is in flight. */
  runDue(): Promise<void>;
}

/** What webhooks do by the clock, from one look to the next. */
export function createPush(
  db: Database,
  runDueWork: (argument: { batchMs: number }) => Promise<number[]>,
  sender: Pick<Sender, "pump" | "idle">,
  batchMs: number,
  { clock, log }: { clock: Clock; log: Log },
): Push {
  async function look(): Promise<void> {
    try {
      if (isWorkDue(db, clock.now(), batchMs)) {
        for (const webhook of await runDueWork({ batchMs })) {
          log.warn(
            { webhook },
            "a webhook was disabled: not a single delivery succeeded for a day",
          );
        }
      }
      if (isAttemptDue(db, clock.now())) await sender.pump();
    } catch (error) {
      log.warn({ err: error }, "webhooks could not be looked after; it is tried again");
    }
  }

  return {
    look,
    async runDue() {
      await look();
      await sender.idle();
    },
  };
}
