import type { Database } from "../../../../db/database.ts";
import type { Clock } from "../../../../ports/clock.ts";
import type { ChannelRecord } from "../../../channels/card.ts";
import { createChannelIds, createChannelNumbers } from "../../../channels/channels.store.ts";
import { newestPostAt } from "../../../posts/posts.store.ts";
import type { Given, ReadRow, RowOutcome } from "../import-kind.ts";
import type { ChannelRow } from "./row-identity.ts";

/** Columns that can name the channel; a row that refreshes it gives exactly one of them. */
const IDENTITIES = ["id", "msgr_id", "handle"] as const;
const NUMBERS = ["subscribers", "subscribers_at", "last_post_at"] as const;
const IDENTITY_OR_NUMBER: ReadonlySet<string> = new Set([...IDENTITIES, ...NUMBERS]);

/**
 * Returns a function that writes a row which only gives an existing channel's numbers. The channel's card
 * and texts stay unchanged and are not even read, so that it takes a third of the time of any other row.
 * @returns null, with nothing written, for any other row
 */
export function createRefresh(
  db: Database,
  clock: Clock,
): (row: Given<ChannelRow>) => RowOutcome | null {
  const ids = createChannelIds(db);
  const numbers = createChannelNumbers(db);

  function find({ id, msgr_id, handle }: Given<ChannelRow>): number | undefined {
    // A null would clear the other identity.
    if (id != null) return msgr_id === undefined && handle === undefined ? id : undefined;
    if (msgr_id != null) return handle === undefined ? ids.byMessengerId(msgr_id) : undefined;
    return handle == null ? undefined : ids.byHandle(handle);
  }

  return (row) => {
    for (const name in row) if (!IDENTITY_OR_NUMBER.has(name)) return null;
    const id = find(row);
    const stored = id === undefined ? undefined : numbers.find(id);
    if (stored === undefined) return null;
    const { id: channelId, last_post_at } = stored;
    const now = {
      id: channelId,
      ...latestReading(row, stored, clock.now()),
      last_post_at: row.last_post_at === undefined ? last_post_at : row.last_post_at,
    };
    // The newest post is only looked up for an earlier time, because the stored one is never before it.
    if ((now.last_post_at ?? 0) < (last_post_at ?? 0)) {
      const newest = newestPostAt(db, channelId);
      if (newest !== null) now.last_post_at = Math.max(now.last_post_at ?? 0, newest);
    }
    return numbers.update(now, stored) ? "updated" : "unchanged";
  };
}

type Reading = Pick<ChannelRecord, "subscribers" | "subscribers_at">;

/** The newer reading of subscribers: the stored one, or the row's, which is of now unless it says when. */
export function latestReading(
  { subscribers, subscribers_at: at }: Given<ChannelRow>,
  stored: Reading = { subscribers: 0, subscribers_at: null },
  nowMs: number,
): Reading {
  const { subscribers_at: before } = stored;
  const isOlder = at != null && before !== null && at < before;
  if (subscribers == null || isOlder) {
    return { subscribers: stored.subscribers, subscribers_at: before };
  }
  const isSame = before !== null && subscribers === stored.subscribers;
  return { subscribers, subscribers_at: at ?? (isSame ? before : nowMs) };
}

/**
 * Sorts rows that refresh channels by their subscribers, so that neighbours in that ordering are written
 * together: each page of that index is then written once or twice for all of them instead of once for each.
 * (The table itself is in order of numbers, with a hundred channels on a page.) If any row is not such a
 * row, or two are of one channel, the order stays and the same list is returned.
 */
export function inOrderOfSubscribers(
  rows: readonly ReadRow<ChannelRow>[],
): readonly ReadRow<ChannelRow>[] {
  const [first] = rows;
  const identity = first && IDENTITIES.find((name) => nameOf(first, name) !== null);
  if (identity === undefined) return rows;
  const named = new Set<number | string>();
  for (const row of rows) {
    const name = nameOf(row, identity);
    if (name === null) return rows;
    named.add(name);
  }
  if (named.size < rows.length) return rows;
  return rows.toSorted((one, other) => subscribersOf(one) - subscribersOf(other));
}

/** The channel's name in a row that refreshes it and names it by this column alone; null for any other row. */
function nameOf(
  row: ReadRow<ChannelRow>,
  identity: (typeof IDENTITIES)[number],
): number | string | null {
  if ("fault" in row) return null;
  for (const name in row.given) {
    if (name !== identity && !NUMBERS.some((number) => number === name)) return null;
  }
  const name = row.given[identity] ?? null;
  return typeof name === "string" ? name.toLowerCase() : name;
}

function subscribersOf(row: ReadRow<ChannelRow>): number {
  return "given" in row ? (row.given.subscribers ?? 0) : 0;
}
