import { percentile } from "../peers/statistics.ts";
import type { Measured, Round } from "./measure.ts";
import { LATE, type Seen } from "./victim.ts";

/** Whatever a neighbour does, p99 is at most this many times the quiet p99, plus some milliseconds. */
const TIMES_MOST = 3;
const MORE_MOST_MS = 20;

/** The verdict on a row. */
export interface Verdict {
  quiet: Latency;
  beside: Latency;
  /** How long the appliance's main thread waited for a processor, in the median round. */
  waitedMs: Round["waitedMs"];
  unavailable: number;
  timeouts: number;
  others: number;
  /** Why the promise is broken; empty if it is kept. */
  broken: string[];
}

interface Latency {
  p50Ms: number;
  p99Ms: number;
}

/**
 * Latencies are those of the median round, because other work on the machine may disturb one of them. Errors count
 * in all rounds, also without the neighbour, because its work may have effects afterwards.
 */
export function verdictOf({ rounds, broken }: Measured): Verdict {
  const faults = Object.entries(faultsOf(rounds.flatMap(both)));
  const countOf = (isIt: (fault: string) => boolean): number =>
    faults.reduce((sum, [fault, times]) => sum + (isIt(fault) ? times : 0), 0);
  const unavailable = countOf((fault) => fault.startsWith("503"));
  const timeouts = countOf((fault) => fault === LATE);
  const byOver = rounds.toSorted((one, other) => overMs(one) - overMs(other));
  const middle = byOver[Math.floor(rounds.length / 2)];
  const over = middle === undefined ? 0 : overMs(middle);
  return {
    quiet: latency(middle?.quiet),
    beside: latency(middle?.beside),
    waitedMs: middle?.waitedMs ?? { quiet: Number.NaN, beside: Number.NaN },
    ...{ unavailable, timeouts },
    others: countOf(() => true) - unavailable - timeouts,
    broken: [
      ...broken,
      ...(over > 0 ? [`p99 ${over.toFixed(0)} ms over the promise`] : []),
      ...faults.map(([fault, times]) => `${times} x ${fault}`),
    ],
  };
}

/** Number of requests by fault, over all measurements. */
export function faultsOf(seen: readonly Seen[]): Record<string, number> {
  const faults: Record<string, number> = {};
  for (const [outcome, times] of seen.flatMap((one) => Object.entries(one.faults))) {
    faults[outcome] = (faults[outcome] ?? 0) + times;
  }
  return faults;
}

function both({ quiet, beside }: Round): Seen[] {
  return [quiet, beside];
}

/** By how much p99 beside the neighbour exceeds the promise; negative if it does not. */
function overMs({ quiet, beside }: Round): number {
  return latency(beside).p99Ms - TIMES_MOST * latency(quiet).p99Ms - MORE_MOST_MS;
}

function latency(seen: Seen | undefined): Latency {
  const durationsMs = seen?.durationsMs ?? [];
  return { p50Ms: percentile(durationsMs, 0.5), p99Ms: percentile(durationsMs, 0.99) };
}
