import type { DatabaseThreads } from "./database-threads.ts";
import type { Database } from "./db/database.ts";
import { createKeyUse, type KeyUse } from "./keys/key-use.ts";
import { createLimits, type Limits } from "./limits/limits.ts";
import { createRates } from "./limits/rates.ts";
import { type CommitUsage, createUsage, type Usage } from "./limits/usage.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Log } from "./ports/log.ts";

/** What counts requests and says which are too many, and notes the use of keys along with it. */
export function composeLimits(
  db: Database,
  threads: DatabaseThreads,
  log: Log,
  counted: Metrics["counted"],
): { keyUse: KeyUse; usage: Usage; limits: Limits } {
  const keyUse = createKeyUse();
  const commitUsage: CommitUsage = async (entries) => {
    const keyUses = keyUse.take();
    try {
      return await threads.usage.run("commitUsage", { entries, keyUses });
    } catch (error) {
      keyUse.giveBack(keyUses);
      log.warn({ err: error, entries: entries.length }, "usage could not be committed");
      throw error;
    }
  };
  const usage = createUsage(db, counted.commits(commitUsage));
  return { keyUse, usage, limits: createLimits(createRates(), usage) };
}
