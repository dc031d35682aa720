import { Command, InvalidArgumentError } from "commander";
import { recount } from "../../../catalog/directory/recount.ts";
import { computeMetrics } from "../../../catalog/metrics/compute-metrics.ts";
import { recountDays } from "../../../catalog/statistics/open-days.ts";
import { describeSettings, readConfig } from "../../../config.ts";
import type { Database } from "../../../db/database.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { CheckResult } from "../../../upkeep/checks/check.ts";
import { CHECK_NAMES, checkDatabase, stepNames } from "../../../upkeep/checks/check.ts";
import type { AsJson, CommandContext, Output } from "../command-context.ts";
import { CommandExit, EXIT_FAILED, jsonOption, usageError } from "../command-context.ts";
import { forTerminal, printList } from "../print.ts";
import { openReader, requireFile, warnOfUnknownSettings, withDomains } from "../with-domains.ts";

/**
 * `kanalog recount`: recounts both directories, recomputes all days from their posts, and computes metrics.
 */
export function recountCommand(context: CommandContext): Command {
  return new Command("recount")
    .description("recount the channels of both directories, and recompute all days and metrics")
    .addOption(jsonOption())
    .action(({ json }: AsJson) =>
      withDomains(context, async ({ db, clock }) => {
        const changed = await recount(db, clock);
        const days = await recountDays(db, clock);
        await computeMetrics(db, clock);
        context.output.out(
          json
            ? JSON.stringify({ changed, days })
            : `${changed} counts changed, ${days} days changed.`,
        );
      }),
    );
}

export function openApiCommand(context: CommandContext): Command {
  return new Command("openapi")
    .description("print the OpenAPI document of the customers' API")
    .option("--operator", "of the operator's API instead", false)
    .addOption(jsonOption())
    .action(async ({ operator }: { operator: boolean }) => {
      const { host, port, baseUrl } = readConfig(context.environment);
      const address = baseUrl ?? `http://${host}:${port}`;
      const document = await context.openApi(operator ? "operator" : "customers", address);
      context.output.out(JSON.stringify(document, null, 2));
    });
}

/** `kanalog config`: prints the settings in force: those that most appliances need, and those that are set. */
export function configCommand(context: CommandContext): Command {
  return new Command("config")
    .description("print the settings and their current values")
    .option("--all", "also those for special cases that are not set", false)
    .addOption(jsonOption())
    .action(({ all, json }: { all: boolean } & AsJson) => {
      const { environment, output } = context;
      readConfig(environment);
      warnOfUnknownSettings(context);
      const shown = describeSettings(environment)
        .filter(({ isNeeded }) => all || json || isNeeded)
        .map(({ isNeeded: _, ...setting }) => setting);
      if (!all && !json)
        output.note("These are the first day's settings; --all prints the others.");
      return printList(output, [shown], json);
    });
}

export function checkCommand(context: CommandContext): Command {
  const { output } = context;
  return new Command("check")
    .description("check the database; exit 1 if it has faults; the appliance may be running")
    .option("--from <part>", "begin with a part that a check before did not finish", parsePart)
    .addOption(jsonOption())
    .action(({ json, from }: AsJson & { from?: string }) => {
      const config = readConfig(context.environment);
      warnOfUnknownSettings(context);
      requireFile(config);
      const results: CheckResult[] = [];
      const { clock } = context.ports(config);
      const progress = createProgress(output, clock);
      const onResult = (result: CheckResult): void => {
        results.push(result);
        progress.clear();
        if (!json) for (const line of linesOf(result)) output.out(line);
      };
      const db = openForCheck(config.databasePath, clock);
      if (db instanceof AppError) onResult({ name: "file", faults: [db.detail] });
      else {
        using checked = db;
        if (from?.includes("/")) requireStep(checked, from);
        checkDatabase(checked, onResult, { ...(from && { from }), onStep: progress.show });
      }
      if (json) output.out(JSON.stringify({ results }));
      if (results.some(({ faults }) => faults.length > 0)) throw new CommandExit(EXIT_FAILED);
    });
}

/** @throws InvalidArgumentError */
function parsePart(given: string): string {
  if (CHECK_NAMES.includes(given.split("/")[0] ?? "")) return given;
  throw new InvalidArgumentError(
    `One of ${CHECK_NAMES.join(", ")}; or a step of one, such as file/posts, as the progress names it.`,
  );
}

/**
 * Refuses a mistyped step, with which its part would be checked from the beginning or not at all. Steps that a
 * damaged file does not tell are left to the check, which reports the fault.
 * @throws CommandExit
 */
function requireStep(db: Database, from: string): void {
  const [part = "", ...rest] = from.split("/");
  const step = rest.join("/");
  const names = namesOrNull(db, part);
  if (names === null || names.includes(step) || from === PASSING_STEP) return;
  throw usageError(
    names.length === 0
      ? `--from: ${part} has no steps.`
      : `--from: ${part} has no step ${step}, but ${names.join(", ")}.`,
  );
}

/** A step that its part has only while the index is complete, so a check may go on with it once it has gone. */
const PASSING_STEP = "post search/missing";

function namesOrNull(db: Database, part: string): string[] | null {
  try {
    return stepNames(db, part);
  } catch {
    return null;
  }
}

/** Interval between two lines of progress that nobody watches, such as in a log. */
const NOTE_INTERVAL_MS = 10_000;

/**
 * Says what is looked at, on standard error: on one line of a terminal, otherwise on a line every ten seconds.
 * After a stop, `--from` continues with what was named last.
 */
function createProgress({ note }: Output, clock: Clock) {
  const { stderr } = process;
  const textOf = (name: string, at: number, of: number): string =>
    of === 1 ? name : `${name} (${at} of ${of})`;
  if (!stderr.isTTY) {
    let notedAt = clock.monotonic();
    return {
      clear() {},
      show(...step: [name: string, at: number, of: number]) {
        if (clock.monotonic() - notedAt < NOTE_INTERVAL_MS) return;
        notedAt = clock.monotonic();
        note(textOf(...step));
      },
    };
  }
  const clear = () => void stderr.write("\r\x1b[K");
  return {
    clear,
    show(...step: [name: string, at: number, of: number]) {
      clear();
      stderr.write(textOf(...step));
    },
  };
}

/** @returns the error if the file is none that this program can check */
function openForCheck(path: string, clock: Clock): Database | AppError {
  try {
    return openReader(path, clock);
  } catch (error) {
    if (error instanceof AppError && error.code === "conflict") return error;
    throw error;
  }
}

function linesOf({ name, faults }: CheckResult): string[] {
  if (faults.length === 0) return [`ok     ${name}`];
  return faults.map((fault) => `fault  ${name}: ${forTerminal(fault)}`);
}
