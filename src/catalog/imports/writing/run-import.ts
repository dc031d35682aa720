import { inTransaction } from "../../../db/transaction.ts";
import { AppError } from "../../../errors.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import type { ImportContext, ImportKind } from "../kinds/import-kind.ts";
import type { InputRow, Recognized } from "../reading/recognized.ts";
import { importPaced } from "./import-paced.ts";
import {
  createTally,
  type ImportSummary,
  nothingImported,
  type ReasonGroup,
} from "./import-summary.ts";
import type { ImportRun, Reject, RunningImport } from "./running-import.ts";
import { readAll, writeRow } from "./write-rows.ts";

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
