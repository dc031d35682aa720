import type { Database } from "../../../db/database.ts";
import type { Day } from "../../../values/moscow-time.ts";
import { type AlertIndex, createAlertIndex } from "./alert-index.ts";
import {
  type LoadedAlert,
  lastAlertChange,
  selectAlertChanges,
  selectLoadedAlert,
  selectLoadedAlertsAfter,
} from "./alerts.store.ts";

/**
 * Most posts that an alert sends per Moscow day. An alert on frequent words matches nearly all posts, and
 * many such alerts would fill the disk with events nobody reads.
 */
export const ALERT_POSTS_A_DAY = 1_000;
/** Alerts to read per statement: a few milliseconds, mostly for parsing their queries. */
const READ_MAX = 50;

/** The alerts of a database, in memory. */
interface Loaded {
  index: AlertIndex;
  /** Alerts up to this number have been read; null for all. */
  readUntil: number | null;
  /** Number of the last change that the index contains. */
  change: number;
  /** The Moscow day for which it is: alerts that have reached that day's limit are left out. */
  day: Day;
}

const loadedOf = new WeakMap<Database, Loaded>();

/**
 * The current alerts of webhooks that get events. All are read at first, on a new day, and if more was
 * changed than the file records; otherwise only what any process changed since the last call. Synchronous.
 * @param isOver whether the caller's time is up; the next call then continues reading
 * @returns null until all have been read
 */
export function currentAlerts(db: Database, today: Day, isOver: () => boolean): AlertIndex | null {
  const loaded = catchUp(db, today) ?? startOver(db, today);
  while (loaded.readUntil !== null) {
    const rows = selectLoadedAlertsAfter(db, { after: loaded.readUntil, limit: READ_MAX });
    for (const row of rows) take(loaded, row);
    loaded.readUntil = rows.at(-1)?.id ?? null;
    if (isOver() && loaded.readUntil !== null) return null;
  }
  return loaded.index;
}

/** Starts with an empty index, into which all alerts are to be read. */
function startOver(db: Database, day: Day): Loaded {
  const loaded = { index: createAlertIndex(), readUntil: 0, change: lastAlertChange(db), day };
  loadedOf.set(db, loaded);
  return loaded;
}

/** Brings the loaded alerts up to date; null if all must be read again. */
function catchUp(db: Database, today: Day): Loaded | null {
  const loaded = loadedOf.get(db);
  if (loaded?.day !== today) return null;
  // Before the alerts themselves, so that whatever is changed in between is read again by the next call.
  const last = lastAlertChange(db);
  const changed = selectAlertChanges(db, loaded.change, last);
  if (changed === null) return null;
  loaded.change = last;
  for (const id of new Set(changed)) {
    loaded.index.remove(id);
    const row = selectLoadedAlert(db, { id });
    if (row !== undefined) take(loaded, row);
  }
  return loaded;
}

/** Puts an alert into the index, unless it sends nothing today. */
function take(
  { index, day }: Loaded,
  { id, disabledReason, sentDay, sentPosts, ...criteria }: LoadedAlert,
): void {
  const isFull = sentDay === day && sentPosts >= ALERT_POSTS_A_DAY;
  if (disabledReason === "" && !isFull) index.put(id, criteria);
}
