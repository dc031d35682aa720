import type { Clock } from "../../ports/clock.ts";
import { tell, type WorkerChild } from "./worker-child.ts";
import type { Question } from "./worker-messages.ts";

/** A worker that has not answered after so long is told as one that does not. */
const ANSWER_MAX_MS = 2_000;

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

  return {
    /** @param of the worker that asks */
    async ask(of: number, question: Question, id: number): Promise<void> {
      const all = Array.from({ length: count }, (_, at) => at + 1);
      const others = all.filter((number) => number !== of);
      const told = await Promise.all(others.map((number) => answerOf(number, question)));
      const asker = workers.get(of);
      if (asker !== undefined) tell(asker, { told, id });
    },

    answered(id: number, answer: unknown): void {
      waiting.get(id)?.(answer);
    },
  };
}
