import { type Database, statement, type Transaction } from "../../db/database.ts";
import { inParts } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";

/**
 * Channels ordered by their last post, in `last_post_order`. The order is coarse, in steps,
 * so that refreshing a channel writes little. Triggers maintain it.
 */

/** Step of channels without a last post, after all others. */
export const NO_POST_STEP = -Number.MAX_SAFE_INTEGER;
/** Some 17 minutes. */
const STEP_MS = 2 ** 20;

/** Entries examined per step: about a millisecond. */
const ENTRIES_PER_STEP = 500;

export function stepOf(lastPostAt: number): number {
  return Math.floor(lastPostAt / STEP_MS);
}

interface Entry {
  is_chat: number;
  step: number;
  id: number;
  isStale: number;
}

/** SQL: whether the entry is outdated, that is, not its channel's current one. */
const IS_STALE = `NOT EXISTS (
  SELECT 1 FROM channels c
  WHERE c.id = o.id AND c.is_chat = o.is_chat AND c.last_post_at IS o.last_post_at)`;

/**
 * Removes outdated entries, which channels leave when their last post changes. Walks skip them until then,
 * so this runs only at night, and after an import that moved very many channels.
 */
export async function pruneLastPostOrder(db: Database, clock: Clock): Promise<void> {
  const first = { is_chat: 0, step: Number.MAX_SAFE_INTEGER, id: 0 };
  let after = first;
  await inParts(db, clock, "prune-order", (tx) => {
    const entries = entriesAfter(tx, after);
    const last = entries.at(-1);
    if (last !== undefined) {
      const stale = entries.filter(({ isStale }) => isStale === 1);
      if (stale.length > 0) remove(tx, stale);
      after = last;
      return true;
    }
    if (after.is_chat === 1) return false;
    after = { ...first, is_chat: 1 };
    return true;
  });
}

/**
 * The next entries of a kind in the order: the rest of the current step, or else those of the following
 * steps.
 */
function entriesAfter(db: Database, after: Omit<Entry, "isStale">): Entry[] {
  const rest = entriesWhere(db, "o.step = @step AND o.id > @id", after);
  return rest.length > 0 ? rest : entriesWhere(db, "o.step < @step", after);
}

function entriesWhere(db: Database, where: string, after: Omit<Entry, "isStale">): Entry[] {
  return statement<Entry>(
    db,
    `SELECT o.is_chat, o.step, o.id, ${IS_STALE} AS isStale FROM last_post_order o
     WHERE o.is_chat = @is_chat AND ${where}
     ORDER BY o.step DESC, o.id LIMIT ${ENTRIES_PER_STEP}`,
  ).all({ ...after });
}

function remove(tx: Transaction, entries: readonly Entry[]): void {
  const removeEntry = statement(
    tx,
    "DELETE FROM last_post_order WHERE is_chat = ? AND step = ? AND id = ?",
  );
  for (const { is_chat, step, id } of entries) removeEntry.run(is_chat, step, id);
}
