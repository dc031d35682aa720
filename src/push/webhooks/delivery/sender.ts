import type { Calls } from "../../../db/operations.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import type { Random } from "../../../ports/random.ts";
import { type Claims, createOwnClaims, takeOneOf } from "../../../values/claims.ts";
import { message } from "../../../values/messages/messages.ts";
import type { AttemptOutcome, MakeAttempt } from "./attempt.ts";
import { type Claimed, type Lane, type Room, WEBHOOK_ATTEMPTS_MAX } from "./claim-due.ts";
import type { ClaimedDelivery } from "./claims.store.ts";
import type { EndedAttempt } from "./end-attempt.ts";
import type { deliveryClaims, Taken } from "./exchange.ts";

export type Sender = ReturnType<typeof createSender>;

/** Attempts in flight in a lane and those after it together; well under Bun's 256 requests in all. */
const IN_FLIGHT_MAX: Room = { quick: 192, unknown: 144, slow: 72 };
/** Attempts that callers of the API wait for, beside those. */
const MANUAL_MAX = 24;
const MANUAL_OF_ORGANIZATION_MAX = 6;
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
  { clock, random, log }: { clock: Clock; random: Random; log: Log },
  turns: Claims = createOwnClaims(),
) {
  const inFlight = new Map<string, { lane: Lane; taken: Taken; settled: Promise<void> }>();
  /** Attempts in flight by webhook, and what was taken ahead for it. */
  const runningOf = new Map<number, number>();
  const ahead = new Map<number, Claimed[]>();
  /** Attempts that somebody waits for. */
  const manual = new Set<Promise<unknown>>();
  let ended: EndedAttempt[] = [];
  let stopping = false;
  const stopped = new AbortController();
  let exchanging: Promise<void> | null = null;
  let isAskedAgain = false;

  function room(): Room {
    if (stopping) return NO_ROOM;
    const taken = (...lanes: Lane[]): number =>
      [...inFlight.values()].filter(({ lane }) => lanes.includes(lane)).length;
    return {
      quick: IN_FLIGHT_MAX.quick - inFlight.size - aheadSize(),
      unknown: IN_FLIGHT_MAX.unknown - taken("unknown", "slow"),
      slow: IN_FLIGHT_MAX.slow - taken("slow"),
    };
  }

  function aheadSize(): number {
    let size = 0;
    for (const { length } of ahead.values()) size += length;
    return size;
  }

  async function exchange(): Promise<void> {
    const noting = ended;
    ended = [];
    try {
      const claim = random.uuid(clock.now());
      for (const claimed of await ledger.exchange({
        ended: noting,
        room: room(),
        claim,
        waitsMs,
      })) {
        start(claimed);
      }
    } catch (error) {
      // Noted with the next exchange; one that comes too late finds its claim gone.
      ended = [...noting, ...ended];
      log.warn({ err: error }, "webhook deliveries could not be noted or taken");
      throw error;
    }
  }

  /** Starts an attempt, or keeps it until one of the webhook's others has ended. */
  function start(claimed: Claimed): void {
    const { webhookId } = claimed;
    const running = runningOf.get(webhookId) ?? 0;
    if (running >= WEBHOOK_ATTEMPTS_MAX) {
      ahead.set(webhookId, [...(ahead.get(webhookId) ?? []), claimed]);
      return;
    }
    runningOf.set(webhookId, running + 1);
    begin(claimed);
  }

  /** Has a delivery that was taken ahead follow the webhook's attempt that ended. */
  function takePlace(webhookId: number): void {
    const [next, ...rest] = ahead.get(webhookId) ?? [];
    if (next !== undefined) {
      ahead.set(webhookId, rest);
      begin(next);
      return;
    }
    ahead.delete(webhookId);
    const running = (runningOf.get(webhookId) ?? 1) - 1;
    if (running === 0) runningOf.delete(webhookId);
    else runningOf.set(webhookId, running);
  }

  function begin(claimed: Claimed): void {
    const { claim, lane } = claimed;
    const settled = makeAttempt(claimed, stopped.signal)
      .then((outcome) => {
        // An aborted attempt's claim is given back: whoever takes it next makes the attempt.
        if (!stopped.signal.aborted) ended.push(endOf(claimed, "scheduled", outcome));
      })
      .catch((error) => log.error({ err: error }, "a webhook attempt failed in an unforeseen way"))
      .finally(() => {
        inFlight.delete(claim);
        takePlace(claimed.webhookId);
        // The pump's failure is in the log, and the next look tries again.
        if (!stopped.signal.aborted) pump().catch(() => {});
      });
    inFlight.set(claim, { lane, taken: claimed, settled });
  }

  async function attempt(
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

  /** A claim that the storage does not take back runs out by itself. */
  async function giveBack(taken: Taken[]): Promise<void> {
    if (taken.length === 0) return;
    try {
      await ledger.releaseClaims(taken);
    } catch (error) {
      log.warn(
        { err: error, deliveries: taken.length },
        "webhook deliveries could not be given back",
      );
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
          if (inFlight.size > 0) await clock.sleep(GATHER_MS);
        }
      } finally {
        exchanging = null;
      }
    })();
    return exchanging;
  }

  return {
    /** Starts the attempts that are due, and goes on while there are more. */
    pump,

    /** Settles once nothing is in flight. */
    async idle(): Promise<void> {
      while (inFlight.size > 0 || exchanging !== null) {
        await Promise.all([...inFlight.values()].map(({ settled }) => settled));
        await exchanging?.catch(() => {});
      }
    },

    /**
     * Makes one attempt that somebody waits for.
     * @throws AppError `unavailable` where too many are under way, `throttled` where too many of
     *   the organization's are
     */
    async attemptNow(
      organizationId: number,
      kind: "resend" | "ping",
      take: () => Promise<ClaimedDelivery>,
    ): Promise<AttemptOutcome & { delivery: number }> {
      if (manual.size >= MANUAL_MAX || stopping) {
        throw new AppError("unavailable", message("deliveriesBusy"));
      }
      const turn = takeOneOf(turns, String(organizationId), MANUAL_OF_ORGANIZATION_MAX);
      if (turn === null) {
        const said = message("organizationBusy", { deliveries: MANUAL_OF_ORGANIZATION_MAX });
        throw new AppError("throttled", said, { retryAfterS: 1 });
      }
      const attempted = attempt(kind, take);
      manual.add(attempted);
      try {
        return await attempted;
      } finally {
        manual.delete(attempted);
        turns.giveBack(turn);
      }
    },

    /**
     * Takes nothing more, waits for what is in flight, breaks off and gives back what does not end.
     * Never throws.
     */
    async stop(): Promise<void> {
      stopping = true;
      const unstarted = [...ahead.values()].flat();
      ahead.clear();
      await giveBack(unstarted.map(takenOf));
      const waited = new AbortController();
      const allEnded = Promise.all([this.idle(), Promise.allSettled(manual)]);
      await Promise.race([allEnded, clock.sleep(STOP_WAIT_MS, waited.signal)]);
      waited.abort();
      const unfinished = [...inFlight.values()].map(({ taken }) => takenOf(taken));
      stopped.abort();
      await giveBack(unfinished);
      await Promise.allSettled(manual);
    },
  };
}

function takenOf({ id, claim }: Taken): Taken {
  return { id, claim };
}

function endOf(
  { id, webhookId, claim }: ClaimedDelivery,
  kind: EndedAttempt["kind"],
  outcome: AttemptOutcome,
): EndedAttempt {
  return { deliveryId: id, webhookId, claim, kind, ...outcome };
}
