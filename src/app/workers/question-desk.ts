import type { NewUpload } from "../../catalog/imports/runs/upload-files.ts";
import type { SetUpToken } from "../../doors/site/guard/set-up.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RecentEntry } from "../../ports/log.ts";
import type { Readiness } from "../../upkeep/checks/readiness.ts";
import type { MetricsJson } from "../../upkeep/metrics/metrics.ts";

/** How long to wait for a worker's answer; after that it counts as having none. */
const ANSWER_MAX_MS = 2_000;

/** Loaded lazily: commands need no metrics and start 30 ms faster without them. */
async function sum(all: MetricsJson[]): Promise<MetricsJson> {
  const { summed } = await import("../../upkeep/metrics/metrics.ts");
  return summed(all);
}

/**
 * Relays a worker's questions to all others, and their answers back.
 * @param workers the running workers, numbered from 1 to `count`
 */
export function createQuestionDesk(
  workers: ReadonlyMap<number, WorkerChild>,
  count: number,
  clock: Clock,
) {
  const waiting = new Map<number, (answer: unknown) => void>();
  const counts = createLastingCounts(sum);
  let lastId = 0;

  async function answerOf(number: number, question: Question): Promise<unknown> {
    const worker = workers.get(number);
    if (worker === undefined || !worker.isReady) return null;
    const id = ++lastId;
    const answered = new Promise<unknown>((resolve) => waiting.set(id, resolve));
    sendTo(worker, { question, id });
    const late = new AbortController();
    try {
      return await Promise.race([
        answered,
        clock.sleep(ANSWER_MAX_MS, late.signal).then(() => null),
      ]);
    } finally {
      late.abort();
      waiting.delete(id);
    }
  }

  /** Metrics of all other workers, including those that ended. */
  async function metricsOf(others: readonly number[]): Promise<unknown[]> {
    // The asking worker's own metrics are not forwarded.
    const question: Question = { name: "metrics", argument: [] };
    const answers = await Promise.all(
      others.map(async (number) => {
        const answer = (await answerOf(number, question)) as MetricsJson | null;
        if (answer === null) return counts.lastOf(number);
        counts.note(number, answer);
        return answer;
      }),
    );
    return [...answers, await counts.ofEnded()];
  }

  return {
    /** @param of the asking worker */
    async ask(of: number, question: Question, id: number): Promise<void> {
      const all = Array.from({ length: count }, (_, at) => at + 1);
      const others = all.filter((number) => number !== of);
      if (question.name === "metrics") counts.note(of, question.argument);
      const answers =
        question.name === "metrics"
          ? await metricsOf(others)
          : await Promise.all(others.map((number) => answerOf(number, question)));
      const asker = workers.get(of);
      if (asker !== undefined) sendTo(asker, { answers, id });
    },

    answered(id: number, answer: unknown): void {
      waiting.get(id)?.(answer);
    },

    /** Records that a worker has ended and keeps its counters. */
    ended: counts.ended,
  };
}

/**
 * Keeps the last known counters of workers that ended. Without them the sum would drop when a worker ends;
 * Prometheus would take that for a restart of the whole appliance and count everything again.
 * @param sum merges the metrics of several workers
 */
export function createLastingCounts(sum: (all: MetricsJson[]) => Promise<MetricsJson>) {
  const last = new Map<number, MetricsJson>();
  let ofEnded: Promise<MetricsJson> = Promise.resolve([]);

  /** Last known counters of a worker. Gauges describe the present, so one that is silent or ended has none. */
  function lastOf(worker: number): MetricsJson | null {
    return last.get(worker)?.filter(({ type }) => String(type) !== "gauge") ?? null;
  }

  return {
    note(worker: number, metrics: MetricsJson): void {
      last.set(worker, metrics);
    },

    ended(worker: number): void {
      const counts = lastOf(worker) ?? [];
      last.delete(worker);
      // Counters that cannot be merged are lost; failing would end the supervisor, and all workers with it.
      ofEnded = ofEnded.then((before) => sum([before, counts]).catch(() => before));
    },

    lastOf,

    ofEnded: (): Promise<MetricsJson> => ofEnded,
  };
}

/** Questions that a worker may ask all others, each with its argument and the type of its answer. */
export interface Questions {
  /** The argument is the asking worker's own metrics, which the supervisor keeps for when it has ended. */
  metrics: { argument: MetricsJson; answer: MetricsJson };
  ready: { argument: null; answer: Readiness };
  errors: { argument: null; answer: RecentEntry[] };
  findUpload: { argument: string; answer: NewUpload | null };
  releaseUpload: { argument: string; answer: NewUpload | null };
}

export type Question = {
  [Name in keyof Questions]: { name: Name; argument: Questions[Name]["argument"] };
}[keyof Questions];

export interface WorkerStart {
  /** The worker's number, counted from 1. */
  number: number;
  count: number;
  setUp: SetUpToken;
  /** Instant that the shared memory's times are relative to; epoch milliseconds. */
  baseMs: number;
  /** When the machine booted, by the supervisor's clock while it was right; epoch milliseconds. */
  bootedAt: number;
}

export type ToWorker =
  | { start: WorkerStart }
  /** Another worker's question, which this one answers. */
  | { question: Question; id: number }
  /** Answers to a question of this worker; null for each worker that gave none. */
  | { answers: unknown[]; id: number }
  /** Echoed by any worker whose event loop is running. */
  | { heartbeat: true }
  | { stop: true };

export type FromWorker =
  /** The worker is listening. */
  | { ready: true; setUpPath: string | null }
  | { ask: Question; id: number }
  | { heartbeat: true }
  | { answer: unknown; id: number };

/** A worker process, as its supervisor sees it. */
export interface WorkerChild {
  child: Bun.Subprocess<"ignore", "inherit", "inherit">;
  /** Whether it is listening. */
  isReady: boolean;
  /** Heartbeats sent since its last answer. */
  unanswered: number;
}

/** Sends a message; does nothing if the worker is ending. */
export function sendTo({ child }: WorkerChild, message: ToWorker): void {
  try {
    child.send(message);
  } catch {}
}
