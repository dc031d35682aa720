import type { Outcome } from "./outcome.ts";
import { isBot, type Source } from "./sources.table.ts";

/** Most concurrent runs of a process: all mostly wait for the other side, but files take room on the disk. */
const AT_ONCE_MAX = { files: 16, bots: 32 };

interface RunUnderWay {
  source: Source;
  running: Promise<Outcome>;
  stop(): void;
}

/** The host of a file, which serves one source at a time; null for folders and bots. */
function hostOf(settings: Source["settings"]): string | null {
  return settings.kind === "pull" ? new URL(settings.url).host : null;
}

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

    /** Whether a source must wait: for a free slot, or for the one of its host. */
    mustWait({ settings }: Source): boolean {
      const all = [...runs.values()].map(({ source }) => source.settings);
      const host = hostOf(settings);
      const alike = all.filter((other) => isBot(other) === isBot(settings));
      return (
        alike.length >= AT_ONCE_MAX[isBot(settings) ? "bots" : "files"] ||
        (host !== null && all.some((one) => hostOf(one) === host))
      );
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
