import { median, percentile } from "../peers/statistics.ts";
import type { Measured } from "./measure.ts";
import { LATE, type Seen } from "./victim.ts";

/** Whatever a neighbour does, p99 is at most so many times the quiet p99, and so much more. */
const TIMES_MOST = 3;
const MORE_MOST_MS = 20;

/** What a row comes to. */
export interface Verdict {
  quiet: Latency;
  beside: Latency;
  unavailable: number;
  timeouts: number;
  others: number;
  /** Why the promise does not hold; nothing where it does. */
  broken: string[];
}

interface Latency {
  p50Ms: number;
  p99Ms: number;
}

/**
 * Latencies are judged by the median round, since what else the machine does may fall into one of
 * them; errors count in all rounds, quiet ones too, where a neighbour's work is felt afterwards.
 */
export function verdictOf({ rounds, broken }: Measured): Verdict {
  const faults = Object.entries(faultsOf(rounds.flatMap(both)));
  const countOf = (isIt: (fault: string) => boolean): number =>
    faults.reduce((sum, [fault, times]) => sum + (isIt(fault) ? times : 0), 0);
  const unavailable = countOf((fault) => fault.startsWith("503"));
  const timeouts = countOf((fault) => fault === LATE);
  const overMs = median(rounds.map(({ quiet, beside }) => p99(beside) - mostMs(quiet)));
  return {
    quiet: latency(rounds.map(({ quiet }) => quiet)),
    beside: latency(rounds.map(({ beside }) => beside)),
    ...{ unavailable, timeouts },
    others: countOf(() => true) - unavailable - timeouts,
    broken: [
      ...broken,
      ...(overMs > 0 ? [`p99 ${overMs.toFixed(0)} ms over the promise`] : []),
      ...faults.map(([fault, times]) => `${times} x ${fault}`),
    ],
  };
}

/** How often each fault came, in all that was seen. */
export function faultsOf(seen: readonly Seen[]): Record<string, number> {
  const faults: Record<string, number> = {};
  for (const [outcome, times] of seen.flatMap((one) => Object.entries(one.faults))) {
    faults[outcome] = (faults[outcome] ?? 0) + times;
  }
  return faults;
}

function both({ quiet, beside }: Measured["rounds"][number]): Seen[] {
  return [quiet, beside];
}

function mostMs(quiet: Seen): number {
  return TIMES_MOST * p99(quiet) + MORE_MOST_MS;
}

function p99({ durationsMs }: Seen): number {
  return percentile(durationsMs, 0.99);
}

function latency(seen: readonly Seen[]): Latency {
  const at = (share: number): number =>
    median(seen.map(({ durationsMs }) => percentile(durationsMs, share)));
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
