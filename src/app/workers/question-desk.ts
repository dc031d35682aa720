import type { Clock } from "../../ports/clock.ts";
import type { MetricsJson } from "../../upkeep/metrics/metrics.ts";
import type { Question } from "./worker-messages.ts";
import { sendTo, type WorkerChild } from "./worker-messages.ts";

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
