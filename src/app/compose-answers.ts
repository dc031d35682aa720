import type { Config } from "../config.ts";
import { type AnsweredRequest, createRequestLog } from "../customers/limits/request-log.ts";
import type { Ports } from "../ports/ports.ts";
import { createHours } from "../upkeep/hours/hours.ts";
import type { DatabaseThreads } from "./database-threads.ts";

/** Records of answered requests: the log for the owners of keys, and the hours for staff. */
export function composeAnswers(
  { requestLog: { writeRequestLog, writeHour } }: DatabaseThreads,
  config: Config,
  ports: Ports,
) {
  const requests = createRequestLog(config.requestLog ? writeRequestLog : null, ports.log);
  const hours = createHours(writeHour, ports);
  return {
    note(keyId: number, answered: AnsweredRequest): void {
      requests.note(keyId, answered);
      hours.note(answered);
    },

    /** Writes what waits, of a long log of requests a part. Never throws. */
    async flush(): Promise<void> {
      await requests.flush();
      await hours.flush();
    },

    /** Writes all that waits. Never throws. */
    async settled(): Promise<void> {
      await requests.settled();
      await hours.flush();
    },
  };
}
