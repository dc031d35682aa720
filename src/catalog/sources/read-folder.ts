import { INTERRUPTED } from "../imports/reading/input.ts";
import { sumOf } from "../imports/writing/import-summary.ts";
import { type FileTools, importOne } from "./file-tools.ts";
import { folderFiles } from "./folder-files.ts";
import { failed, NOTHING, type Outcome } from "./outcome.ts";
import type { FileOptions } from "./sources.table.ts";

/** A younger file may still be being written. */
const SETTLED_MS = 10_000;

/** Reads each new or changed file once, in the order of their names. */
export async function readFolder(
  { folder, ...options }: { folder: string } & FileOptions,
  tools: FileTools,
): Promise<Outcome> {
  const doneFiles = tools.isAgain ? [] : await tools.doneFiles();
  const done = new Map(doneFiles.map((file) => [file.name, file]));
  const listed = await folderFiles(folder);
  if ("failure" in listed) return failed(listed.failure);
  let outcome = NOTHING;
  for (const { path, ...file } of listed.files) {
    const known = done.get(file.name);
    if (known?.bytes === file.bytes && known.modifiedAt === file.modifiedAt) continue;
    // A time further in the future comes from another clock, and is not waited for.
    if (Math.abs(tools.nowMs() - file.modifiedAt) < SETTLED_MS) {
      // Later files wait too, to keep the order.
      return { ...outcome, unsettled: file.name, retryAfterMs: SETTLED_MS };
    }
    if (tools.signal.aborted) return { ...outcome, failure: INTERRUPTED };
    const imported = await importOne(tools, { path, name: file.name, options });
    const summary =
      imported.summary === null ? outcome.summary : sumOf(outcome.summary, imported.summary);
    const rows = outcome.rows + imported.rows;
    if (imported.failure !== null) {
      // Later files wait, since they may depend on it.
      return { ...outcome, summary, rows, failure: imported.failure, failedFile: file.name };
    }
    // Recorded as it was before the import: if it was written to meanwhile, it differs and is read again.
    await tools.fileDone(file);
    const lagMs = Math.max(0, tools.nowMs() - file.modifiedAt);
    outcome = { ...outcome, summary, rows, position: { lagMs } };
  }
  return outcome;
}
