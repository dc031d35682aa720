import categoriesFile from "../../../data/directories/categories.csv" with { type: "file" };
import territoriesFile from "../../../data/directories/territories.csv" with { type: "file" };
import type { Database } from "../../db/database.ts";
import { madeOnce } from "../../db/lock.ts";
import { findMeta, writeMeta } from "../../db/meta.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { inEnglish } from "../../values/messages/messages.ts";
import { MOSCOW_ZONE } from "../../values/moscow-time.ts";
import { type ImportKindName, importKinds } from "./kinds/import-kinds.ts";
import { openInput } from "./reading/input.ts";
import { type Fields, type InputRow, nothingRecognized } from "./reading/recognized.ts";
import { AS_RECOGNIZED, readRows } from "./reading/rows.ts";
import { runImport } from "./writing/open-import.ts";

/**
 * Imports a file that ships with the program.
 * @param change applied to the fields of each row before they are read
 * @throws Error for a rejected row, since the program's own files have none
 */
export async function importFile(
  db: Database,
  clock: Clock,
  name: ImportKindName,
  path: string,
  change: (fields: Fields) => Fields = (fields) => fields,
): Promise<void> {
  // Files inside the executable have no descriptor that a stream could read from.
  const input = { ...(await openInput(path)), open: () => Bun.file(path).stream() };
  const recognized = nothingRecognized(MOSCOW_ZONE);
  const rows = changed(readRows(input, name, AS_RECOGNIZED, recognized), change);
  await importRows(db, clock, { name, rows, recognized, folder: input.folder, source: path });
}

/** Imports rows that the program makes itself. @throws Error for a rejected row */
export async function importFields(
  db: Database,
  clock: Clock,
  name: ImportKindName,
  fields: Iterable<Fields>,
): Promise<void> {
  const recognized = nothingRecognized(MOSCOW_ZONE);
  const rows = inParts(fields);
  await importRows(db, clock, { name, rows, recognized, folder: null, source: name });
}

interface OwnRows {
  name: ImportKindName;
  rows: AsyncIterable<InputRow[]>;
  recognized: ReturnType<typeof nothingRecognized>;
  folder: string | null;
  /** Named in a fault. */
  source: string;
}

async function importRows(
  db: Database,
  clock: Clock,
  { name, rows, recognized, folder, source }: OwnRows,
): Promise<void> {
  await runImport(importKinds[name], rows, {
    db,
    clock,
    // The sample's posts link to Telegram channels, whatever messenger the appliance serves.
    context: { clock, folder, messengerHosts: ["t.me"], openDays: 1, note: () => {} },
    recognized,
    cells: { timezone: MOSCOW_ZONE, strict: true },
    replace: false,
    onReject: ({ line, fault }) => {
      throw new Error(`${source}, line ${line}: ${inEnglish(fault)}`);
    },
    onProgress: () => {},
  });
}

const PART = 500;

async function* inParts(fields: Iterable<Fields>): AsyncGenerator<InputRow[]> {
  let part: InputRow[] = [];
  let line = 0;
  for (const one of fields) {
    line += 1;
    part.push({ line, fields: one });
    if (part.length < PART) continue;
    yield part;
    part = [];
  }
  yield part;
}

async function* changed(
  parts: AsyncIterable<InputRow[]>,
  change: (fields: Fields) => Fields,
): AsyncGenerator<InputRow[]> {
  for await (const rows of parts) {
    yield rows.map((row) => ("fields" in row ? { ...row, fields: change(row.fields) } : row));
  }
}

const LOADED = "directories_loaded";

/** Does nothing to a database that has had them. */
export async function loadShippedDirectories(db: Database, clock: Clock): Promise<void> {
  const find = () => findMeta(db, LOADED) ?? null;
  await madeOnce<unknown>(clock, find, async () => {
    await importFile(db, clock, "categories", categoriesFile);
    await importFile(db, clock, "territories", territoriesFile);
    await inTransaction(db, clock, "shipped-directories", (tx) => {
      if (findMeta(tx, LOADED) === undefined) writeMeta(tx, LOADED, Buffer.from("1"));
    });
  });
}
