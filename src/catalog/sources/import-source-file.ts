import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { importKinds } from "../imports/import-kinds.ts";
import type { ImportSummary } from "../imports/import-summary.ts";
import { INTERRUPTED, openInput, stoppable } from "../imports/input.ts";
import { readThrough } from "../imports/read-through.ts";
import { nothingRecognized } from "../imports/recognized.ts";
import { readRows } from "../imports/rows.ts";
import { runImport } from "../imports/run-import.ts";
import { cutGroup } from "../imports/tally.ts";
import { ownerNow } from "./sources.store.ts";
import type { FileOptions } from "./sources.table.ts";

/** A file that a source gave. Plain data, since it is sent to a thread. */
export interface SourceFile {
  /** The source, and the process that runs it. */
  id: number;
  owner: string;
  path: string;
  /** As it is told: an address, or a file's name. */
  name: string;
  options: FileOptions;
  messengerHosts: readonly string[];
  openDays: number;
  /** One 32-bit number in shared memory: other than 0 where the import is to stop. */
  stop: SharedArrayBuffer;
}

/** Ten times the largest file that is downloaded, about as well as rows can be packed. */
const UNPACKED_BYTES_MAX = 20 * 1024 ** 3;

/**
 * Imports a file that a source gave, read through before any of it is written.
 * @throws AppError `invalid` for a file that cannot be read; `unavailable` where it is to stop, and
 *   where another process has the source by now: that one may have read a newer file
 */
export async function importSourceFile(
  db: Database,
  clock: Clock,
  { id, owner, path, name, options, messengerHosts, openDays, stop }: SourceFile,
): Promise<ImportSummary> {
  const { rows: kindName, reading, timezone, strict } = options;
  const file = { ...(await openInput(path)), name, unpackedBytesMax: UNPACKED_BYTES_MAX };
  const input = stoppable(file, stop);
  const highestNumber = await readThrough(input, kindName, reading);
  const recognized = nothingRecognized(timezone);
  const rows = readRows(input, kindName, reading, recognized);
  const summary = await runImport<never>(importKinds[kindName] as never, rows, {
    ...{ db, clock, recognized, replace: false },
    context: { clock, folder: null, messengerHosts, openDays, highestNumber, note: () => {} },
    cells: { timezone, strict },
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
