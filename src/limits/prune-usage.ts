import { type Database, statement } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Day } from "../moscow-time.ts";
import type { Clock } from "../ports/clock.ts";

/** How long usage is kept by day. */
const USAGE_DAYS_KEPT = 400;

/** Removes the days of usage that are older. @returns how many rows went */
export function pruneUsage(db: Database, clock: Clock, today: Day): Promise<number> {
  return inTransaction(
    db,
    clock,
    "prune-usage",
    () =>
      statement(db, "DELETE FROM usage_days WHERE day <= ?").run(today - USAGE_DAYS_KEPT).changes,
  );
}
