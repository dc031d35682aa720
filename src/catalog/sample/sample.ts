import channelsFile from "../../../data/sample/channels.ndjson" with { type: "file" };
import postsFile from "../../../data/sample/posts.ndjson" with { type: "file" };
import statisticsFile from "../../../data/sample/stats.csv" with { type: "file" };
import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { findMeta, writeMeta } from "../../db/meta.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import {
  DAY_MS,
  type Day,
  dayOf,
  formatDay,
  formatInstant,
  parseDay,
  parseInstant,
} from "../../values/moscow-time.ts";
import { recount } from "../directory/recount.ts";
import { importFields, importFile } from "../imports/import-file.ts";
import type { Fields } from "../imports/reading/recognized.ts";
import type { Watchers } from "../manage/removals.store.ts";
import { finishRemovals, removeChannel } from "../manage/removals.ts";
import { computeMetrics } from "../metrics/compute-metrics.ts";
import { recountDays } from "../statistics/open-days.ts";
import { demoWorld } from "./demo-world.ts";
import { forgetSample, hasOwnChannels, markSample, selectSample } from "./sample.store.ts";

export type Sample = ReturnType<typeof createSample>;

/** The shipped channels for trying out the appliance. */
export function createSample(db: Database, clock: Clock, watchers: Watchers) {
  return {
    load: (): Promise<void> => loadSample(db, clock),
    /** Loads the demonstration in its place: hundreds of made-up channels. */
    loadDemo: (): Promise<void> => loadDemo(db, clock),
    isUnfinished: (): boolean => isSampleUnfinished(db),
    /** Numbers of its channels, without those that an import changed. */
    ids: (): number[] => selectSample(db),
    hasOwnChannels: (): boolean => hasOwnChannels(db),
    isCatalogEmpty: (): boolean => selectSample(db).length === 0 && !hasOwnChannels(db),
    /** @returns number of channels removed */
    remove: (by: Actor): Promise<number> => removeSample(db, clock, watchers, by),
  };
}

/** Last day in the files, of both statistics and posts. */
const LAST_DAY_OF_FILES = "2024-12-04";
/** Numbers that the files give their channels. */
const CHANNELS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Whether loading the sample began but did not finish. */
function isSampleUnfinished(db: Database): boolean {
  return Buffer.from(findMeta(db, "sample") ?? []).toString() === "loading";
}

/**
 * Loads the shipped sample, its days and posts shifted so that the last day is yesterday. If interrupted,
 * call it again to continue.
 */
export async function loadSample(db: Database, clock: Clock): Promise<void> {
  await noteState(db, clock, "loading");
  const days = dayOf(clock.now()) - 1 - (parseDay(LAST_DAY_OF_FILES) as Day);
  const later = (fields: Fields): Fields => movedBy(fields, days);
  await importFile(db, clock, "channels", channelsFile);
  await inTransaction(db, clock, "sample", (tx) => markSample(tx, CHANNELS));
  await importFile(db, clock, "posts", postsFile, later);
  await importFile(db, clock, "stats", statisticsFile, later);
  await recount(db, clock);
  await computeMetrics(db, clock);
  await noteState(db, clock, "loaded");
}

/** If interrupted, the next start continues with the sample itself. */
async function loadDemo(db: Database, clock: Clock): Promise<void> {
  const { channels, days, posts } = demoWorld(postsFile, dayOf(clock.now()) - 1);
  await importFields(db, clock, "channels", channels);
  const ids = channels.map(({ id }) => Number(id));
  await inTransaction(db, clock, "sample", (tx) => markSample(tx, ids));
  await importFields(db, clock, "stats", days());
  await importFields(db, clock, "posts", posts());
  await recountDays(db, clock);
  await recount(db, clock);
  await computeMetrics(db, clock);
}

const noteState = transaction("sample", (tx, _clock, state: "loading" | "loaded") =>
  writeMeta(tx, "sample", Buffer.from(state)),
);

function movedBy(fields: Fields, days: number): Fields {
  const day = parseDay(String(fields["day"]));
  const publishedAt = parseInstant(String(fields["published_at"]));
  return {
    ...fields,
    ...(day !== null && { day: formatDay(day + days) }),
    ...(publishedAt !== null && { published_at: formatInstant(publishedAt + days * DAY_MS) }),
  };
}

/**
 * Removes the sample's channels with their posts and statistics; channels that an import changed are kept.
 * If interrupted, call it again; if called twice at once, each channel is removed by one of the calls.
 * @returns number of channels removed
 */
export async function removeSample(
  db: Database,
  clock: Clock,
  watchers: Watchers,
  by: Actor,
): Promise<number> {
  let removed = 0;
  for (const id of selectSample(db)) {
    // Another call may have removed it meanwhile, and its number may now belong to one of the operator's
    // own.
    if (!selectSample(db).includes(id)) continue;
    if (await removeThere(() => removeChannel(db, clock, watchers, { id, intoId: null }, by))) {
      removed += 1;
    }
  }
  // Numbers of channels that another call removes are freed once these are completely gone.
  await finishRemovals(db, clock, watchers);
  if (removed > 0) await recount(db, clock);
  await inTransaction(db, clock, "sample", async (tx) => {
    forgetSample(tx);
    if (removed === 0) return;
    const details = { channels: removed };
    await recordChange(tx, clock, by, { action: "sample.remove", id: "channels", details });
  });
  return removed;
}

/** @returns false if the channel no longer existed */
async function removeThere(remove: () => Promise<void>): Promise<boolean> {
  try {
    await remove();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return false;
    throw error;
  }
}
