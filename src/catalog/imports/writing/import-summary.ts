import type { Recognized } from "../reading/recognized.ts";
import { type ReasonGroup, reasonOf } from "./tally.ts";

export interface ImportSummary {
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** With `--replace` only. */
  removed?: number;
  /** For channels: handles that moved to another channel. */
  handles_moved?: number;
  seconds: number;
  recognized: Recognized;
  /** Rejected rows by column and reason. */
  rejects: ReasonGroup[];
  /** Dropped cells by column and reason, and oddities of the file. */
  warnings: ReasonGroup[];
}

export function nothingImported(recognized: Recognized): ImportSummary {
  return {
    read: 0,
    inserted: 0,
    updated: 0,
    unchanged: 0,
    rejected: 0,
    seconds: 0,
    recognized,
    rejects: [],
    warnings: [],
  };
}

/** Rows after which a file is given up if all of them were rejected. */
export const ROWS_TRIED = 10_000;

/**
 * Whether the first rows were all rejected, so that the rest is not read: a small compressed file may expand
 * to gigabytes of such rows.
 */
export function isHopeless({ read, rejected }: Pick<ImportSummary, "read" | "rejected">): boolean {
  return read >= ROWS_TRIED && rejected === read;
}

export function changedBy({ inserted, updated }: ImportSummary): number {
  return inserted + updated;
}

const GROUPS_MAX = 50;

/** Adds the summary of another file or batch; how it was read replaces how the earlier ones were. */
export function sumOf(before: ImportSummary | null, one: ImportSummary): ImportSummary {
  if (before === null) return one;
  const handlesMoved = (before.handles_moved ?? 0) + (one.handles_moved ?? 0);
  return {
    ...one,
    read: before.read + one.read,
    inserted: before.inserted + one.inserted,
    updated: before.updated + one.updated,
    unchanged: before.unchanged + one.unchanged,
    rejected: before.rejected + one.rejected,
    seconds: before.seconds + one.seconds,
    ...(one.handles_moved !== undefined && { handles_moved: handlesMoved }),
    rejects: [...before.rejects, ...one.rejects].slice(0, GROUPS_MAX),
    warnings: [...before.warnings, ...one.warnings].slice(0, GROUPS_MAX),
  };
}

/** A summary with its messages in English, for JSON. */
export function summaryView<Summary extends ImportSummary>({
  rejects,
  warnings,
  ...counts
}: Summary) {
  return { ...counts, rejects: rejects.map(groupView), warnings: warnings.map(groupView) };
}

function groupView({ fault, column, ...others }: ReasonGroup) {
  return { column, reason: reasonOf("en", { fault }), ...others };
}
