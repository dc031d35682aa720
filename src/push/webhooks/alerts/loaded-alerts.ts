import type { Database } from "../../../db/database.ts";
import type { Day } from "../../../values/moscow-time.ts";
import { type AlertIndex, createAlertIndex } from "./alert-index.ts";
import { lastAlertChange } from "./alerts.store.ts";
import {
  type AskedRow,
  selectAlertChanges,
  selectAsked,
  selectAskedAfter,
} from "./loaded-alerts.store.ts";

/**
 * Posts that an alert sends on a Moscow day. One of frequent words would match nearly all posts, and many
 * such alerts would fill the disk with what nobody reads.
 */
export const ALERT_POSTS_A_DAY = 1_000;
/** Alerts that are read by one statement: some milliseconds, most of it reading what they ask for. */
const READ_MAX = 50;

/** The alerts of a file in memory. */
interface Loaded {
  index: AlertIndex;
  /** Alerts up to this number are read; null: all. */
  readUntil: number | null;
  /** Changes up to this are in the index. */
  change: number;
  /** The Moscow day: alerts that have sent all their posts of it are left out. */
  day: Day;
}

const loadedOf = new WeakMap<Database, Loaded>();

/**
 * The alerts of webhooks that get events, as they are at this moment. All of them are read at first, on
 * a new day, and where more has been changed than the file keeps changes; else what was changed since the
 * last call, by whichever process. Waits for nothing.
 * @param isOver whether the caller's time is over: reading all alerts goes on with the next call
 * @returns null until all have been read
 */
export function currentAlerts(db: Database, today: Day, isOver: () => boolean): AlertIndex | null {
  const loaded = catchUp(db, today) ?? startOver(db, today);
  while (loaded.readUntil !== null) {
    const rows = selectAskedAfter(db, { after: loaded.readUntil, limit: READ_MAX });
    for (const row of rows) take(loaded, row);
    loaded.readUntil = rows.at(-1)?.id ?? null;
    if (isOver() && loaded.readUntil !== null) return null;
  }
  return loaded.index;
}

function startOver(db: Database, day: Day): Loaded {
  const loaded = { index: createAlertIndex(), readUntil: 0, change: lastAlertChange(db), day };
  loadedOf.set(db, loaded);
  return loaded;
}

function catchUp(db: Database, today: Day): Loaded | null {
  const loaded = loadedOf.get(db);
  if (loaded?.day !== today) return null;
  // The last change first: what comes in between is read once more with the next call.
  const last = lastAlertChange(db);
  const changed = selectAlertChanges(db, loaded.change, last);
  if (changed === null) return null;
  loaded.change = last;
  for (const id of new Set(changed)) {
    loaded.index.remove(id);
    const row = selectAsked(db, id);
    if (row !== undefined) take(loaded, row);
  }
  return loaded;
}

function take(
  { index, day }: Loaded,
  { id, disabledReason, sentDay, sentPosts, ...asked }: AskedRow,
): void {
  const isFull = sentDay === day && sentPosts >= ALERT_POSTS_A_DAY;
  if (disabledReason === "" && !isFull) index.put(id, asked);
}
