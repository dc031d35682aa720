import { sumOf } from "../imports/import-summary.ts";
import { INTERRUPTED } from "../imports/input.ts";
import { type FileTools, importOne } from "./file-tools.ts";
import { folderFiles } from "./folder-files.ts";
import { failed, NOTHING, type Outcome } from "./outcome.ts";
import type { FileOptions } from "./sources.table.ts";

/** A file that is younger may still be written. */
const SETTLED_MS = 10_000;

/** Reads the files of a folder that are new or changed, each once, in the order of their names. */
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
    // A time that lies ahead is that of another clock.
    if (Math.abs(tools.nowMs() - file.modifiedAt) < SETTLED_MS) {
      // Those behind it wait too, since they are read in the order of their names.
      return { ...outcome, unsettled: file.name, retryAfterMs: SETTLED_MS };
    }
    if (tools.signal.aborted) return { ...outcome, failure: INTERRUPTED };
    const imported = await importOne(tools, { path, name: file.name, options });
    const summary =
      imported.summary === null ? outcome.summary : sumOf(outcome.summary, imported.summary);
    const rows = outcome.rows + imported.rows;
    if (imported.failure !== null) {
      // Those behind it wait, since they may build on it.
      return { ...outcome, summary, rows, failure: imported.failure, failedFile: file.name };
    }
    // A file that was written to meanwhile is another one by now, and read again the next time.
    await tools.fileDone(file);
    const lagMs = Math.max(0, tools.nowMs() - file.modifiedAt);
    outcome = { ...outcome, summary, rows, position: { lagMs } };
  }
  return outcome;
}
