import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { recount } from "../directory/recount.ts";
import { importKinds } from "../imports/import-kinds.ts";
import { nothingRecognized } from "../imports/recognized.ts";
import { readRows, requireReadable } from "../imports/rows.ts";
import { type ImportSummary, runImport } from "../imports/run-import.ts";
import { cutGroup } from "../imports/run-upload.ts";
import { openSource, stoppable } from "../imports/source.ts";
import type { FileOptions } from "./sources.table.ts";

/** A file that a source gave. Plain data, since it is sent to a thread. */
export interface SourceFile {
  path: string;
  /** As it is told: an address, or a file's name. */
  name: string;
  options: FileOptions;
  messengerHosts: readonly string[];
  openDays: number;
  /** One 32-bit number in shared memory: other than 0 where the import is to stop. */
  stop: SharedArrayBuffer;
}

/**
 * Imports a file that a source gave, read through before any of it is written.
 * @throws AppError `invalid` for a file that cannot be read; `unavailable` where it is to stop
 */
export async function importSourceFile(
  db: Database,
  clock: Clock,
  { path, name, options, messengerHosts, openDays, stop }: SourceFile,
): Promise<ImportSummary> {
  const { rows: kindName, reading, timezone, strict } = options;
  const source = stoppable({ ...(await openSource(path)), name }, stop);
  await requireReadable(source);
  const recognized = nothingRecognized(timezone);
  const rows = readRows(source, kindName, reading, recognized);
  const summary = await runImport<never>(importKinds[kindName] as never, rows, {
    ...{ db, clock, recognized, replace: false },
    context: { clock, folder: null, messengerHosts, openDays, note: () => {} },
    cells: { timezone, strict },
    onReject: () => {},
    onProgress: () => {},
  });
  // Directories show how many channels are in each entry: else that would wait for the night.
  if (kindName !== "stats" && kindName !== "posts") await recount(db, clock);
  return {
    ...summary,
    rejects: summary.rejects.map(cutGroup),
    warnings: summary.warnings.map(cutGroup),
  };
}
