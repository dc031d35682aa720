import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Command, Option } from "commander";
import { BOT_MESSENGERS } from "../../../catalog/sources/bots/bots.ts";
import { BOT_KINDS, type BotKind } from "../../../catalog/sources/sources.table.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import {
  botOptions,
  fileOptions,
  fileSource,
  sourceRow,
  sourceUrl,
} from "../../../verbs/operator/system/sources.ts";
import type { Arguments } from "../../../verbs/parameters.ts";
import { type AsJson, type CommandContext, jsonOption, usageError } from "../command-context.ts";
import { printObject, readSecretLine } from "../print.ts";
import { withOptions } from "../resource-command.ts";
import { withDomains } from "../with-domains.ts";
import { type FileReading, readingOf, withReadingOptions } from "./reading-options.ts";

export function addSourceCommand(context: CommandContext): Command {
  const add = new Command("add")
    .description(
      "add a source; while the appliance serves, it is read at once and then by its schedule",
    )
    .addCommand(addFileCommand(context));
  for (const kind of BOT_KINDS) add.addCommand(addBotCommand(context, kind));
  return add;
}

interface FileOptions extends Arguments<typeof fileOptions>, FileReading, AsJson {
  url?: string;
  folder?: string;
  every: string;
  timeLimit?: number;
}

function addFileCommand(context: CommandContext): Command {
  const { schedule: every, ...options } = fileOptions;
  const command = new Command("pull")
    .description("a file at a web address, or the files of a folder")
    .option("--folder <directory>", "a folder, whose new and changed files are read");
  return withReadingOptions(withOptions(command, { url: sourceUrl, ...options, every }))
    .addOption(jsonOption())
    .action(({ every: schedule, timeLimit, json, ...given }: FileOptions) =>
      withDomains(context, async ({ sources, clock }) => {
        const file = { ...given, schedule, time_limit: timeLimit };
        const added = fileSource(file, readingOf(given), placeOf(given));
        printObject(
          context.output,
          sourceRow(await sources.add(added, COMMAND_LINE), clock.now()),
          json,
        );
      }),
    );
}

function placeOf({ url, folder, header }: Pick<FileOptions, "url" | "folder" | "header">) {
  if ((url === undefined) === (folder === undefined)) throw usageError("Give --url or --folder.");
  if (folder === undefined) return { kind: "pull", url: url ?? "" } as const;
  if (header !== undefined) throw usageError("--header is for --url only.");
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw usageError(`--folder: there is no directory ${path}.`);
  }
  return { kind: "folder", folder: path } as const;
}

interface BotOptions extends Arguments<typeof botOptions>, AsJson {
  token?: string;
  every: string;
}

function addBotCommand(context: CommandContext, kind: BotKind): Command {
  const { schedule: every, ...options } = botOptions;
  const command = new Command(kind)
    .description(`a bot in ${BOT_MESSENGERS[kind].name} that is an administrator of channels`)
    .addOption(
      new Option("--token <->", "give -: the bot's token is read from standard input, as one line")
        .argParser(requireStandardInput)
        .conflicts("demo"),
    );
  return withOptions(command, { ...options, every })
    .addOption(jsonOption())
    .action(({ every: schedule, json, token: given, demo: isDemo, name, api }: BotOptions) =>
      withDomains(context, async ({ sources, clock }) => {
        if (!isDemo && given === undefined) {
          throw usageError("Give --token -, or --demo to try it without a bot.");
        }
        const token = isDemo ? "" : await readSecretLine("Token: ");
        const bot = { kind, token, isDemo, name, api, schedule };
        const source = await sources.addBot(bot, COMMAND_LINE);
        printObject(context.output, sourceRow(source, clock.now()), json);
      }),
    );
}

/** A token on the command line would be visible to all users of the machine, and stored by the shell. */
function requireStandardInput(given: string): string {
  if (given === "-") return given;
  throw usageError(
    "--token: give -, and the token on standard input; on the command line, others could see it.",
  );
}
