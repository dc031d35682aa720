import channelsFile from "../../../data/sample/channels.ndjson" with { type: "file" };
import postsFile from "../../../data/sample/posts.ndjson" with { type: "file" };
import statisticsFile from "../../../data/sample/stats.csv" with { type: "file" };
import type { Database } from "../../db/database.ts";
import { findMeta, writeMeta } from "../../db/meta.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
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
import { importFile } from "../imports/import-file.ts";
import type { Fields } from "../imports/reading/input-row.ts";
import { computeMetrics } from "../metrics/compute-metrics.ts";
import { markSample } from "./sample.store.ts";

/** Last day in the files, of both statistics and posts. */
const LAST_DAY_OF_FILES = "2024-12-04";
/** Numbers that the files give their channels. */
const CHANNELS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Whether loading the sample began but did not finish. */
export function isSampleUnfinished(db: Database): boolean {
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
