import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import {
  IMPORT_KIND_NAMES,
  type ImportKindName,
} from "../../../catalog/imports/kinds/import-kinds.ts";
import { BOT_MESSENGERS } from "../../../catalog/sources/bots/bots.ts";
import type { NewSettings } from "../../../catalog/sources/source-adding.ts";
import { nameOfAddress, readHeader } from "../../../catalog/sources/source-address.ts";
import { NAME_LENGTH_MAX } from "../../../catalog/sources/source-changes.ts";
import { readSchedule } from "../../../catalog/sources/source-schedule.ts";
import {
  BOT_KINDS,
  type BotKind,
  type FileOptions,
} from "../../../catalog/sources/sources.table.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { inEnglish } from "../../../values/messages/messages.ts";
import { sourceRow, timeLimit } from "../../../verbs/operator/system/sources.ts";
import { type AsJson, type CommandContext, jsonOption, usageError } from "../command-context.ts";
import { printObject, readSecretLine } from "../print.ts";
import { optionOf } from "../resource-command.ts";
import { withDomains } from "../with-domains.ts";
import { type FileReading, readingOf, withReadingOptions } from "./reading-options.ts";

const EVERY = "15m, 6h, 1d, or a cron pattern of five fields in Moscow time";
/** Default for `--every`. */
const USUAL_SCHEDULE = "15m";

/** @throws InvalidArgumentError */
function scheduleText(text: string): string {
  const read = readSchedule(text);
  if ("fault" in read) throw new InvalidArgumentError(inEnglish(read.fault));
  return text;
}

interface AddOptions extends FileReading, AsJson {
  name?: string;
  /** Kind of the rows. */
  kind: ImportKindName;
  url?: string;
  folder?: string;
  header: Record<string, string>;
  every: string;
  timeLimit?: number;
}

export function addSourceCommand(context: CommandContext): Command {
  const add = new Command("add")
    .description(
      "add a source; while the appliance serves, it is read at once and then by its schedule",
    )
    .addCommand(addPullCommand(context));
  for (const kind of BOT_KINDS) add.addCommand(addBotCommand(context, kind));
  return add;
}

function addPullCommand(context: CommandContext): Command {
  return withReadingOptions(
    new Command("pull")
      .description("a file at a web address, or the files of a folder")
      .addOption(
        new Option("--kind <rows>", "what the rows are")
          .choices(IMPORT_KIND_NAMES)
          .makeOptionMandatory(),
      )
      .addOption(new Option("--url <address>", "the file's address").conflicts("folder"))
      .option("--folder <directory>", "a folder, whose new and changed files are read")
      .option("--name <name>", "its name; by default its address or folder")
      .addOption(
        new Option(
          "--header <name: value>",
          "a header to send with each request, stored encrypted; repeatable",
        )
          .argParser(addHeader)
          .default({}, "none"),
      )
      .option("--every <schedule>", EVERY, scheduleText, USUAL_SCHEDULE)
      .addOption(optionOf("time_limit", timeLimit)),
  )
    .addOption(jsonOption())
    .action((options: AddOptions) =>
      withDomains(context, async ({ sources, clock }) => {
        const source = await sources.add(settingsOf(options), COMMAND_LINE);
        printObject(context.output, sourceRow(source, clock.now()), options.json);
      }),
    );
}

interface AddBotOptions extends AsJson {
  token?: string;
  demo?: boolean;
  name: string;
  every: string;
  api: string;
}

function addBotCommand(context: CommandContext, kind: BotKind): Command {
  const { name, api, schedule } = BOT_MESSENGERS[kind];
  return new Command(kind)
    .description(`a bot in ${name} that is an administrator of channels`)
    .addOption(
      new Option("--token <->", "give -: the bot's token is read from standard input, as one line")
        .argParser(requireStandardInput)
        .conflicts("demo"),
    )
    .option("--demo", `a fake ${name} inside the program, whose channels post every few seconds`)
    .option("--name <name>", "its name; by default the bot's", "")
    .addOption(
      new Option("--every <schedule>", `${EVERY}; by default ${schedule}`)
        .argParser(scheduleText)
        .default("", "the messenger's"),
    )
    .option("--api <address>", "the address of the messenger's API", api)
    .addOption(jsonOption())
    .action(({ name, every, api, json, token: given, demo: isDemo = false }: AddBotOptions) =>
      withDomains(context, async ({ sources, clock }) => {
        if (!isDemo && given === undefined) {
          throw usageError("Give --token -, or --demo to try it without a bot.");
        }
        const token = isDemo ? "" : await readSecretLine("Token: ");
        const bot = { kind, token, isDemo, name, api, schedule: every };
        const source = await sources.addBot(bot, COMMAND_LINE);
        printObject(context.output, sourceRow(source, clock.now()), json);
      }),
    );
}

function settingsOf(options: AddOptions): NewSettings {
  const { url, folder, header, every } = options;
  const file: FileOptions = {
    rows: options.kind,
    reading: readingOf(options),
    timezone: options.timezone,
    strict: options.strict === true,
    fileMaxMs: options.timeLimit,
  };
  if (url !== undefined) {
    const settings = { kind: "pull", url, ...file } as const;
    const name = options.name ?? nameOfAddress(url, NAME_LENGTH_MAX);
    return { name, settings, headers: header, schedule: every };
  }
  if (folder === undefined) throw usageError("Give --url or --folder.");
  if (Object.keys(header).length > 0) {
    throw usageError("--header is for --url only.");
  }
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw usageError(`--folder: there is no directory ${path}.`);
  }
  const settings = { kind: "folder", folder: path, ...file } as const;
  return { name: options.name ?? path, settings, headers: {}, schedule: every };
}

/** A token on the command line would be visible to all users of the machine, and stored by the shell. */
function requireStandardInput(given: string): string {
  if (given === "-") return given;
  throw usageError(
    "--token: give -, and the token on standard input; on the command line, others could see it.",
  );
}

function addHeader(text: string, before: Record<string, string>): Record<string, string> {
  const header = readHeader(text);
  if (header === null) {
    throw new InvalidArgumentError('It is not a header such as "Authorization: Bearer abc".');
  }
  return { ...before, ...header };
}
