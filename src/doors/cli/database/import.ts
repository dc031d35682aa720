import { openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Presets, SingleBar } from "cli-progress";
import { Argument, Command } from "commander";
import type { ImportKindName } from "../../../catalog/imports/kinds/import-kinds.ts";
import { IMPORT_KIND_NAMES, importKinds } from "../../../catalog/imports/kinds/import-kinds.ts";
import { type Input, keptInput, openInput } from "../../../catalog/imports/reading/input.ts";
import { type ImportSummary, isHopeless } from "../../../catalog/imports/writing/import-summary.ts";
import { openImport } from "../../../catalog/imports/writing/open-import.ts";
import type { RejectsWriter } from "../../../catalog/imports/writing/write-rows.ts";
import { createRejectsWriter } from "../../../catalog/imports/writing/write-rows.ts";
import { waitForCopies } from "../../../cluster/link.ts";
import { readConfig } from "../../../config.ts";
import type { Database } from "../../../db/database.ts";
import { TURNS_ENDING } from "../../../db/lock.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { secretPath } from "../../../push/webhooks/manage/secret-file.ts";
import { inEnglish, type Message, message } from "../../../values/messages/messages.ts";
import { readingOptions } from "../../../verbs/operator/data/reading-options.ts";
import {
  type AsJson,
  type CommandContext,
  CommandExit,
  EXIT_FAILED,
  EXIT_INTERRUPTED,
  EXIT_REJECTED_ROWS,
  interruptSignal,
  jsonOption,
  type Output,
  usageError,
} from "../command-context.ts";
import { printSummary } from "../print.ts";
import { readOptions } from "../resource-command.ts";
import { withDomains, withDomainsOfCopy } from "../with-domains.ts";
import type { MapFile } from "./reading-options.ts";
import { columnsText, readingWithMapFile, withReadingOptions } from "./reading-options.ts";

const DRY_RUN = "This was a dry run: nothing was changed.";

interface ImportOptions extends MapFile, AsJson {
  dryRun?: boolean;
  rejects?: string;
  replace?: boolean;
  restore?: boolean;
  wait?: boolean;
}

export function importCommand(context: CommandContext): Command {
  return withReadingOptions(
    new Command("import")
      .description(
        "insert and update rows from a CSV, NDJSON or JSON file, which may be compressed (.gz, .zst)",
      )
      .addArgument(new Argument("<kind>", "what the rows are").choices(IMPORT_KIND_NAMES))
      .argument("<file>", "the file, or - for standard input"),
  )
    .option("--dry-run", "only report what would happen, by importing into a copy of the database")
    .option(
      "--rejects <file>",
      "write the rejected rows to this file, as NDJSON with line and reason",
    )
    .option("--replace", "categories, territories: remove those that the file does not contain")
    .option("--restore", "channels: bring back those of the file that were deleted or merged")
    .option("--wait", "on a node of a cluster: return once all nodes have the rows")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      columnsText(({ columns }) => Object.keys(columns)),
    )
    .action((name: ImportKindName, path: string, options: ImportOptions) =>
      runCommand(context, name, path, options),
    );
}

async function runCommand(
  context: CommandContext,
  name: ImportKindName,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const { output } = context;
  const { dryRun: isDry = false, replace = false, restore: restores = false } = options;
  const args = readOptions(readingOptions, options);
  if (replace && !importKinds[name].isDirectory) {
    throw usageError("--replace is for categories and territories only.");
  }
  if (restores && name !== "channels") {
    throw usageError("--restore is for channels only.");
  }
  const config = readConfig(context.environment);
  const { databasePath, messengerHosts, statisticsOpenDays: openDays } = config;
  const input = keptInput(await openInput(path), dirname(databasePath));
  const { folder } = input;
  const { timezone, strict } = args;
  const how = { reading: readingWithMapFile(args, options), timezone, strict };
  const importIt = await openImport(input, name, how, messengerHosts).catch((error: unknown) => {
    throw withColumnOptions(error);
  });
  const own = [databasePath, secretPath(databasePath)];
  const rejects = createRejectsFile(options.rejects, [path, ...own]);
  const signal = interruptSignal();
  const note = (message: Message) => output.note(inEnglish(message));

  let imported = 0;
  const open = isDry ? withDomainsOfCopy : withDomains;
  const summary = await open(context, async ({ db, clock }) => {
    const progress = createProgress(input, clock);
    try {
      const summary = await importIt({
        db,
        clock,
        replace,
        signal,
        onBytes: progress.bytes,
        context: { folder, openDays, restores, note },
        onReject: rejects.add,
        onProgress: ({ read, inserted, updated, unchanged }) => {
          progress.rows(read);
          imported = inserted + updated + unchanged;
        },
      });
      if (options.wait && !isDry) await waitForNodes(db, clock, output);
      return summary;
    } catch (error) {
      if (imported > 0 && !isDry) {
        output.note(`Before that, ${imported} rows of the file were imported.`);
      }
      throw error;
    } finally {
      progress.stop();
      rejects.close();
    }
  });
  if (signal.aborted) throw new CommandExit(EXIT_INTERRUPTED, interruptedText(imported, isDry));
  report(output, summary, options);
}

