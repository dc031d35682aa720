import { type Database, statement } from "../../db/database.ts";
import { findMeta, writeMeta } from "../../db/meta.ts";
import { inParts } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Day } from "../../values/moscow-time.ts";

/** How long usage is kept by day. */
const USAGE_DAYS_KEPT = 400;

/** SQL: the next organization that has usage, found by one step in the key. */
const NEXT_ORGANIZATION = `
  SELECT min(organization_id) AS id FROM usage_days WHERE organization_id > ?`;

/** The oldest day of an organization, where it is old enough. */
const REMOVE_DAY = `
  DELETE FROM usage_days WHERE organization_id = @id AND day = (
    SELECT min(day) FROM usage_days WHERE organization_id = @id AND day <= @until)`;

/**
 * Removes older days of usage, one organization's day in a step. Notes up to which day, since a clock
 * that is ahead may remove days of this year. @returns how many rows were removed
 */
export async function pruneUsage(db: Database, clock: Clock, today: Day): Promise<number> {
  const until = today - USAGE_DAYS_KEPT;
  const next = statement<{ id: number | null }>(db, NEXT_ORGANIZATION);
  const removeDay = statement(db, REMOVE_DAY);
  let removed = 0;
  let id = next.get(0)?.id ?? null;
  await inParts(db, clock, "prune-usage", () => {
    if (id === null) return false;
    const { changes } = removeDay.run({ id, until });
    if (changes > 0 && removed === 0) noteRemoval(db, until);
    removed += changes;
    if (changes === 0) id = next.get(id)?.id ?? null;
    return true;
  });
  return removed;
}

/** Called with the first removal: a run that breaks off later has removed something too. */
function noteRemoval(db: Database, until: Day): void {
  const before = Number(Buffer.from(findMeta(db, "usage_removed_until") ?? []).toString());
  if (until > before) writeMeta(db, "usage_removed_until", Buffer.from(String(until)));
}
