import { type AnsweredRequest, createRequestLog } from "../customers/limits/request-log.ts";
import { createHours } from "../upkeep/hours/hours.ts";
import type { Base } from "./compose-base.ts";

/** Records of answered requests: the log for the owners of keys, and the hours for staff. */
export function composeAnswers({ config, ports, threads: { requestLog } }: Base) {
  const requests = createRequestLog(
    config.requestLog ? requestLog.writeRequestLog : null,
    ports.log,
  );
  const hours = createHours(requestLog.writeHour, ports);
  return {
    note(keyId: number, answered: AnsweredRequest): void {
      requests.note(keyId, answered);
      hours.note(answered);
    },

    /** Writes what waits. Never throws. */
    async flush(): Promise<void> {
      await requests.flush();
      await hours.flush();
    },
  };
}
