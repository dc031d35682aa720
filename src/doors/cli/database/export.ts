import { createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Argument, Command, Option } from "commander";
import { exportPart, exportParts } from "../../../catalog/exports/export-part.ts";
import type { ExportFormat } from "../../../catalog/exports/export-selection.ts";
import { EXPORT_FORMATS, readExport } from "../../../catalog/exports/export-selection.ts";
import type { ImportKindName } from "../../../catalog/imports/kinds/import-kinds.ts";
import { IMPORT_KIND_NAMES } from "../../../catalog/imports/kinds/import-kinds.ts";
import { readConfig } from "../../../config.ts";
import { flush, requireAbsent } from "../../../db/file/database-copy.ts";
import {
  type AsJson,
  type CommandContext,
  CommandExit,
  EXIT_FAILED,
  EXIT_INTERRUPTED,
  interruptSignal,
  jsonOption,
  type Output,
  usageError,
} from "../command-context.ts";
import { printObject } from "../print.ts";
import { openReader, requireFile } from "../with-domains.ts";
import { columnsText } from "./reading-options.ts";

interface ExportOptions extends AsJson {
  format?: ExportFormat;
  from?: string;
  to?: string;
  channel?: string;
  gzip?: boolean;
  raw?: boolean;
  excel?: boolean;
}

const GZIP_ENDING = /\.gz$/i;

export function exportCommand(context: CommandContext): Command {
  return new Command("export")
    .description("write rows to a file that can be imported; the appliance may be running")
    .addArgument(new Argument("<kind>", "what the rows are").choices(IMPORT_KIND_NAMES))
    .argument("[file]", "a new file, or - for standard output", STANDARD_OUTPUT)
    .addOption(
      new Option("--format <format>", "format, if the file's name does not say it").choices(
        EXPORT_FORMATS,
      ),
    )
    .option("--from <day>", "stats, posts: the first Moscow day, such as 2026-11-01")
    .option("--to <day>", "stats, posts: the last Moscow day, included")
    .option("--channel <channel>", "one channel only: its number, @handle or link")
    .option("--gzip", "compress the file; the default if its name ends in .gz")
    .option("--raw", "CSV, Excel: do not escape texts that a spreadsheet would run as formulas")
    .option("--excel", "CSV: as Excel opens it, with semicolons, its mark and line ends")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      columnsText(({ exported }) => exported.columns),
    )
    .action((kind: ImportKindName, path: string, options: ExportOptions) =>
      runCommand(context, kind, path, options),
    );
}

async function runCommand(
  context: CommandContext,
  kind: ImportKindName,
  path: string,
  options: ExportOptions,
): Promise<void> {
  const { output } = context;
  const { from = "", to = "", channel = "", raw: isRaw = false, json = false } = options;
  const { excel: isExcel = false } = options;
  if (json && path === STANDARD_OUTPUT) {
    throw usageError("--json: name a file, because standard output has the rows.");
  }
  const format = requireFormat(path, options.format);
  if (isExcel && format !== "csv") {
    throw usageError("--excel is for CSV only.");
  }
  const isGzip = options.gzip === true || GZIP_ENDING.test(path);
  if (isGzip && format === "xlsx") {
    throw usageError("--gzip is not for .xlsx, which is compressed already.");
  }
  const config = readConfig(context.environment);
  requireFile(config);
  const { clock } = context.ports(config);
  const signal = interruptSignal();

  const db = openReader(config.databasePath, clock);
  let rows = 0;
  try {
    const settings = { hosts: config.messengerHosts, openDays: config.statisticsOpenDays };
    const request = { kind, format, isRaw, isExcel, from, to, channel, ...settings };
    const selection = readExport(db, clock, request);
    const content = exportParts(
      async (turn) => {
        // Signals are only handled between two turns of the event loop.
        await new Promise<void>((resolve) => clock.endOfTurn(resolve));
        return exportPart(db, turn);
      },
      selection,
      (partRows) => {
        rows += partRows;
      },
    );
    await writeTarget(content, { path, isGzip, signal }, output);
  } catch (error) {
    if (!signal.aborted) throw error;
    const left = path === STANDARD_OUTPUT ? "The output is incomplete" : "No file was written";
    throw new CommandExit(EXIT_INTERRUPTED, `Interrupted. ${left}.`);
  } finally {
    db.close();
  }
  if (path === STANDARD_OUTPUT) output.note(`${rows} rows.`);
  else printObject(output, { path, rows }, json);
}

const FORMATS_BY_ENDING: Readonly<Record<string, ExportFormat>> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".xlsx": "xlsx",
};

/** @throws CommandExit if neither name nor option determines it, or they differ */
function requireFormat(path: string, given: ExportFormat | undefined): ExportFormat {
  if (path === STANDARD_OUTPUT) return given ?? "csv";
  const named = FORMATS_BY_ENDING[extname(path.replace(GZIP_ENDING, "")).toLowerCase()] ?? null;
  if (given !== undefined && named !== null && given !== named) {
    throw usageError(`--format ${given}: the name ${path} says ${named}.`);
  }
  const format = given ?? named;
  if (format === null) {
    const endings = ".csv, .ndjson, .jsonl or .xlsx";
    throw usageError(`--format is needed, because ${path} does not end in ${endings}.`);
  }
  return format;
}

/** The name that stands for standard output. */
export const STANDARD_OUTPUT = "-";

interface Target {
  path: string;
  isGzip: boolean;
  /** Ends writing early, with an `AbortError`. */
  signal: AbortSignal;
}

/**
 * Writes content to a new file or to standard output, no faster than it is accepted. A file appears under
 * its name complete and flushed, or not at all: until then its name ends in `.part`.
 * @throws AppError `conflict` if the file exists
 * @throws CommandExit if the `.part` file exists, or cannot be written to the end, as on a full disk
 */
export async function writeTarget(
  content: AsyncIterable<Uint8Array>,
  { path, ...how }: Target,
  output: Output,
): Promise<void> {
  if (path === STANDARD_OUTPUT) return run(content, how, toOutput(output));
  requireAbsent(path);
  const draft = `${path}.part`;
  if (existsSync(draft)) {
    const why = "another export is writing it, or was killed; in that case, remove it";
    throw new CommandExit(EXIT_FAILED, `The file ${draft} already exists: ${why}.`);
  }
  const file = createWriteStream(draft, { flags: "wx" });
  // Whether this export created the draft: another one's must not be removed.
  let isOurs = false;
  file.on("open", () => {
    isOurs = true;
  });
  try {
    await run(content, how, file);
    flush(draft);
    requireAbsent(path);
    renameSync(draft, path);
    flush(dirname(resolve(path)));
  } catch (error) {
    if (isOurs) rmSync(draft, { force: true });
    // The system's error names the file if it cannot be created, but not if the disk fills up later.
    if (!(error instanceof Error && "syscall" in error) || "path" in error) throw error;
    throw new CommandExit(EXIT_FAILED, `The file ${path} cannot be written: ${error.message}.`);
  }
}

async function run(
  content: AsyncIterable<Uint8Array>,
  { isGzip, signal }: Pick<Target, "isGzip" | "signal">,
  sink: Writable,
): Promise<void> {
  const source = Readable.from(content);
  if (isGzip) await pipeline(source, createGzip(), sink, { signal });
  else await pipeline(source, sink, { signal });
}

function toOutput(output: Output): Writable {
  return new Writable({
    write(bytes: Uint8Array, _encoding, done) {
      output.write(bytes).then(() => done(), done);
    },
  });
}
