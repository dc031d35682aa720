import type { Calls } from "../../../db/operations.ts";
import { AppError } from "../../../errors.ts";
import type { Ports } from "../../../ports/ports.ts";
import { type Claims, createOwnClaims } from "../../../values/claims.ts";
import { message } from "../../../values/messages/messages.ts";
import type { AttemptOutcome, MakeAttempt } from "./attempt.ts";
import type { Claimed, DeliveryClaim, deliveryClaims, EndedAttempt, Room } from "./claim-due.ts";
import type { ClaimedDelivery } from "./deliveries.store.ts";
import { createFlights, createManualTurns, createSharedTurn } from "./flights.ts";

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

const NO_ROOM: Room = { quick: 0, unknown: 0, slow: 0 };
/** Attempts that end within this time of each other are recorded together. */
const GATHER_MS = 16;

/**
 * Makes due attempts, as many at once as there is capacity for.
 * @param waitsMs waits of the retry ladder
 * @param stopped aborted to interrupt the attempts in progress
 */
function createScheduledAttempts(
  deliveries: Calls<typeof deliveryClaims>,
  makeAttempt: MakeAttempt,
  waitsMs: readonly number[],
  { clock, random, log }: Pick<Ports, "clock" | "random" | "log">,
  stopped: AbortSignal,
) {
  const flights = createFlights(attempt, () => {
    // A failed exchange has been logged, and is tried again by the next `pump`.
    if (!stopped.aborted) turn.request().catch(() => {});
  });
  let ended: EndedAttempt[] = [];
  let takesMore = true;
  const turn = createSharedTurn(async () => {
    await exchange();
    if (flights.count() > 0) await clock.sleep(GATHER_MS);
  });

  async function attempt(claimed: Claimed): Promise<void> {
    try {
      const outcome = await makeAttempt(claimed, stopped);
      // The claim of an aborted attempt is released instead, and the attempt is made again.
      if (!stopped.aborted) ended.push(endOf(claimed, "scheduled", outcome));
    } catch (error) {
      log.error({ err: error }, "a webhook attempt failed unexpectedly");
    }
  }

  async function exchange(): Promise<void> {
    const recording = ended;
    ended = [];
    try {
      const claim = random.uuid(clock.now());
      const room = takesMore ? flights.room() : NO_ROOM;
      const taken = await deliveries.exchange({ ended: recording, room, claim, waitsMs });
      for (const claimed of taken) flights.start(claimed);
    } catch (error) {
      // They are recorded by the next exchange, unless their claims have expired by then.
      ended = [...recording, ...ended];
      log.warn({ err: error }, "webhook deliveries could not be recorded or claimed");
      throw error;
    }
  }

  return {
    /** Starts due attempts, and continues as long as there are more. */
    pump: turn.request,

    /** Settles once no attempt is in progress. */
    async idle(): Promise<void> {
      while (flights.count() > 0 || turn.underWay() !== null) {
        await flights.settled();
        await turn.underWay()?.catch(() => {});
      }
    },

    /** Claims no more. @returns claimed deliveries whose attempts have not started */
    takeNoMore(): readonly DeliveryClaim[] {
      takesMore = false;
      return flights.dropAhead();
    },

    /** Starts no further attempt. @returns all claims, also those of an exchange during the shutdown */
    abandon: (): readonly DeliveryClaim[] => [...flights.dropAhead(), ...flights.unfinished()],
  };
}

/** An attempt that has ended, to be recorded. */
function endOf(
  { id, webhookId, claim }: ClaimedDelivery,
  kind: EndedAttempt["kind"],
  outcome: AttemptOutcome,
): EndedAttempt {
  return { deliveryId: id, webhookId, claim, kind, ...outcome };
}
