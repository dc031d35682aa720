import type { ImportSummary } from "../imports/run-import.ts";

const GROUPS_MAX = 50;

/** The summary of several files or batches: the way of reading is that of the last one. */
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
