import type { Log } from "./log.ts";

/**
 * A log that can be held back while text for a person is being printed: entries are written afterwards.
 * Errors are written at once.
 */
export function createHeldLog(log: Log) {
  let waiting: (() => void)[] | null = null;
  const inTurn =
    (level: "debug" | "info" | "warn") =>
    (fields: object, message: string): void => {
      if (waiting === null) log[level](fields, message);
      else waiting.push(() => log[level](fields, message));
    };
  const held: Log = {
    debug: inTurn("debug"),
    info: inTurn("info"),
    warn: inTurn("warn"),
    error: (fields, message) => log.error(fields, message),
  };

  return {
    log: held,

    /** Holds the log back until the work ends or fails. */
    async during(work: () => void | Promise<void>): Promise<void> {
      waiting = [];
      try {
        await work();
      } finally {
        const written = waiting;
        waiting = null;
        for (const write of written) write();
      }
    },
  };
}
