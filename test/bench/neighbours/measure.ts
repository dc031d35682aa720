import { elapsed } from "../../support/webhook-journey.ts";
import { customers } from "./customers.ts";
import type { Data } from "./data.ts";
import { longHolds, readHolds } from "./holds.ts";
import { verdictOf } from "./promise.ts";
import type { Row, Stage } from "./row.ts";
import { onStage } from "./stage.ts";
import type { Seen } from "./victim.ts";
import { watchWaits } from "./waits.ts";

export interface Durations {
  rounds: number;
  quietS: number;
  besideS: number;
  /** How long a victim waits for an answer. */
  timeoutMs: number;
}

/** Measurements of a victim, alone and beside the neighbour. */
export interface Round {
  quiet: Seen;
  beside: Seen;
  /** How long the appliance's main thread waited for a processor, as `Waits` takes it. */
  waitedMs: { quiet: number; beside: number };
}

export interface Measured {
  name: string;
  does: string;
  rounds: Round[];
  /** Notes on the last round. */
  notes: string[];
  /** The row's own limits that were exceeded. */
  broken: string[];
}

const WARM_UP_MS = 1_500;
/** A row that has taken longer starts no further round. */
const ROW_MAX_MS = 75_000;
const SETTLE_MAX_MS = 15_000;
const SETTLED_MS = 30;
const SETTLED_TIMES = 5;

/** Measures the victim alone and beside the neighbour in turn, so that a drifting machine affects both. */
export function measure(data: Data, row: Row, durations: Durations): Promise<Measured> {
  return onStage(data, row, async (stage) => {
    const startedAtMs = performance.now();
    const spec = (await row.victim?.(stage)) ?? customers(stage);
    const victim = stage.child<Seen>("victim.ts", { ...spec, timeoutMs: durations.timeoutMs });
    await row.prepare?.(stage);
    victim.begin();
    await elapsed(WARM_UP_MS);
    await victim.end();

    const holds = await readHolds(stage.serving);
    const waits = watchWaits(stage.serving.pid);
    const rounds: Round[] = [];
    const notes: string[] = [];
    const broken = new Set<string>();
    const roundsMax = typeof row.rounds === "number" ? row.rounds : durations.rounds;
    for (let round = 0; round < roundsMax; round++) {
      if (round > 0 && performance.now() - startedAtMs > ROW_MAX_MS) break;
      await row.beforeRound?.(stage, round);
      await settled(stage);
      waits.takeMs();
      victim.begin();
      await elapsed(durations.quietS * 1000);
      const quiet = await victim.end();
      const quietMs = waits.takeMs();
      victim.begin();
      const beside = await row.beside(stage, durations.besideS, round);
      const waitedMs = { quiet: quietMs, beside: waits.takeMs() };
      rounds.push({ quiet, beside: await victim.end(), waitedMs });
      notes.splice(0, notes.length, ...beside.notes);
      for (const fault of beside.broken) broken.add(fault);
      if (row.rounds === "until kept" && verdictOf(measured()).broken.length === 0) break;
    }
    waits.stop();
    notes.push(...longHolds(holds, await readHolds(stage.serving)));
    return measured();

    function measured(): Measured {
      return { name: row.name, does: row.does, rounds, notes, broken: [...broken] };
    }
  });
}

/** Waits up to 15 seconds until the appliance answers as quickly as when it is idle. */
async function settled({ serving }: Stage): Promise<void> {
  const giveUp = AbortSignal.timeout(SETTLE_MAX_MS);
  for (let quick = 0; quick < SETTLED_TIMES && !giveUp.aborted; ) {
    const askedAtMs = performance.now();
    await fetch(`${serving.address}/healthz`, { signal: giveUp }).catch(() => null);
    quick = performance.now() - askedAtMs < SETTLED_MS ? quick + 1 : 0;
    await elapsed(SETTLED_MS);
  }
}
