import { type Database, statement } from "../db/database.ts";
import { findMeta, writeMeta } from "../db/meta.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Day } from "../moscow-time.ts";
import type { Clock } from "../ports/clock.ts";

/** How long usage is kept by day. */
const USAGE_DAYS_KEPT = 400;

/**
 * Removes the days of usage that are older, and notes up to which day: by a clock that is ahead they
 * may be days of this year. @returns how many rows went
 */
export function pruneUsage(db: Database, clock: Clock, today: Day): Promise<number> {
  const until = today - USAGE_DAYS_KEPT;
  return inTransaction(db, clock, "prune-usage", () => {
    const { changes } = statement(db, "DELETE FROM usage_days WHERE day <= ?").run(until);
    const before = Number(Buffer.from(findMeta(db, "usage_removed_until") ?? []).toString());
    if (changes > 0 && until > before) {
      writeMeta(db, "usage_removed_until", Buffer.from(String(until)));
    }
    return changes;
  });
}