/** Adds the options for unknown columns to the error that names these; any other error stays as it is. */
function withColumnOptions(error: unknown): unknown {
  if (!(error instanceof AppError) || error.publicMessage.code !== "unknownColumnsInHeader")
    return error;
  const options =
    "Name them with --map THEIRS=ours, or leave out all that stay unknown with --ignore-unknown.";
  return usageError(`${inEnglish(error.publicMessage)} ${options}`);
}

async function waitForNodes(db: Database, clock: Clock, { note }: Output): Promise<void> {
  const silent = await waitForCopies(db, clock);
  if (silent.length > 0) note(`Silent nodes were not waited for: ${silent.join(", ")}.`);
}

/** Rows are written in the table's order, so those already written need not be the first of the file. */
function interruptedText(imported: number, isDry: boolean): string {
  return isDry
    ? `Interrupted. ${DRY_RUN}`
    : `Interrupted: ${imported} rows of the file are imported. Run it again with the whole file for the rest.`;
}

/** @throws CommandExit if rows were rejected */
function report(
  output: Output,
  summary: ImportSummary,
  { json, rejects, dryRun }: ImportOptions,
): void {
  printSummary(output, summary, json);
  if (summary.rejected > 0 && rejects === undefined) {
    output.note("--rejects FILE writes all rejected rows to a file.");
  }
  if (dryRun) output.note(DRY_RUN);
  if (isHopeless(summary)) {
    const { read: rows } = summary;
    throw new CommandExit(EXIT_FAILED, inEnglish(message("firstRowsRejected", { rows })));
  }
  if (summary.rejected > 0) throw new CommandExit(EXIT_REJECTED_ROWS);
}

interface Progress {
  bytes(total: number): void;
  rows(total: number): void;
  stop(): void;
}

const SILENT: Progress = { bytes() {}, rows() {}, stop() {} };

/**
 * A progress bar on a terminal's standard error, with rate and time left by bytes read; for standard input,
 * whose length is unknown, only count and rate. Nothing if it is not a terminal.
 */
function createProgress(input: Input, clock: Clock): Progress {
  if (!process.stderr.isTTY) return SILENT;
  const format =
    input.bytes === null
      ? "{rows} rows | {rate} rows/s"
      : "{bar} {percentage}% | {rows} rows | {rate} rows/s | {eta_formatted} left";
  const bar = new SingleBar(
    { format, hideCursor: true, gracefulExit: false, stream: process.stderr },
    Presets.shades_classic,
  );
  const startedAtMs = clock.monotonic();
  bar.start(input.bytes ?? 0, 0, { rows: 0, rate: 0 });
  return {
    bytes: (total) => bar.update(total),
    rows(total) {
      const seconds = Math.max(0.001, (clock.monotonic() - startedAtMs) / 1000);
      bar.update({ rows: total, rate: Math.round(total / seconds) });
    },
    stop: () => bar.stop(),
  };
}

/**
 * Writes rejected rows to a file, if one is named.
 * @param inUse files that it must not overwrite
 * @throws CommandExit if the file cannot be written, before anything is imported
 */
function createRejectsFile(
  path: string | undefined,
  inUse: readonly string[],
): Pick<RejectsWriter, "add" | "close"> {
  if (path === undefined) return { add() {}, close() {} };
  const file = openForWriting(path, inUse);
  return createRejectsWriter(() => file, Number.POSITIVE_INFINITY);
}

function openForWriting(path: string, inUse: readonly string[]): number {
  const files = inUse.flatMap((used) => [used, `${used}-wal`, `${used}-shm`, used + TURNS_ENDING]);
  if (files.some((used) => resolve(used) === resolve(path) || isSameFile(used, path))) {
    throw usageError(`--rejects: ${path} is the input, the database or its secret.`);
  }
  try {
    return openSync(path, "w");
  } catch {
    throw new CommandExit(EXIT_FAILED, `--rejects: the file ${path} cannot be written.`);
  }
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}
