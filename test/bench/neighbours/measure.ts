import { elapsed } from "../../support/webhook-journey.ts";
import { median, percentile } from "../peers/statistics.ts";
import { customers } from "./customers.ts";
import type { Data } from "./data.ts";
import type { Row, Stage } from "./row.ts";
import { onStage } from "./stage.ts";
import { LATE, type Seen } from "./victim.ts";

export interface Durations {
  rounds: number;
  quietS: number;
  besideS: number;
}

/** What a victim saw, quietly and beside the neighbour. */
interface Round {
  quiet: Seen;
  beside: Seen;
}

/** A row of the table. */
export interface Measured {
  name: string;
  does: string;
  quiet: Latency;
  beside: Latency;
  requests: number;
  unavailable: number;
  timeouts: number;
  others: number;
  notes: string[];
  /** Why the promise does not hold; nothing where it does. */
  broken: string[];
}

interface Latency {
  p50Ms: number;
  p99Ms: number;
}

/** The promise: at most so many times the quiet p99, and so many milliseconds. */
const TIMES_MOST = 3;
const MORE_MOST_MS = 20;

const TIMEOUT_MS = 10_000;
const WARM_UP_MS = 1_500;
/** A row that takes longer starts no further round. */
const ROW_MAX_MS = 75_000;
const SETTLE_MAX_MS = 30_000;
const SETTLED_MS = 30;
const SETTLED_TIMES = 5;

/** Quiet and beside in turn, so that a machine that drifts does so for both. */
export function measure(data: Data, row: Row, durations: Durations): Promise<Measured> {
  return onStage(data, row, async (stage) => {
    const startedAtMs = performance.now();
    const spec = (await row.victim?.(stage)) ?? customers(stage);
    const victim = stage.child<Seen>("victim.ts", { ...spec, timeoutMs: TIMEOUT_MS });
    await row.prepare?.(stage);
    victim.begin();
    await elapsed(WARM_UP_MS);
    await victim.end();

    const rounds: Round[] = [];
    const notes: string[] = [];
    const broken = new Set<string>();
    for (let round = 0; round < (row.rounds ?? durations.rounds); round++) {
      if (performance.now() - startedAtMs > ROW_MAX_MS) break;
      await row.beforeRound?.(stage, round);
      await settled(stage);
      victim.begin();
      await elapsed(durations.quietS * 1000);
      const quiet = await victim.end();
      victim.begin();
      const beside = await row.beside(stage, durations.besideS, round);
      rounds.push({ quiet, beside: await victim.end() });
      notes.splice(0, notes.length, ...beside.notes);
      for (const fault of beside.broken) broken.add(fault);
    }
    return summary(row, rounds, notes, broken);
  });
}

/** Waits, for a while, until the appliance is as quick as one that has nothing to do. */
async function settled({ serving }: Stage): Promise<void> {
  const giveUp = AbortSignal.timeout(SETTLE_MAX_MS);
  for (let quick = 0; quick < SETTLED_TIMES && !giveUp.aborted; ) {
    const askedAtMs = performance.now();
    await fetch(`${serving.address}/healthz`, { signal: giveUp }).catch(() => null);
    quick = performance.now() - askedAtMs < SETTLED_MS ? quick + 1 : 0;
    await elapsed(SETTLED_MS);
  }
}

/** Latencies are those of the median round: what else the machine does may fall into one of them. */
function summary(
  { name, does }: Row,
  rounds: readonly Round[],
  notes: string[],
  broken: Set<string>,
): Measured {
  const seen = rounds.flatMap(({ quiet, beside }) => [quiet, beside]);
  const faults: Record<string, number> = {};
  for (const [outcome, times] of seen.flatMap((one) => Object.entries(one.faults))) {
    faults[outcome] = (faults[outcome] ?? 0) + times;
  }
  const { 503: unavailable = 0, [LATE]: timeouts = 0, ...other } = faults;
  const others = Object.values(other).reduce((total, times) => total + times, 0);
  const overMs = rounds.map(({ quiet, beside }) => {
    const mostMs = TIMES_MOST * percentile(quiet.durationsMs, 0.99) + MORE_MOST_MS;
    return percentile(beside.durationsMs, 0.99) - mostMs;
  });
  if (median(overMs) > 0) broken.add(`p99 ${median(overMs).toFixed(0)} ms over the promise`);
  if (unavailable > 0) broken.add(`${unavailable} x 503`);
  if (timeouts > 0) broken.add(`${timeouts} time-outs`);
  for (const [outcome, times] of Object.entries(other)) broken.add(`${times} x ${outcome}`);
  return {
    ...{ name, does, unavailable, timeouts, others, notes },
    quiet: latency(rounds.map(({ quiet }) => quiet)),
    beside: latency(rounds.map(({ beside }) => beside)),
    requests: seen.reduce((total, { durationsMs }) => total + durationsMs.length, 0),
    broken: [...broken],
  };
}

function latency(seen: readonly Seen[]): Latency {
  const at = (share: number): number =>
    median(seen.map(({ durationsMs }) => percentile(durationsMs, share)));
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
