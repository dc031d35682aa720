import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { inEnglish } from "../../values/messages/messages.ts";
import { MOSCOW_ZONE } from "../../values/moscow-time.ts";
import { type ImportKindName, importKinds } from "./import-kinds.ts";
import { nothingRecognized } from "./recognized.ts";
import { AS_RECOGNIZED, readRows } from "./rows.ts";
import { runImport } from "./run-import.ts";
import { openSource } from "./source.ts";

/**
 * Imports a file that ships with the program.
 * @throws Error at a rejected row, since the program's own files have none
 */
export async function importFile(
  db: Database,
  clock: Clock,
  name: ImportKindName,
  path: string,
): Promise<void> {
  const kind = importKinds[name];
  // Within the executable a file has no descriptor that a stream could read from.
  const source = { ...(await openSource(path)), open: () => Bun.file(path).stream() };
  const recognized = nothingRecognized(MOSCOW_ZONE);
  const rows = readRows(source, name, AS_RECOGNIZED, recognized);
  await runImport(kind, rows, {
    db,
    clock,
    // Channels and posts, for which these matter, come in none of the program's files.
    context: { clock, folder: source.folder, messengerHosts: [], openDays: 1, note: () => {} },
    recognized,
    cells: { timezone: MOSCOW_ZONE, strict: true },
    replace: false,
    onReject: ({ line, fault }) => {
      throw new Error(`${path}, line ${line}: ${inEnglish(fault)}`);
    },
    onProgress: () => {},
  });
}
