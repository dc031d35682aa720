import { type Claimed, type Lane, type Room, WEBHOOK_ATTEMPTS_MAX } from "./claim-due.ts";
import type { Taken } from "./exchange.ts";

/**
 * Concurrent attempts in a lane and all lanes after it; well below Bun's limit of 256 requests in total.
 */
const IN_FLIGHT_MAX: Room = { quick: 192, unknown: 144, slow: 72 };

/**
 * Attempts in progress, and deliveries claimed in advance, each of which follows an attempt of its webhook.
 * @param attempt makes one attempt; never throws
 * @param landed called after an attempt has ended and its slot was reused or freed
 */
export function createFlights(attempt: (claimed: Claimed) => Promise<void>, landed: () => void) {
  const inFlight = new Map<string, { claimed: Claimed; settled: Promise<void> }>();
  /** Attempts in progress by webhook, and deliveries claimed in advance for it. */
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

  /** Starts a delivery that was claimed in advance in place of the webhook's attempt that ended. */
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
    /** Number of attempts in progress. */
    count: (): number => inFlight.size,

    /** Capacity for further attempts. */
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
    dropAhead(): Taken[] {
      const unstarted = [...ahead.values()].flat();
      ahead.clear();
      return unstarted;
    },

    /** Deliveries whose attempts are in progress. */
    unfinished: (): Taken[] => [...inFlight.values()].map(({ claimed }) => claimed),
  };
}
