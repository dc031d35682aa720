import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { Argument, Command, Option } from "commander";
import {
  IMPORT_KIND_NAMES,
  type ImportKindName,
  importKinds,
} from "../../../catalog/imports/import-kinds.ts";
import {
  formatOf,
  IMPORT_FORMATS,
  type ImportFormat,
  readRows,
} from "../../../catalog/imports/rows.ts";
import { type ImportSummary, type Reject, runImport } from "../../../catalog/imports/run-import.ts";
import { openSource, requireUtf8 } from "../../../catalog/imports/source.ts";
import { readConfig } from "../../../config.ts";
import { inEnglish } from "../../../values/messages/messages.ts";
import { choiceOption, jsonOption } from "../arguments.ts";
import {
  type CommandContext,
  CommandExit,
  EXIT_FAILED,
  EXIT_INTERRUPTED,
  EXIT_REJECTED_ROWS,
  EXIT_USAGE,
} from "../command-context.ts";
import { withDomains, withDomainsOfCopy } from "../with-domains.ts";
import { createProgress } from "./progress.ts";

interface ImportOptions {
  format?: ImportFormat;
  dryRun?: boolean;
  rejects?: string;
  replace?: boolean;
  json?: boolean;
}

/** Rejected rows told on the terminal; `--rejects` has them all. */
const REJECTS_SHOWN = 10;

/** `kanalog import`: upserts rows, beside a serving process or alone (decisions, section 8). */
export function importCommand(context: CommandContext): Command {
  const kinds = IMPORT_KIND_NAMES.map((name) => {
    return `  ${name.padEnd(12)}${Object.keys(importKinds[name].columns).join(", ")}`;
  });
  return new Command("import")
    .description("insert and update rows from a CSV or NDJSON file")
    .addArgument(new Argument("<kind>", "what the rows are").choices(IMPORT_KIND_NAMES))
    .argument("<file>", "the file, or - for standard input")
    .addOption(
      choiceOption("--format <format>", "format, where the name does not tell it", IMPORT_FORMATS),
    )
    .option("--dry-run", "only say what would happen, tried on a copy of the database")
    .option("--rejects <file>", "write the rejected rows here, as NDJSON with line and reason")
    .addOption(
      new Option("--replace", "categories, territories: remove what the file does not name"),
    )
    .addOption(jsonOption())
    .addHelpText("after", `\nColumns:\n${kinds.join("\n")}\n`)
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
  const kind = importKinds[name];
  if (options.replace === true && !kind.isDirectory) {
    throw new CommandExit(EXIT_USAGE, "--replace is for categories and territories only.");
  }
  const source = await openSource(path);
  await requireUtf8(source);
  const format = options.format ?? formatOf(source.name);
  const open = options.dryRun === true ? withDomainsOfCopy : withDomains;
  const {
    databasePath,
    messengerHosts,
    statisticsOpenDays: openDays,
  } = readConfig(context.environment);
  const rejects = createRejects(options.rejects, [path, databasePath], output.note);
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupt.abort());

  const summary = await open(context, async ({ db, clock }) => {
    const progress = createProgress(source, clock);
    try {
      return await runImport(
        kind,
        readRows(source, format, Object.keys(kind.columns), progress.bytes),
        {
          db,
          clock,
          context: {
            clock,
            folder: source.folder,
            messengerHosts,
            openDays,
            note: (said) => output.note(inEnglish(said)),
          },
          replace: options.replace === true,
          signal: interrupt.signal,
          onReject: rejects.add,
          onProgress: ({ read }) => progress.rows(read),
        },
      );
    } finally {
      progress.stop();
      rejects.close();
    }
  });

  if (interrupt.signal.aborted) {
    throw new CommandExit(
      EXIT_INTERRUPTED,
      `Interrupted after some ${summary.read} rows, which are imported. Run it again for the rest.`,
    );
  }
  output.out(options.json === true ? JSON.stringify(summary) : describe(summary));
  if (options.dryRun === true) output.note("This was a dry run: nothing was changed.");
  if (summary.rejected > 0) throw new CommandExit(EXIT_REJECTED_ROWS);
}

function describe(summary: ImportSummary): string {
  const { read, inserted, updated, unchanged, rejected, removed, handles_moved, seconds } = summary;
  const rate = seconds > 0 ? `, ${Math.round(read / seconds)} rows/s` : "";
  return (
    `${read} read: ${inserted} inserted, ${updated} updated, ${unchanged} unchanged, ` +
    `${rejected} rejected${removed === undefined ? "" : `, ${removed} removed`}` +
    `${handles_moved === undefined ? "" : `, ${handles_moved} handles moved`} ` +
    `(${seconds.toFixed(1)} s${rate})`
  );
}

/**
 * Where rejected rows go: all into the file where one is named, the first on the terminal.
 * @throws CommandExit where the file cannot be written, before anything is imported
 */
function createRejects(
  path: string | undefined,
  inUse: readonly string[],
  note: (text: string) => void,
): { add(reject: Reject): void; close(): void } {
  const file = path === undefined ? null : openForWriting(path, inUse);
  let count = 0;
  return {
    add({ line, column, fault, fields }) {
      count += 1;
      const reason = inEnglish(fault);
      if (file !== null) writeSync(file, `${JSON.stringify({ line, column, reason, fields })}\n`);
      if (count > REJECTS_SHOWN) return;
      note(`line ${line}:${column === null ? "" : ` ${column}:`} ${reason}`);
    },
    close() {
      if (count > REJECTS_SHOWN) {
        const all = path === undefined ? "--rejects FILE keeps them all" : `all are in ${path}`;
        note(`… and ${count - REJECTS_SHOWN} more rejected rows; ${all}.`);
      }
      if (file !== null) closeSync(file);
    },
  };
}

function openForWriting(path: string, inUse: readonly string[]): number {
  const files = inUse.flatMap((used) => [used, `${used}-wal`, `${used}-shm`]);
  if (files.some((used) => resolve(used) === resolve(path) || isSameFile(used, path))) {
    throw new CommandExit(EXIT_USAGE, `--rejects: ${path} is the input or the database itself.`);
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
