import { hasWork } from "../catalog/post-search/catch-up.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Ports } from "../ports/ports.ts";
import type { DatabaseThreads } from "./database-threads.ts";

/** Goes on with the index of posts where there is something to do, a few seconds of work at a time. */
export function composePostSearch(
  db: Database,
  { jobs }: DatabaseThreads,
  { postSearch }: Config,
  { log }: Ports,
): { look(): Promise<void> } {
  return {
    async look() {
      try {
        if (hasWork(db, postSearch)) await jobs.catchUp(postSearch);
      } catch (error) {
        log.error({ err: error }, "the index of posts could not be brought up to date");
      }
    },
  };
}
