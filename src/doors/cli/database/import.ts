import { dirname } from "node:path";
import { Argument, Command, Option } from "commander";
import {
  IMPORT_KIND_NAMES,
  type ImportKindName,
  importKinds,
} from "../../../catalog/imports/import-kinds.ts";
import { openInput } from "../../../catalog/imports/input.ts";
import { keptInput } from "../../../catalog/imports/kept-input.ts";
import { readThrough } from "../../../catalog/imports/read-through.ts";
import { nothingRecognized } from "../../../catalog/imports/recognized.ts";
import { readRows } from "../../../catalog/imports/rows.ts";
import { runImport } from "../../../catalog/imports/run-import.ts";
import { readConfig } from "../../../config.ts";
import { secretPath } from "../../../push/webhooks/manage/secret-file.ts";
import { allHaveCopied } from "../../../upkeep/cluster/all-have-copied.ts";
import { inEnglish } from "../../../values/messages/messages.ts";
import { jsonOption } from "../arguments.ts";
import {
  type CommandContext,
  CommandExit,
  EXIT_INTERRUPTED,
  EXIT_REJECTED_ROWS,
  EXIT_USAGE,
} from "../command-context.ts";
import { withDomains, withDomainsOfCopy } from "../with-domains.ts";
import { describeReasons, describeSummary, summaryJson } from "./import-summary.ts";
import { createProgress } from "./progress.ts";
import { type FileReading, readingOf, withReadingOptions } from "./reading-options.ts";
import { createRejectsFile } from "./rejects-file.ts";

const DRY_RUN = "This was a dry run: nothing was changed.";

interface ImportOptions extends FileReading {
  dryRun?: boolean;
  rejects?: string;
  replace?: boolean;
  wait?: boolean;
  json?: boolean;
}

/** `kanalog import`: upserts rows, beside a serving process or alone. */
export function importCommand(context: CommandContext): Command {
  const kinds = IMPORT_KIND_NAMES.map((name) => {
    return `  ${name.padEnd(12)}${Object.keys(importKinds[name].columns).join(", ")}`;
  });
  return withReadingOptions(
    new Command("import")
      .description(
        "insert and update rows from a CSV, NDJSON or JSON file, also packed as .gz or .zst",
      )
      .addArgument(new Argument("<kind>", "what the rows are").choices(IMPORT_KIND_NAMES))
      .argument("<file>", "the file, or - for standard input"),
  )
    .option("--dry-run", "only say what would happen, tried on a copy of the database")
    .option("--rejects <file>", "write the rejected rows here, as NDJSON with line and reason")
    .addOption(
      new Option("--replace", "categories, territories: remove what the file does not name"),
    )
    .option("--wait", "on a node of a cluster: return once all nodes have the rows")
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
  const { timezone } = options;
  const reading = readingOf(options);
  const open = options.dryRun === true ? withDomainsOfCopy : withDomains;
  const {
    databasePath,
    messengerHosts,
    statisticsOpenDays: openDays,
  } = readConfig(context.environment);
  const input = keptInput(await openInput(path), dirname(databasePath));
  const highestNumber = await readThrough(input, name, reading);
  const own = [databasePath, secretPath(databasePath)];
  const rejects = createRejectsFile(options.rejects, [path, ...own]);
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupt.abort());

  let imported = 0;
  const summary = await open(context, async ({ db, clock }) => {
    const progress = createProgress(input, clock);
    const recognized = nothingRecognized(timezone);
    try {
      const summary = await runImport(
        kind,
        readRows(input, name, reading, recognized, progress.bytes),
        {
          db,
          clock,
          context: {
            clock,
            folder: input.folder,
            messengerHosts,
            openDays,
            highestNumber,
            note: (said) => output.note(inEnglish(said)),
          },
          recognized,
          cells: { timezone, strict: options.strict === true },
          replace: options.replace === true,
          signal: interrupt.signal,
          onReject: rejects.add,
          onProgress: ({ read, inserted, updated, unchanged }) => {
            progress.rows(read);
            imported = inserted + updated + unchanged;
          },
        },
      );
      if (options.wait === true && options.dryRun !== true) {
        const silent = await allHaveCopied(db, clock);
        if (silent.length > 0) {
          output.note(`Not waited for, since they are silent: ${silent.join(", ")}.`);
        }
      }
      return summary;
    } catch (error) {
      if (imported > 0 && options.dryRun !== true) {
        output.note(`Until then ${imported} rows of the file were imported.`);
      }
      throw error;
    } finally {
      progress.stop();
      rejects.close();
    }
  });

  if (interrupt.signal.aborted) {
    throw new CommandExit(
      EXIT_INTERRUPTED,
      options.dryRun === true
        ? `Interrupted. ${DRY_RUN}`
        : // Rows are written in the order of the table, so these need not be the file's first ones.
          `Interrupted: ${imported} rows of the file are imported. Run it again with the whole file for the rest.`,
    );
  }
  output.out(options.json === true ? summaryJson(summary) : describeSummary(summary));
  for (const reason of describeReasons(summary)) output.note(reason);
  if (summary.rejected > 0 && options.rejects === undefined) {
    output.note("--rejects FILE keeps all rejected rows.");
  }
  if (options.dryRun === true) output.note(DRY_RUN);
  if (summary.rejected > 0) throw new CommandExit(EXIT_REJECTED_ROWS);
}
