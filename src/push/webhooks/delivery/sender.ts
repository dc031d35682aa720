import type { Calls } from "../../../db/operations.ts";
import { AppError } from "../../../errors.ts";
import type { Ports } from "../../../ports/ports.ts";
import { type Claims, createOwnClaims } from "../../../values/claims.ts";
import { message } from "../../../values/messages/messages.ts";
import type { AttemptOutcome, MakeAttempt } from "./attempt.ts";
import type { ClaimedDelivery } from "./claims.store.ts";
import type { DeliveryClaim, deliveryClaims } from "./exchange.ts";
import { createManualTurns } from "./manual-turns.ts";
import { createScheduledAttempts, endOf, NO_ROOM } from "./scheduled-attempts.ts";

export type Sender = ReturnType<typeof createSender>;

/** How long stopping waits for attempts in progress; the process has 10 seconds. */
const STOP_WAIT_MS = 8_000;

/**
 * Makes attempts: those that are due, and those that a caller waits for.
 * @param waitsMs waits of the retry ladder
 * @param turns slots of organizations for attempts that a caller waits for, shared by all workers
 */
export function createSender(
  deliveries: Calls<typeof deliveryClaims>,
  makeAttempt: MakeAttempt,
  waitsMs: readonly number[],
  ports: Pick<Ports, "clock" | "random" | "log">,
  turns: Claims = createOwnClaims(),
) {
  const stopped = new AbortController();
  const { signal } = stopped;
  const scheduled = createScheduledAttempts(deliveries, makeAttempt, waitsMs, ports, signal);
  const manual = createManualTurns(turns);

  /** Releases claims. Never throws: if that fails, they expire by themselves. */
  async function releaseAll(claims: readonly DeliveryClaim[]): Promise<void> {
    if (claims.length === 0) return;
    try {
      await deliveries.releaseClaims(claims.map(({ id, claim }) => ({ id, claim })));
    } catch (error) {
      const fields = { err: error, deliveries: claims.length };
      ports.log.warn(fields, "claims of webhook deliveries could not be released");
    }
  }

  return {
    pump: scheduled.pump,
    idle: scheduled.idle,

    /**
     * Makes one attempt that a caller waits for.
     * @param take claims the delivery
     * @throws AppError `unavailable` if too many are in progress, `throttled` if too many of the
     * organization's are
     */
    attemptNow: (
      organizationId: number | null,
      kind: "resend" | "ping",
      take: () => Promise<ClaimedDelivery>,
    ): Promise<AttemptOutcome & { delivery: number }> =>
      manual.run(organizationId, async () => {
        const claimed = await take();
        const outcome = await makeAttempt(claimed, signal);
        if (signal.aborted) {
          await deliveries.releaseClaims([claimed]);
          throw new AppError("unavailable", message("stopping"));
        }
        const end = endOf(claimed, kind, outcome);
        await deliveries.exchange({ ended: [end], room: NO_ROOM, claim: "", waitsMs });
        return { ...outcome, delivery: claimed.id };
      }),

    /**
     * Claims nothing more, waits for attempts in progress, then aborts and releases those that have not
     * ended. Never throws.
     */
    async stop(): Promise<void> {
      manual.close();
      await releaseAll(scheduled.takeNoMore());
      const waited = new AbortController();
      const allEnded = Promise.all([scheduled.idle(), manual.settled()]);
      await Promise.race([allEnded, ports.clock.sleep(STOP_WAIT_MS, waited.signal)]);
      waited.abort();
      const unfinished = scheduled.abandon();
      stopped.abort();
      await releaseAll(unfinished);
      await manual.settled();
    },
  };
}
