import { Command, CommanderError, Help } from "commander";
import { version } from "../../../package.json";
import { ConfigError, type Environment, readConfig } from "../../config.ts";
import { COMMAND_LINE } from "../../customers/audit/audit-log.ts";
import {
  AppError,
  isStorageFault,
  isStorageUnavailable,
  storageReason,
  toAppError,
} from "../../errors.ts";
import { systemClock } from "../../ports/clock.ts";
import { resources } from "../../verbs/operator/resources.ts";
import type { AsJson, CommandContext } from "./command-context.ts";
import { CommandExit, EXIT_FAILED, EXIT_USAGE, jsonOption, usageError } from "./command-context.ts";
import { conformanceCommand } from "./conformance.ts";
import { backupCommand, restoreCommand } from "./database/backup.ts";
import { exportCommand } from "./database/export.ts";
import { importCommand } from "./database/import.ts";
import { searchCommand } from "./database/search.ts";
import { sourceCommand } from "./database/source.ts";
import { checkCommand, configCommand, openApiCommand, recountCommand } from "./database/upkeep.ts";
import { mcpCommand } from "./mcp.ts";
import { memberCommand, staffCommand } from "./people.ts";
import { resourceCommand } from "./resource-command.ts";
import { clusterCommand } from "./serving/cluster.ts";
import { doctorCommand } from "./serving/doctor.ts";
import { healthCommand } from "./serving/health.ts";
import { startCommand } from "./serving/start.ts";
import type { ServeOptions } from "./serving/until-stopped.ts";
import { serve, servesText, stopSignalled, withServeOptions } from "./serving/until-stopped.ts";
import { upgradeCommand } from "./serving/upgrade.ts";
import { printResult } from "./with-domains.ts";

/** Commands of resources that have more than the resource's verbs. */
const BY_HAND: Readonly<Record<string, (context: CommandContext) => Command>> = {
  member: memberCommand,
  source: sourceCommand,
  backup: backupCommand,
  staff: staffCommand,
};

/** Runs a command line. @returns the exit code */
export async function runCommandLine(
  words: readonly string[],
  context: CommandContext,
): Promise<number> {
  const program: Command = new Command("kanalog")
    .description("A self-hosted channel data appliance over one SQLite file.")
    .version(version)
    .enablePositionalOptions()
    .addHelpText("after", "\nAll commands: kanalog help --all. Settings: kanalog config.")
    .configureHelp({ visibleCommands: (command: Command) => listed(command, program) })
    .helpCommand(false)
    .addCommand(startCommand(context))
    .addCommand(serveCommand(context))
    .addCommand(importCommand(context))
    .addCommand(exportCommand(context))
    .addCommand(sampleCommand(context));
  for (const resource of resources) {
    const own = BY_HAND[resource.command];
    const isOfPeople = resource.verbs.some(({ isForPrograms }) => !isForPrograms);
    const isTop = !resource.command.includes(" ");
    if (isOfPeople && isTop) {
      program.addCommand(own?.(context) ?? resourceCommand(resource, context));
    }
  }
  program
    .addCommand(recountCommand(context))
    .addCommand(searchCommand(context))
    .addCommand(clusterCommand(context))
    .addCommand(restoreCommand(context))
    .addCommand(checkCommand(context))
    .addCommand(healthCommand(context))
    .addCommand(doctorCommand(context))
    .addCommand(upgradeCommand(context))
    .addCommand(mcpCommand(context))
    .addCommand(conformanceCommand(context))
    .addCommand(openApiCommand(context))
    .addCommand(configCommand(context))
    .addCommand(workerCommand(context), { hidden: true })
    .addCommand(helpCommand(program));
  configureOutput(program, context);
  try {
    await program.parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    return exitCodeOf(error, context);
  }
}

/** The commands of the first day, which the program's help lists by itself. */
const FIRST_DAY = "start serve import sample org key staff source backup config help".split(" ");

function listed(command: Command, program: Command): Command[] {
  const all = new Help().visibleCommands(command);
  return command === program ? all.filter((one) => FIRST_DAY.includes(one.name())) : all;
}

/** `kanalog help`: the help of the program or of a command. */
function helpCommand(program: Command): Command {
  return new Command("help")
    .description("show the help of a command, or with --all all commands")
    .argument("[command...]", "its name, such as `key create`")
    .option("--all", "list all commands", false)
    .action((names: string[], { all }: { all: boolean }) => {
      let one = program;
      for (const name of names) {
        const found = one.commands.find((command) => command.name() === name);
        if (found === undefined) program.error(`error: unknown command '${name}'`);
        else one = found;
      }
      if (all) program.configureHelp({});
      one.outputHelp();
    });
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

function serveCommand(context: CommandContext): Command {
  return withServeOptions(new Command("serve"))
    .description("run the appliance: REST API, documentation and scheduler")
    .action((options: ServeOptions) =>
      serve(context, options, (listening) => {
        const { note } = context.output;
        const { setUpAddress } = listening;
        note(servesText(listening));
        if (setUpAddress === null) return;
        note(`Set up the account site within 30 minutes: ${setUpAddress}`);
      }),
    );
}

function sampleCommand(context: CommandContext): Command {
  const command = new Command("sample").description(
    "the sample channels that the first start loads",
  );
  command
    .command("remove")
    .description("remove them with their posts and statistics; those that an import changed stay")
    .addOption(jsonOption())
    .action((options: AsJson) =>
      printResult(context, options, async ({ sample }) => ({
        removed: await sample.remove(COMMAND_LINE),
      })),
    );
  return command;
}

/** `kanalog worker`: one of the processes that `serve --workers` starts; nobody else calls it. */
function workerCommand(context: CommandContext): Command {
  return new Command("worker")
    .description("serve together with other workers; started by `kanalog serve --workers`")
    .action(async () => {
      try {
        await work(context);
      } finally {
        // The channel to the parent process would keep this process alive, even after a failed start.
        process.disconnect?.();
      }
    });
}

async function work(context: CommandContext): Promise<void> {
  const crew = await context.joinCrew(systemClock);
  if (crew === null) {
    throw usageError("Workers are started by `kanalog serve --workers`.");
  }
  const config = readConfig(context.environment);
  const app = await context.createApp(config, context.ports(config, crew.number), { crew });
  const stopSignal = stopSignalled(app.domains.clock);
  try {
    const setUpPath = await app.setUpPath();
    // A worker that was told to stop while it started begins nothing.
    if (crew.isStopped()) return;
    app.listen();
    crew.ready(setUpPath);
    await Promise.race([stopSignal, crew.stopped]);
  } finally {
    await app.close();
  }
}
