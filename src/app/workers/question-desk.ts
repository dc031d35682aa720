import type { Clock } from "../../ports/clock.ts";
import type { MetricsJson } from "../../upkeep/metrics/metrics.ts";
import { createLastingCounts } from "./lasting-counts.ts";
import { tell, type WorkerChild } from "./worker-child.ts";
import type { Question } from "./worker-messages.ts";

/** A worker that has not answered after so long is told as one that does not. */
const ANSWER_MAX_MS = 2_000;

/** Loaded here, since commands measure nothing and would take 30 ms longer. */
async function sum(all: MetricsJson[]): Promise<MetricsJson> {
  const { summed } = await import("../../upkeep/metrics/metrics.ts");
  return summed(all);
}

/**
 * Carries the questions of one worker to all others, and their answers back.
 * @param workers those that run, by their numbers from 1 to `count`
 */
export function createQuestionDesk(
  workers: ReadonlyMap<number, WorkerChild>,
  count: number,
  clock: Clock,
) {
  const waiting = new Map<number, (answer: unknown) => void>();
  const counts = createLastingCounts(sum);
  let lastId = 0;

  async function answerOf(number: number, asked: Question): Promise<unknown> {
    const worker = workers.get(number);
    if (worker === undefined || !worker.isReady) return null;
    const id = ++lastId;
    const answered = new Promise<unknown>((resolve) => waiting.set(id, resolve));
    tell(worker, { asked, id });
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

  /** Metrics of all others, of those that ended too. */
  async function metricsOf(others: readonly number[]): Promise<unknown[]> {
    // One's own are not sent on to those who are asked for theirs.
    const asked: Question = { name: "metrics", asked: [] };
    const answers = await Promise.all(
      others.map(async (number) => {
        const answer = (await answerOf(number, asked)) as MetricsJson | null;
        if (answer === null) return counts.lastOf(number);
        counts.note(number, answer);
        return answer;
      }),
    );
    return [...answers, await counts.ofEnded()];
  }

  return {
    /** @param of the worker that asks */
    async ask(of: number, question: Question, id: number): Promise<void> {
      const all = Array.from({ length: count }, (_, at) => at + 1);
      const others = all.filter((number) => number !== of);
      if (question.name === "metrics") counts.note(of, question.asked);
      const told =
        question.name === "metrics"
          ? await metricsOf(others)
          : await Promise.all(others.map((number) => answerOf(number, question)));
      const asker = workers.get(of);
      if (asker !== undefined) tell(asker, { told, id });
    },

    answered(id: number, answer: unknown): void {
      waiting.get(id)?.(answer);
    },

    /** A worker has ended: what it counted stays. */
    ended: counts.ended,
  };
}
