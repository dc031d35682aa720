import type { Database } from "../../../db/database.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { createChannelRecords } from "../../channels/channel-records.store.ts";
import { parseMessengerId } from "../../channels/channel-reference.ts";
import { type ImportContext, type ImportKind, RowFault } from "../kinds/import-kind.ts";
import { type ImportKindName, importKinds } from "../kinds/import-kinds.ts";
import { type CellRules, readCells } from "../kinds/read-cells.ts";
import type { Input } from "../reading/input.ts";
import type { Fields, InputRow, Recognized } from "../reading/recognized.ts";
import { nothingRecognized } from "../reading/recognized.ts";
import { type ReadingOptions, readRows } from "../reading/rows.ts";
import { importPaced } from "./import-paced.ts";
import type { ImportSummary, ReasonGroup } from "./import-summary.ts";
import { createTally, nothingImported, ROWS_TRIED } from "./import-summary.ts";
import type { ImportOptions, ImportRun, Reject, RunningImport } from "./write-rows.ts";
import { readAll, writeRow } from "./write-rows.ts";

/** How a file that was read through is imported. */
interface FileRun extends Omit<ImportRun, "context" | "recognized" | "cells"> {
  context: Omit<ImportContext, "clock" | "highestNumber" | "messengerHosts">;
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

/**
 * Upserts rows. A directory's rows are written in one transaction, other kinds in short ones with pauses,
 * so that a serving process keeps answering. If interrupted at any point, only whole rows have been written
 * and the import can be repeated; aborting the run's signal ends it after the next commit.
 * @throws whatever `requireWanted` throws
 */
export async function runImport<Row>(
  kind: ImportKind<Row>,
  rows: AsyncIterable<InputRow[]>,
  { onProgress, ...run }: ImportRun,
): Promise<ImportSummary> {
  const { clock, context, recognized } = run;
  const startedAtMs = clock.monotonic();
  const summary = nothingImported(recognized);
  const rejects = createTally();
  const warnings = createTally();
  const running: RunningImport<Row> = {
    ...run,
    kind,
    summary,
    rejects,
    warnings,
    cells: { ...run.cells, messengerHosts: context.messengerHosts },
    progress() {
      summary.seconds = Math.round(clock.monotonic() - startedAtMs) / 1000;
      summary.rejects = rejects.groups();
      summary.warnings = [...warningsOf(recognized), ...warnings.groups()];
      onProgress(summary);
    },
  };
  await (kind.isDirectory ? importDirectory : importPaced)(rows, running);
  running.progress();
  return summary;
}

function warningsOf({ encoding }: Recognized): ReasonGroup[] {
  if (encoding !== "Windows-1251") return [];
  return [{ column: null, fault: message("readAsWindows1251"), count: 1, line: null, value: null }];
}

/** Most rows, which are kept in memory: Russia has some 160,000 settlements. */
const ROWS_MAX = 200_000;

/**
 * Writes a directory's rows in one transaction. With `replace`, entries missing from the file are removed
 * first, which frees their ids. If a row is then rejected, everything is rolled back and the good rows are
 * written without removing anything, so that a typing mistake does not cost a directory.
 */
async function importDirectory<Row>(
  rows: AsyncIterable<InputRow[]>,
  run: RunningImport<Row>,
): Promise<void> {
  const { db, clock, context, kind, summary, onReject } = run;
  let all: InputRow[] = [];
  for await (const some of rows) {
    all = all.concat(some);
    if (all.length > ROWS_MAX) {
      throw new AppError("invalid", message("directoryTooLarge", { rows: ROWS_MAX }));
    }
  }
  summary.read = all.length;
  if (!run.replace) {
    await attempt(context.note, onReject);
    return;
  }
  if (all.length === 0) throw new AppError("invalid", message("nothingToReplaceBy"));
  const before = { ...summary };
  const notes: Message[] = [];
  const notReplaced = new Error("a row was rejected");
  try {
    await attempt(
      (note) => notes.push(note),
      () => {
        throw notReplaced;
      },
      new Set(all.flatMap((row) => ("fields" in row ? String(row.fields["slug"]) : []))),
    );
    for (const note of notes) context.note(note);
  } catch (error) {
    if (error !== notReplaced) throw error;
    Object.assign(summary, before, { removed: 0 });
    run.rejects.clear();
    run.warnings.clear();
    context.note(message("nothingRemoved"));
    await attempt(context.note, onReject);
  }

  /** Writes all rows. @param replacing slugs that the file names; absent if no entries are to be removed */
  async function attempt(
    note: ImportContext["note"],
    onReject: (reject: Reject) => void,
    replacing?: ReadonlySet<string>,
  ): Promise<void> {
    const writer = kind.open(db, { ...context, note });
    const read = readAll(kind, all, run.cells);
    const attempted = { ...run, onReject };
    const inUse = replacing === undefined ? undefined : writer.inUse?.();
    await inTransaction(db, clock, "import-directory", (tx) => {
      run.requireWanted?.(tx);
      if (replacing !== undefined && inUse !== undefined) {
        summary.removed = writer.removeOthers?.(replacing, inUse) ?? 0;
      }
      for (const row of read) writeRow(attempted, writer, row);
      writer.beforeCommit?.();
    });
    await writer.afterwards?.();
  }
}

/**
 * Rows that make the channels of an export which the catalog does not have, so that its posts find them. A
 * channel that it has stays as it is, since the export may be older.
 */
async function* missingChannels(
  parts: AsyncIterable<InputRow[]>,
  db: Database,
  { clock, note }: Pick<ImportContext, "note"> & { clock: Clock },
): AsyncGenerator<InputRow[]> {
  const records = createChannelRecords(db, clock);

  function toRow({ title, handle, ...fields }: Fields): Fields | null {
    const id = parseMessengerId(String(fields["msgr_id"])) ?? "";
    const isKnown = records.byMessengerId(id) ?? records.removed.byMessengerId(id);
    if (isKnown !== undefined) return null;
    const holder = typeof handle === "string" ? records.byHandle(handle) : undefined;
    // A channel that was known by its handle gets its messenger id; another one keeps its handle.
    if (holder?.msgr_id === null) return { msgr_id: id, handle };
    const named = String(title ?? handle ?? id);
    note(message("channelMade", { channel: id, title: named }));
    return { ...fields, title: named, ...(holder === undefined && { handle }) };
  }

  for await (const rows of parts) {
    yield rows.flatMap((row) => {
      const fields = "fields" in row ? toRow(row.fields) : null;
      return fields === null ? [] : [{ line: row.line, fields }];
    });
  }
}
