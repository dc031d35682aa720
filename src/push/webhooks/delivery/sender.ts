import type { Calls } from "../../../db/operations.ts";
import { AppError } from "../../../errors.ts";
import type { Ports } from "../../../ports/ports.ts";
import { type Claims, createOwnClaims } from "../../../values/claims.ts";
import { message } from "../../../values/messages/messages.ts";
import type { AttemptOutcome, MakeAttempt } from "./attempt.ts";
import type { Claimed, Room } from "./claim-due.ts";
import type { ClaimedDelivery } from "./claims.store.ts";
import type { EndedAttempt } from "./end-attempt.ts";
import type { deliveryClaims, Taken } from "./exchange.ts";
import { createFlights } from "./flights.ts";
import { createManualTurns } from "./manual-turns.ts";

export type Sender = ReturnType<typeof createSender>;

const NO_ROOM: Room = { quick: 0, unknown: 0, slow: 0 };
/** Attempts that end within so long of each other are noted together. */
const GATHER_MS = 16;
/** The wait for attempts in flight when the sender is to stop; the process has 10 seconds. */
const STOP_WAIT_MS = 8_000;

/**
 * Makes the attempts that are due, as many at once as there is room for.
 * @param turns of organizations, whose number over all workers is bounded
 */
export function createSender(
  ledger: Calls<typeof deliveryClaims>,
  makeAttempt: MakeAttempt,
  waitsMs: readonly number[],
  { clock, random, log }: Pick<Ports, "clock" | "random" | "log">,
  turns: Claims = createOwnClaims(),
) {
  const flights = createFlights(attemptScheduled, () => {
    // The pump's failure is in the log, and the next look tries again.
    if (!stopped.signal.aborted) pump().catch(() => {});
  });
  const manual = createManualTurns(turns);
  let ended: EndedAttempt[] = [];
  let isStopping = false;
  const stopped = new AbortController();
  let exchanging: Promise<void> | null = null;
  let isAskedAgain = false;

  async function attemptScheduled(claimed: Claimed): Promise<void> {
    try {
      const outcome = await makeAttempt(claimed, stopped.signal);
      // An aborted attempt's claim is given back: whoever takes it next makes the attempt.
      if (!stopped.signal.aborted) ended.push(endOf(claimed, "scheduled", outcome));
    } catch (error) {
      log.error({ err: error }, "a webhook attempt failed in an unforeseen way");
    }
  }

  async function attemptNow(
    kind: "resend" | "ping",
    take: () => Promise<ClaimedDelivery>,
  ): Promise<AttemptOutcome & { delivery: number }> {
    const claimed = await take();
    const outcome = await makeAttempt(claimed, stopped.signal);
    if (stopped.signal.aborted) {
      await ledger.releaseClaims([claimed]);
      throw new AppError("unavailable", message("stopping"));
    }
    const end = endOf(claimed, kind, outcome);
    await ledger.exchange({ ended: [end], room: NO_ROOM, claim: "", waitsMs });
    return { ...outcome, delivery: claimed.id };
  }

  async function exchange(): Promise<void> {
    const noting = ended;
    ended = [];
    try {
      const claim = random.uuid(clock.now());
      const room = isStopping ? NO_ROOM : flights.room();
      const taken = await ledger.exchange({ ended: noting, room, claim, waitsMs });
      for (const claimed of taken) flights.start(claimed);
    } catch (error) {
      // Noted with the next exchange; one that comes too late finds its claim gone.
      ended = [...noting, ...ended];
      log.warn({ err: error }, "webhook deliveries could not be noted or taken");
      throw error;
    }
  }

  /** Exchanges until nothing has ended or can be taken; calls that come meanwhile share a turn. */
  function pump(): Promise<void> {
    isAskedAgain = true;
    exchanging ??= (async () => {
      try {
        while (isAskedAgain) {
          isAskedAgain = false;
          await exchange();
          if (flights.count() > 0) await clock.sleep(GATHER_MS);
        }
      } finally {
        exchanging = null;
      }
    })();
    return exchanging;
  }

  async function idle(): Promise<void> {
    while (flights.count() > 0 || exchanging !== null) {
      await flights.settled();
      await exchanging?.catch(() => {});
    }
  }

  /** A claim that the storage does not take back runs out by itself. */
  async function giveBack(taken: readonly Taken[]): Promise<void> {
    if (taken.length === 0) return;
    try {
      await ledger.releaseClaims(taken.map(({ id, claim }) => ({ id, claim })));
    } catch (error) {
      const told = { err: error, deliveries: taken.length };
      log.warn(told, "webhook deliveries could not be given back");
    }
  }

  return {
    /** Starts the attempts that are due, and goes on while there are more. */
    pump,

    /** Settles once nothing is in flight. */
    idle,

    /**
     * Makes one attempt that somebody waits for.
     * @throws AppError `unavailable` where too many are under way, `throttled` where too many of
     *   the organization's are
     */
    attemptNow: (
      organizationId: number,
      kind: "resend" | "ping",
      take: () => Promise<ClaimedDelivery>,
    ): Promise<AttemptOutcome & { delivery: number }> =>
      manual.run(organizationId, () => attemptNow(kind, take)),

    /**
     * Takes nothing more, waits for what is in flight, breaks off and gives back what does not end.
     * Never throws.
     */
    async stop(): Promise<void> {
      isStopping = true;
      manual.close();
      await giveBack(flights.dropAhead());
      const waited = new AbortController();
      const allEnded = Promise.all([idle(), manual.settled()]);
      await Promise.race([allEnded, clock.sleep(STOP_WAIT_MS, waited.signal)]);
      waited.abort();
      const unfinished = flights.unfinished();
      stopped.abort();
      await giveBack(unfinished);
      await manual.settled();
    },
  };
}

function endOf(
  { id, webhookId, claim }: ClaimedDelivery,
  kind: EndedAttempt["kind"],
  outcome: AttemptOutcome,
): EndedAttempt {
  return { deliveryId: id, webhookId, claim, kind, ...outcome };
}
