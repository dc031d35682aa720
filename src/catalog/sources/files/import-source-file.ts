import type { Database } from "../../../db/database.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { INTERRUPTED, openInput, stoppable } from "../../imports/reading/input.ts";
import { cutGroup, type ImportSummary } from "../../imports/writing/import-summary.ts";
import { openImport } from "../../imports/writing/open-import.ts";
import { ownerNow } from "../sources.store.ts";
import type { FileOptions } from "../sources.table.ts";

/** A file delivered by a source. Plain data, because it is sent to a thread. */
export interface SourceFile {
  /** The source, and the process that runs it. */
  id: number;
  owner: string;
  path: string;
  /** Name to show: an address, or a file name. */
  name: string;
  options: FileOptions;
  messengerHosts: readonly string[];
  openDays: number;
  deadlineMs: number;
  /** A 32-bit number in shared memory, non-zero to stop the import. */
  stop: SharedArrayBuffer;
}

/** Ten times the largest download: rows hardly compress better. */
const UNPACKED_BYTES_MAX = 20 * 1024 ** 3;

/**
 * Imports a file delivered by a source; it is read completely before any of it is written.
 * @throws AppError `invalid` for a file that cannot be read; `unavailable` if `stop` is set, and if another
 * process holds the source by now, which may have read a newer file
 */
export async function importSourceFile(
  db: Database,
  clock: Clock,
  { id, owner, path, name, options, messengerHosts, openDays, stop }: SourceFile,
): Promise<ImportSummary> {
  const file = { ...(await openInput(path)), name, unpackedBytesMax: UNPACKED_BYTES_MAX };
  const input = stoppable(file, stop);
  const importIt = await openImport(input, options.rows, options, messengerHosts);
  const summary = await importIt({
    db,
    clock,
    replace: false,
    context: { folder: null, openDays, note: () => {} },
    requireWanted(tx) {
      if (ownerNow(tx, id) !== owner) throw new AppError("unavailable", INTERRUPTED);
    },
    onReject: () => {},
    onProgress: () => {},
  });
  return {
    ...summary,
    rejects: summary.rejects.map(cutGroup),
    warnings: summary.warnings.map(cutGroup),
  };
}
