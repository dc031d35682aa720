import { AppError } from "../../../errors.ts";
import { type Claims, takeOneOf } from "../../../values/claims.ts";
import { message } from "../../../values/messages/messages.ts";
import type { Claimed, DeliveryClaim, Lane, Room } from "./claim-due.ts";
import { WEBHOOK_ATTEMPTS_MAX } from "./claim-due.ts";

/**
 * Most concurrent attempts, by lane: in that lane and all lanes after it together. Well below Bun's limit
 * of 256 requests per process.
 */
const IN_FLIGHT_MAX: Room = { quick: 192, unknown: 144, slow: 72 };

/**
 * Attempts in progress, and deliveries claimed in advance, each of which starts when an attempt of its
 * webhook ends.
 * @param attempt makes one attempt; never throws
 * @param landed called when an attempt has ended
 */
export function createFlights(attempt: (claimed: Claimed) => Promise<void>, landed: () => void) {
  const inFlight = new Map<string, { claimed: Claimed; settled: Promise<void> }>();
  /** Number of attempts in progress, by webhook. */
  const runningOf = new Map<number, number>();
  /** Deliveries claimed in advance, by webhook. */
  const ahead = new Map<number, Claimed[]>();

  function begin(claimed: Claimed): void {
    const { claim, webhookId } = claimed;
    const settled = attempt(claimed).then(() => {
      inFlight.delete(claim);
      startNext(webhookId);
      landed();
    });
    inFlight.set(claim, { claimed, settled });
  }

  /** In place of a webhook's attempt that ended, starts a delivery that was claimed in advance. */
  function startNext(webhookId: number): void {
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

  return {
    count: (): number => inFlight.size,

    /** How many further attempts may be claimed. */
    room(): Room {
      const taken = (...lanes: Lane[]): number =>
        [...inFlight.values()].filter(({ claimed }) => lanes.includes(claimed.lane)).length;
      const waiting = [...ahead.values()].reduce((sum, { length }) => sum + length, 0);
      return {
        quick: IN_FLIGHT_MAX.quick - inFlight.size - waiting,
        unknown: IN_FLIGHT_MAX.unknown - taken("unknown", "slow"),
        slow: IN_FLIGHT_MAX.slow - taken("slow"),
      };
    },

    /** Starts an attempt, or holds it until another one of the webhook has ended. */
    start(claimed: Claimed): void {
      const { webhookId } = claimed;
      const running = runningOf.get(webhookId) ?? 0;
      if (running >= WEBHOOK_ATTEMPTS_MAX) {
        ahead.set(webhookId, [...(ahead.get(webhookId) ?? []), claimed]);
        return;
      }
      runningOf.set(webhookId, running + 1);
      begin(claimed);
    },

    /** Settles when the attempts in progress at the time of the call have ended. */
    async settled(): Promise<void> {
      await Promise.all([...inFlight.values()].map(({ settled }) => settled));
    },

    /** Drops deliveries claimed in advance. @returns their claims, to be released */
    dropAhead(): DeliveryClaim[] {
      const unstarted = [...ahead.values()].flat();
      ahead.clear();
      return unstarted;
    },

    /** Claims of the attempts in progress. */
    unfinished: (): DeliveryClaim[] => [...inFlight.values()].map(({ claimed }) => claimed),
  };
}

/** Work of which one turn runs at a time: all calls during a turn share the next one. */
export function createSharedTurn(work: () => Promise<void>) {
  let isRequested = false;
  let underWay: Promise<void> | null = null;

  async function run(): Promise<void> {
    try {
      while (isRequested) {
        isRequested = false;
        await work();
      }
    } finally {
      underWay = null;
    }
  }

  return {
    /**
     * Settles once a turn begun after the call has ended and no other is requested; rejects if one fails.
     */
    request(): Promise<void> {
      isRequested = true;
      underWay ??= run();
      return underWay;
    },

    /** Settles as `request`; null if no turn is in progress. */
    underWay: (): Promise<void> | null => underWay,
  };
}

/** Limits for attempts that a caller waits for: in this process, and per organization across workers. */
const MANUAL_MAX = 24;
const MANUAL_OF_ORGANIZATION_MAX = 6;

/**
 * Limits the attempts that a caller waits for.
 * @param turns slots of organizations, shared by all workers
 */
export function createManualTurns(turns: Claims) {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    /**
     * Makes an attempt now.
     * @throws AppError `unavailable` if too many are in progress, `throttled` if too many of the
     * organization's are
     */
    async run<Result>(
      organizationId: number | null,
      attempt: () => Promise<Result>,
    ): Promise<Result> {
      if (underWay.size >= MANUAL_MAX || isClosed) {
        throw new AppError("unavailable", message("deliveriesBusy"));
      }
      const turn = takeOneOf(
        turns,
        String(organizationId ?? "operator"),
        MANUAL_OF_ORGANIZATION_MAX,
      );
      if (turn === null) {
        const refusal = message("organizationBusy", { deliveries: MANUAL_OF_ORGANIZATION_MAX });
        throw new AppError("throttled", refusal, { retryAfterS: 1 });
      }
      const attempted = attempt();
      underWay.add(attempted);
      try {
        return await attempted;
      } finally {
        underWay.delete(attempted);
        turns.giveBack(turn);
      }
    },

    /** Refuses further attempts. */
    close(): void {
      isClosed = true;
    },

    /** Settles when the attempts in progress have ended. */
    async settled(): Promise<void> {
      await Promise.allSettled(underWay);
    },
  };
}
