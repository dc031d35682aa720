import { Command, CommanderError } from "commander";
import { version } from "../../../package.json";
import { ConfigError, type Environment, readConfig } from "../../config.ts";
import {
  AppError,
  isStorageFault,
  isStorageUnavailable,
  storageReason,
  toAppError,
} from "../../errors.ts";
import { channels } from "../../verbs/operator/channels.ts";
import { imports } from "../../verbs/operator/imports.ts";
import { keys } from "../../verbs/operator/keys.ts";
import { operatorKeys } from "../../verbs/operator/operator-keys.ts";
import { operatorWebhooks } from "../../verbs/operator/operator-webhooks.ts";
import { organizations } from "../../verbs/operator/organizations.ts";
import { planRequests } from "../../verbs/operator/plan-requests.ts";
import { plans } from "../../verbs/operator/plans.ts";
import { posts } from "../../verbs/operator/posts.ts";
import { webhooks } from "../../verbs/operator/webhooks.ts";
import { type CommandContext, CommandExit, EXIT_FAILED, EXIT_USAGE } from "./command-context.ts";
import { memberCommand } from "./customers/member.ts";
import { staffCommand } from "./customers/staff.ts";
import { backupCommand, restoreCommand } from "./database/backup.ts";
import { checkCommand } from "./database/check.ts";
import { exportCommand } from "./database/export.ts";
import { importCommand } from "./database/import.ts";
import { sampleCommand } from "./database/sample.ts";
import { searchCommand } from "./database/search.ts";
import { sourceCommand } from "./database/source.ts";
import { configCommand, openApiCommand, recountCommand } from "./database/upkeep.ts";
import { resourceCommand } from "./resource-command.ts";
import { clusterCommand } from "./serving/cluster.ts";
import { healthCommand } from "./serving/health.ts";
import { mcpCommand } from "./serving/mcp.ts";
import { serveCommand } from "./serving/serve.ts";
import { startCommand } from "./serving/start.ts";
import { workerCommand } from "./serving/worker.ts";

/** Runs a command line. @returns the exit code */
export async function runCommandLine(
  words: readonly string[],
  context: CommandContext,
): Promise<number> {
  const program = new Command("kanalog")
    .description("A self-hosted channel data appliance over one SQLite file.")
    .version(version)
    .addHelpText("after", "\nThe database is KANALOG_DB, or data/kanalog.db. See `kanalog config`.")
    .addCommand(startCommand(context))
    .addCommand(serveCommand(context))
    .addCommand(importCommand(context))
    .addCommand(resourceCommand(imports, context))
    .addCommand(exportCommand(context))
    .addCommand(sourceCommand(context))
    .addCommand(resourceCommand(channels, context))
    .addCommand(resourceCommand(posts, context))
    .addCommand(sampleCommand(context))
    .addCommand(resourceCommand(organizations, context))
    .addCommand(memberCommand(context))
    .addCommand(resourceCommand(keys, context))
    .addCommand(staffCommand(context).addCommand(resourceCommand(operatorKeys, context)))
    .addCommand(resourceCommand(plans, context))
    .addCommand(resourceCommand(planRequests, context))
    .addCommand(resourceCommand(webhooks, context))
    .addCommand(resourceCommand(operatorWebhooks, context))
    .addCommand(recountCommand(context))
    .addCommand(searchCommand(context))
    .addCommand(clusterCommand(context))
    .addCommand(backupCommand(context))
    .addCommand(restoreCommand(context))
    .addCommand(checkCommand(context))
    .addCommand(healthCommand(context))
    .addCommand(mcpCommand(context))
    .addCommand(openApiCommand(context))
    .addCommand(configCommand(context))
    .addCommand(workerCommand(context), { hidden: true });
  configureOutput(program, context);
  try {
    await program.parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    return exitCodeOf(error, context);
  }
}

/** Commander would print and exit by itself; instead, each command uses the context's output. */
function configureOutput(command: Command, context: CommandContext): void {
  const { output } = context;
  command
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => output.out(text.trimEnd()),
      writeErr: (text) => output.note(text.trimEnd()),
    });
  for (const child of command.commands) configureOutput(child, context);
}

/** Names the file, or the PostgreSQL server, that refused, and why. */
function causeOf({ cause }: AppError, environment: Environment): string {
  const { databasePath, cluster } = readConfig(environment);
  const reason = storageReason(cause);
  if (reason !== null) return ` ${databasePath}: ${reason}.`;
  if (cluster === null || !(cause instanceof Error)) return "";
  return ` PostgreSQL of KANALOG_CLUSTER: ${cause.message}.`;
}

function exitCodeOf(thrown: unknown, { output, environment }: CommandContext): number {
  const error = isStorageFault(thrown) ? toAppError(thrown) : thrown;
  if (error instanceof CommanderError) {
    // Asking for help is not an error; naming a group without one of its commands is.
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
  if (error instanceof CommandExit) {
    if (error.message !== "") output.note(error.message);
    return error.exitCode;
  }
  if (error instanceof ConfigError) {
    output.note(error.message);
    return EXIT_USAGE;
  }
  if (error instanceof AppError) {
    output.note(error.detail + (isStorageUnavailable(error) ? causeOf(error, environment) : ""));
    return error.code === "invalid" ? EXIT_USAGE : EXIT_FAILED;
  }
  if (error instanceof Error && "syscall" in error) {
    // Refusals by the system (of a file, a folder) are printed in its words; a stack would add nothing.
    output.note(error.message);
    return EXIT_FAILED;
  }
  output.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT_FAILED;
}
