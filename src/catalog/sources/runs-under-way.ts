import type { Outcome } from "./outcome.ts";
import { isBot, type Source } from "./sources.table.ts";

/**
 * Most concurrent runs of a process. Bots mostly wait, so their own limit keeps them from blocking files.
 */
const AT_ONCE_MAX = { files: 4, bots: 32 };

interface RunUnderWay {
  /** Its state when the run began. */
  source: Source;
  running: Promise<Outcome>;
  stop(): void;
}

/** Runs of sources in this process. */
export function createRunsUnderWay() {
  const runs = new Map<number, RunUnderWay>();
  const stopping = new AbortController();

  /** Settles when all of them have ended. */
  async function settled(): Promise<void> {
    while (runs.size > 0) {
      await Promise.allSettled([...runs.values()].map(({ running }) => running));
    }
  }

  return {
    /** Aborted when this process stops. */
    signal: stopping.signal,
    settled,
    has: (id: number): boolean => runs.has(id),
    all: (): readonly RunUnderWay[] => [...runs.values()],

    isFull({ settings }: Source): boolean {
      const isOfBot = isBot(settings);
      const alike = [...runs.values()].filter(({ source }) => isBot(source.settings) === isOfBot);
      return alike.length >= (isOfBot ? AT_ONCE_MAX.bots : AT_ONCE_MAX.files);
    },

    /** @param run gets a signal that is aborted when the run should stop */
    start(source: Source, run: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
      const own = new AbortController();
      const running = run(AbortSignal.any([own.signal, stopping.signal]));
      runs.set(source.id, { source, running, stop: () => own.abort() });
      const forget = (): void => void runs.delete(source.id);
      void running.then(forget, forget);
      return running;
    },

    /** Interrupts all runs and waits until they have ended. Rows already written stay. */
    async stop(): Promise<void> {
      stopping.abort();
      await settled();
    },
  };
}
