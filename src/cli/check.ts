import { Command } from "commander";
import { type CheckResult, checkDatabase } from "../checks/check.ts";
import { readConfig } from "../config.ts";
import { closeDatabase, openExisting } from "../db/database.ts";
import { jsonOption } from "./arguments.ts";
import { type CommandContext, CommandExit, EXIT_FAILED } from "./command-context.ts";
import { requireFile } from "./with-domains.ts";

/** `kanalog check`: whether the file, the search index and the numbers in it are sound. */
export function checkCommand(context: CommandContext): Command {
  const { output } = context;
  return new Command("check")
    .description("check the database, while the appliance runs or not; exit 1 where it has faults")
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) => {
      const config = readConfig(context.environment);
      requireFile(config);
      const db = openExisting(config.databasePath, context.ports(config).clock);
      const results: CheckResult[] = [];
      try {
        checkDatabase(db, (result) => {
          results.push(result);
          if (json !== true) for (const line of linesOf(result)) output.out(line);
        });
      } finally {
        closeDatabase(db);
      }
      if (json === true) output.out(JSON.stringify({ results }));
      if (results.some(({ faults }) => faults.length > 0)) throw new CommandExit(EXIT_FAILED);
    });
}

function linesOf({ name, faults }: CheckResult): string[] {
  if (faults.length === 0) return [`ok     ${name}`];
  // What a damaged file holds must not reach the terminal as a command.
  return faults.map((fault) => `fault  ${name}: ${fault.replace(/\p{Cc}/gu, "�")}`);
}
