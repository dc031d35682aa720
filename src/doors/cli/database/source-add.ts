import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Command, Option } from "commander";
import { BOT_MESSENGERS } from "../../../catalog/sources/bots/bots.ts";
import { BOT_KINDS, type BotKind } from "../../../catalog/sources/sources.table.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { readingOptions } from "../../../verbs/operator/data/reading-options.ts";
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
import { readOptions, withOptions } from "../resource-command.ts";
import { withDomains } from "../with-domains.ts";
import { type MapFile, readingWithMapFile, withReadingOptions } from "./reading-options.ts";

export function addSourceCommand(context: CommandContext): Command {
  const add = new Command("add")
    .description(
      "add a source; while the appliance serves, it is read at once and then by its schedule",
    )
    .addCommand(addFileCommand(context));
  for (const kind of BOT_KINDS) add.addCommand(addBotCommand(context, kind));
  return add;
}

interface FileOptions extends MapFile, AsJson {
  folder?: string;
}

function addFileCommand(context: CommandContext): Command {
  const { schedule: every, ...others } = fileOptions;
  const options = { url: sourceUrl, ...others, every };
  const command = new Command("pull")
    .description("a file at a web address, or the files of a folder")
    .option("--folder <directory>", "a folder, whose new and changed files are read");
  return withReadingOptions(withOptions(command, options))
    .addOption(jsonOption())
    .action((given: FileOptions) => {
      const args = readOptions({ ...options, ...readingOptions }, given);
      const file = { ...args, schedule: args.every };
      const added = fileSource(file, readingWithMapFile(args, given), placeOf(args, given));
      return withDomains(context, async ({ sources, clock }) => {
        const source = await sources.add(added, COMMAND_LINE);
        printObject(context.output, sourceRow(source, clock.now()), given.json);
      });
    });
}

type Place = Pick<Arguments<typeof fileOptions & { url: typeof sourceUrl }>, "url" | "header">;

function placeOf({ url, header }: Place, { folder }: FileOptions) {
  if ((url === undefined) === (folder === undefined)) throw usageError("Give --url or --folder.");
  if (folder === undefined) return { kind: "pull", url: url ?? "" } as const;
  if (header !== undefined) throw usageError("--header is for --url only.");
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw usageError(`--folder: there is no directory ${path}.`);
  }
  return { kind: "folder", folder: path } as const;
}

interface BotOptions extends AsJson {
  token?: string;
}

function addBotCommand(context: CommandContext, kind: BotKind): Command {
  const { schedule: every, ...others } = botOptions;
  const options = { ...others, every };
  const command = new Command(kind)
    .description(`a bot in ${BOT_MESSENGERS[kind].name} that is an administrator of channels`)
    .addOption(
      new Option("--token <->", "give -: the bot's token is read from standard input, as one line")
        .argParser(requireStandardInput)
        .conflicts("demo"),
    );
  return withOptions(command, options)
    .addOption(jsonOption())
    .action((given: BotOptions) => {
      const { demo: isDemo, every: schedule, name, api } = readOptions(options, given);
      if (!isDemo && given.token === undefined) {
        throw usageError("Give --token -, or --demo to try it without a bot.");
      }
      return withDomains(context, async ({ sources, clock }) => {
        const token = isDemo ? "" : await readSecretLine("Token: ");
        const bot = { kind, token, isDemo, name, api, schedule };
        const source = await sources.addBot(bot, COMMAND_LINE);
        printObject(context.output, sourceRow(source, clock.now()), given.json);
      });
    });
}

/** A token on the command line would be visible to all users of the machine, and stored by the shell. */
function requireStandardInput(given: string): string {
  if (given === "-") return given;
  throw usageError(
    "--token: give -, and the token on standard input; on the command line, others could see it.",
  );
}
