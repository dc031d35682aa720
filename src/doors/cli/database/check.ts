import { Command } from "commander";
import { readConfig } from "../../../config.ts";
import type { Database } from "../../../db/database.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { type CheckResult, checkDatabase } from "../../../upkeep/checks/check.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import { type CommandContext, CommandExit, EXIT_FAILED } from "../command-context.ts";
import { forTerminal } from "../print.ts";
import { requireFile } from "../with-domains.ts";
import { warnOfUnknownSettings } from "../with-settings.ts";
import { openReader } from "./open-reader.ts";

/** `kanalog check`: verifies the file, the search indexes and the numbers in it. */
export function checkCommand(context: CommandContext): Command {
  const { output } = context;
  return new Command("check")
    .description("check the database; exit 1 if it has faults; the appliance may be running")
    .addOption(jsonOption())
    .action(({ json }: AsJson) => {
      const config = readConfig(context.environment);
      warnOfUnknownSettings(context);
      requireFile(config);
      const results: CheckResult[] = [];
      checkFile(config.databasePath, context.ports(config).clock, (result) => {
        results.push(result);
        if (!json) for (const line of linesOf(result)) output.out(line);
      });
      if (json) output.out(JSON.stringify({ results }));
      if (results.some(({ faults }) => faults.length > 0)) throw new CommandExit(EXIT_FAILED);
    });
}

function checkFile(path: string, clock: Clock, onResult: (result: CheckResult) => void): void {
  const db = openForCheck(path, clock);
  if (db instanceof AppError) {
    onResult({ name: "file", faults: [db.detail] });
    return;
  }
  try {
    checkDatabase(db, onResult);
  } finally {
    db.close();
  }
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
