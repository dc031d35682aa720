import type { Hour } from "../../../../../upkeep/hours/hours.table.ts";
import { DAY_MS, HOUR_MS } from "../../../../../values/moscow-time.ts";
import { useSite } from "../../../visit/use-visit.ts";

/** Latest import runs to examine, and the days during which a failed one is counted. */
const RUNS = 20;
const FAILED_DAYS = 7;

/** Counts of possible problems and of people, and the customers who use most. */
export async function countsOf(nowMs: number) {
  const { staffSummary, jobs, mails, recentErrors, imports, sources } = useSite();
  return {
    ...(await staffSummary({ nowMs })),
    jobsFailed: (await jobs.list()).filter(({ failure }) => failure !== null).length,
    importsFailed: (await imports.runs(RUNS)).filter(
      ({ state, startedAt, finishedAt }) =>
        state === "failed" && (finishedAt ?? startedAt) >= nowMs - FAILED_DAYS * DAY_MS,
    ).length,
    sourcesSilent: (await sources.silent()).length,
    errors: (await recentErrors()).filter(({ level }) => level === "error").length,
    mailsQueued: await mails.queued(),
  };
}

/** How fast the disk fills up; null where unknown. */
export interface DiskOutlook {
  fileBytes: number | null;
  /** Per day, averaged over the recorded hours. */
  growthBytes: number | null;
  freeBytes: number | null;
  daysLeft: number | null;
}

/** Shortest recorded time from which the growth of a day is estimated. */
const GROWTH_KNOWN_MS = 6 * HOUR_MS;

export async function diskOutlook(hours: readonly Hour[]): Promise<DiskOutlook> {
  const { freeDiskBytes } = useSite();
  const first = hours[0];
  const last = hours.at(-1);
  const freeBytes = await freeDiskBytes();
  if (first === undefined || last === undefined) {
    return { fileBytes: null, growthBytes: null, freeBytes, daysLeft: null };
  }
  const { fileBytes } = last;
  const passedMs = last.startedAt - first.startedAt;
  if (passedMs < GROWTH_KNOWN_MS)
    return { fileBytes, growthBytes: null, freeBytes, daysLeft: null };
  const growthBytes = Math.max(0, ((fileBytes - first.fileBytes) / passedMs) * DAY_MS);
  const daysLeft =
    freeBytes === null || growthBytes === 0 ? null : Math.floor(freeBytes / growthBytes);
  return { fileBytes, growthBytes, freeBytes, daysLeft };
}
