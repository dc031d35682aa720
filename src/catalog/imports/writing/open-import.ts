import { missingChannels } from "../kinds/channels/missing-channels.ts";
import { type ImportContext, type ImportKind, RowFault } from "../kinds/import-kind.ts";
import { type ImportKindName, importKinds } from "../kinds/import-kinds.ts";
import { type CellRules, readCells } from "../kinds/read-cells.ts";
import type { Input } from "../reading/input.ts";
import { type Fields, type InputRow, nothingRecognized } from "../reading/recognized.ts";
import { type ReadingOptions, readRows } from "../reading/rows.ts";
import type { ImportOptions } from "./import-options.ts";
import { type ImportSummary, ROWS_TRIED } from "./import-summary.ts";
import { runImport } from "./run-import.ts";
import type { ImportRun } from "./running-import.ts";
import { readAll } from "./write-rows.ts";

/** How a file that was read through is imported. */
interface FileRun extends Omit<ImportRun, "context" | "recognized" | "cells"> {
  context: Omit<ImportContext, "clock" | "highestNumber" | "messengerHosts">;
  /** Receives how many bytes of the file have been read. */
  onBytes?(total: number): void;
}

/**
 * Reads a file through, before any of its rows is written.
 * @returns a function that imports it
 * @throws AppError `invalid`, as `readRows`
 */
export async function openImport(
  input: Input,
  name: ImportKindName,
  { timezone, strict, reading }: ImportOptions,
  messengerHosts: readonly string[],
): Promise<(run: FileRun) => Promise<ImportSummary>> {
  const isExport = name === "posts" && reading.from !== null;
  const [ofPosts, ofChannels] = isExport ? forChannelToo(reading) : [reading, reading];
  const rules = { timezone, strict, messengerHosts };
  const highestNumber = await readThrough(input, name, ofPosts, rules);
  return async ({ onBytes, ...run }) => {
    const context = { ...run.context, clock: run.clock, messengerHosts };
    const fileRun = { ...run, context, cells: { timezone, strict } };
    if (isExport) {
      const unseen = nothingRecognized(timezone);
      const rows = missingChannels(
        readRows(input, "channels", ofChannels, unseen),
        run.db,
        context,
      );
      const quiet = { recognized: unseen, replace: false, onReject() {}, onProgress() {} };
      const made = await runImport(importKinds.channels, rows, { ...fileRun, ...quiet });
      for (const { fault } of [...made.rejects, ...made.warnings]) context.note(fault);
    }
    const recognized = nothingRecognized(timezone);
    const rows = readRows(input, name, ofPosts, recognized, onBytes);
    const numbered = { ...context, highestNumber };
    return runImport(importKinds[name], rows, { ...fileRun, context: numbered, recognized });
  };
}

/** Cells for what an export lacks, parted into those of its posts and those of a channel that it makes. */
function forChannelToo(reading: ReadingOptions): [posts: ReadingOptions, channels: ReadingOptions] {
  const given = Object.entries(reading.set ?? {});
  const isOfChannel = ([column]: readonly [string, string]): boolean =>
    !(column in importKinds.posts.columns) && column in importKinds.channels.columns;
  const isOfPost = (cell: readonly [string, string]): boolean => !isOfChannel(cell);
  return [
    { ...reading, set: Object.fromEntries(given.filter(isOfPost)) },
    { ...reading, map: {}, set: Object.fromEntries(given.filter(isOfChannel)) },
  ];
}

/**
 * Reads a file completely before any of its rows is written, so that an unreadable one changes nothing. One
 * whose first rows will all be rejected, for their cells alone, is not read further: the import ends there.
 * @returns highest number that a row names, or 0. Generated numbers start after it; otherwise a later row
 * would change the entry that was given its number.
 * @throws AppError `invalid`, as `readRows`
 */
async function readThrough(
  input: Input,
  name: ImportKindName,
  reading: ReadingOptions,
  rules: CellRules,
): Promise<number> {
  const kind: ImportKind<{ id?: number }> = importKinds[name];
  let highest = 0;
  let read = 0;
  let hasGood = false;
  for await (const rows of readRows(input, name, reading, nothingRecognized(rules.timezone))) {
    for (const row of rows) {
      read += 1;
      hasGood ||= isGood(kind, row, rules);
      if ("fields" in row) highest = Math.max(highest, numberIn(kind, row.fields, rules));
    }
    if (!hasGood && read >= ROWS_TRIED) break;
  }
  return highest;
}

/** Whether a row's cells can be read. */
function isGood(kind: ImportKind<{ id?: number }>, row: InputRow, rules: CellRules): boolean {
  const [read] = readAll(kind, [row], rules);
  return read !== undefined && "given" in read;
}

/** A number in plain digits, fewer than the highest permitted number has. */
const PLAIN = /^[1-9]\d{0,14}$/;

function numberIn(kind: ImportKind<{ id?: number }>, { id }: Fields, rules: CellRules): number {
  if (id == null) return 0;
  // Nearly all are plain; reading each through its column would make an import take a fifth longer. The ids
  // of directories have a lower limit, which only the column knows.
  if (!kind.isDirectory && PLAIN.test(String(id))) return Number(id);
  try {
    return readCells(kind, { id }, rules, []).id ?? 0;
  } catch (error) {
    // The row will be rejected when its turn comes.
    if (error instanceof RowFault) return 0;
    throw error;
  }
}
