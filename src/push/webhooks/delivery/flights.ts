import { type Claimed, type Lane, type Room, WEBHOOK_ATTEMPTS_MAX } from "./claim-due.ts";
import type { Taken } from "./exchange.ts";

/** Attempts in flight in a lane and those after it together; well under Bun's 256 requests in all. */
const IN_FLIGHT_MAX: Room = { quick: 192, unknown: 144, slow: 72 };

/**
 * Attempts that are under way, and deliveries that were taken ahead: each of these follows an attempt of its
 * webhook.
 * @param attempt makes one; never throws
 * @param landed called after one has ended and its place is taken or free
 */
export function createFlights(attempt: (claimed: Claimed) => Promise<void>, landed: () => void) {
  const inFlight = new Map<string, { claimed: Claimed; settled: Promise<void> }>();
  /** Attempts in flight by webhook, and what was taken ahead for it. */
  const runningOf = new Map<number, number>();
  const ahead = new Map<number, Claimed[]>();

  function begin(claimed: Claimed): void {
    const { claim, webhookId } = claimed;
    const settled = attempt(claimed).then(() => {
      inFlight.delete(claim);
      takePlace(webhookId);
      landed();
    });
    inFlight.set(claim, { claimed, settled });
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

  return {
    /** How many are under way. */
    count: (): number => inFlight.size,

    /** Room for more attempts. */
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

    /** Starts an attempt, or keeps it until one of the webhook's others has ended. */
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

    /** Settles when those under way at the call have ended. */
    async settled(): Promise<void> {
      await Promise.all([...inFlight.values()].map(({ settled }) => settled));
    },

    /** Forgets what was taken ahead. @returns it, to be given back */
    dropAhead(): Taken[] {
      const unstarted = [...ahead.values()].flat();
      ahead.clear();
      return unstarted;
    },

    /** Deliveries whose attempts are under way. */
    unfinished: (): Taken[] => [...inFlight.values()].map(({ claimed }) => claimed),
  };
}
