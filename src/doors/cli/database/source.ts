import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { IMPORT_KIND_NAMES, type ImportKindName } from "../../../catalog/imports/import-kinds.ts";
import { BOT_MESSENGERS } from "../../../catalog/sources/bots.ts";
import type { Outcome } from "../../../catalog/sources/outcome.ts";
import type { NewSettings } from "../../../catalog/sources/source-adding.ts";
import { nameOfAddress } from "../../../catalog/sources/source-address.ts";
import { NAME_LENGTH_MAX } from "../../../catalog/sources/source-changes.ts";
import { readHeader } from "../../../catalog/sources/source-header.ts";
import {
  dueAt,
  isSettling,
  readSchedule,
  stateOf,
} from "../../../catalog/sources/source-schedule.ts";
import {
  BOT_KINDS,
  type BotKind,
  type FileOptions,
  isBot,
  placeOf,
  type Source,
} from "../../../catalog/sources/sources.table.ts";
import type { Sources } from "../../../catalog/sources/sources.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import type { Clock } from "../../../ports/clock.ts";
import { createTicker } from "../../../upkeep/jobs/ticker.ts";
import { inEnglish } from "../../../values/messages/messages.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import { choiceOption, jsonOption } from "../arguments.ts";
import {
  type CommandContext,
  CommandExit,
  EXIT_FAILED,
  EXIT_REJECTED_ROWS,
  EXIT_USAGE,
} from "../command-context.ts";
import { instantCell, type Printable, printList, printObject } from "../print.ts";
import { readSecretLine } from "../secret-line.ts";
import { withDomains } from "../with-domains.ts";
import { describeReasons, describeSummary, summaryView } from "./import-summary.ts";
import { type FileReading, readingOf, withReadingOptions } from "./reading-options.ts";

const EVERY_FIVE_SECONDS = "*/5 * * * * *";
const EVERY = "15m, 6h, 1d, or a cron pattern of five fields in Moscow time";
/** Without `--every`. */
const USUAL_SCHEDULE = "15m";

/** @throws InvalidArgumentError */
function scheduleText(text: string): string {
  const read = readSchedule(text);
  if ("fault" in read) throw new InvalidArgumentError(inEnglish(read.fault));
  return text;
}

interface AddOptions extends FileReading {
  name?: string;
  /** The kind of the rows. */
  kind: ImportKindName;
  url?: string;
  folder?: string;
  header: Record<string, string>;
  every: string;
  json?: boolean;
}

/** `kanalog source`: places that data comes from by itself. */
export function sourceCommand(context: CommandContext): Command {
  return new Command("source")
    .description("places that data comes from by itself, while the appliance serves")
    .addCommand(addCommand(context))
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(runCommand(context))
    .addCommand(
      changeCommand(
        context,
        "pause",
        "read it no more, until it is resumed",
        (sources) => sources.pauseSource,
      ),
    )
    .addCommand(
      changeCommand(
        context,
        "resume",
        "read a paused one again",
        (sources) => sources.resumeSource,
      ),
    )
    .addCommand(pushesCommand(context))
    .addCommand(removeCommand(context));
}

function addCommand(context: CommandContext): Command {
  const add = new Command("add")
    .description(
      "add a source; it is read at once and then by its schedule, while the appliance serves",
    )
    .addCommand(addPullCommand(context));
  for (const kind of BOT_KINDS) add.addCommand(addBotCommand(context, kind));
  return add;
}

function addPullCommand(context: CommandContext): Command {
  return withReadingOptions(
    new Command("pull")
      .description("a file behind an address, or files of a folder")
      .addOption(
        choiceOption("--kind <rows>", "what the rows are", IMPORT_KIND_NAMES).makeOptionMandatory(),
      )
      .addOption(new Option("--url <address>", "the file's address").conflicts("folder"))
      .addOption(
        new Option("--folder <directory>", "a folder, whose new and changed files are read"),
      )
      .option("--name <name>", "what it is called; else its address or folder")
      .addOption(
        new Option("--header <name: value>", "sent with each request, kept encrypted; repeatable")
          .argParser(addHeader)
          .default({}, "none"),
      )
      .option("--every <schedule>", EVERY, scheduleText, USUAL_SCHEDULE),
  )
    .addOption(jsonOption())
    .action((options: AddOptions) =>
      withDomains(context, async ({ sources, clock }) => {
        const source = await sources.add(settingsOf(options), COMMAND_LINE);
        printObject(context.output, describe(source, clock), options.json === true);
      }),
    );
}

interface AddBotOptions {
  name: string;
  every: string;
  api: string;
  json?: boolean;
}

function addBotCommand(context: CommandContext, kind: BotKind): Command {
  const { name, api, schedule } = BOT_MESSENGERS[kind];
  return new Command(kind)
    .description(`a bot of ${name}, administrator of channels`)
    .addOption(
      new Option("--token <->", "-: the bot's token is read from standard input, as one line")
        .argParser(requireStandardInput)
        .makeOptionMandatory(),
    )
    .option("--name <name>", "what it is called; else as the bot", "")
    .option("--every <schedule>", EVERY, scheduleText, schedule)
    .option("--api <address>", "another server of the messenger's API", api)
    .addOption(jsonOption())
    .action(({ name, every, api, json }: AddBotOptions) =>
      withDomains(context, async ({ sources, clock }) => {
        const token = await readSecretLine("Token: ");
        const bot = { kind, token, name, api, schedule: every };
        const source = await sources.addBot(bot, COMMAND_LINE);
        printObject(context.output, describe(source, clock), json === true);
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
  };
  if (url !== undefined) {
    const settings = { kind: "pull", url, ...file } as const;
    const name = options.name ?? nameOfAddress(url, NAME_LENGTH_MAX);
    return { name, settings, headers: header, schedule: every };
  }
  if (folder === undefined) throw new CommandExit(EXIT_USAGE, "Name --url or --folder.");
  if (Object.keys(header).length > 0) {
    throw new CommandExit(EXIT_USAGE, "--header is for --url only.");
  }
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CommandExit(EXIT_USAGE, `--folder: there is no directory ${path}.`);
  }
  const settings = { kind: "folder", folder: path, ...file } as const;
  return { name: options.name ?? path, settings, headers: {}, schedule: every };
}

/** A token among the words of a command would be seen by all users of the machine, and kept by the shell. */
function requireStandardInput(given: string): string {
  if (given === "-") return given;
  throw new CommandExit(
    EXIT_USAGE,
    "--token: give -, and the token on standard input: here others see it.",
  );
}

function addHeader(text: string, before: Record<string, string>): Record<string, string> {
  const header = readHeader(text);
  if (header === null) {
    throw new InvalidArgumentError('It is not a header such as "Authorization: Bearer abc".');
  }
  return { ...before, ...header };
}

function listCommand(context: CommandContext): Command {
  return new Command("list")
    .description("all sources, with the state of their last run")
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) =>
      withDomains(context, async ({ sources, clock }) => {
        const rows = (await sources.list()).map((source) => describe(source, clock));
        printList(context.output, rows, json === true);
      }),
    );
}

function showCommand(context: CommandContext): Command {
  return new Command("show")
    .description("one source, with what its last run read")
    .argument("<source>", "its number or name")
    .addOption(jsonOption())
    .action((named: string, { json }: { json?: boolean }) =>
      withDomains(context, async ({ sources, clock }) => {
        const source = await sources.find(named);
        printObject(context.output, describe(source, clock), json === true);
        if (json === true) return;
        await tellWithoutChannel(context, sources, source);
        for (const { title, isRead, fault } of await sources.chats(source.id)) {
          const why = fault === null ? "" : ` (${inEnglish(fault)})`;
          context.output.out(`${isRead ? "reads" : "was removed from"}: ${title}${why}`);
        }
        if (isSettling(source)) context.output.note(SETTLING);
        const { gap } = source.position;
        if (gap !== undefined) {
          const [from, to] = [formatInstant(gap.from), formatInstant(gap.to)];
          context.output.note(
            `Posts from ${from} to ${to} may be missing: nobody read the bot. Bring them by \`kanalog import posts --from telegram-desktop\`.`,
          );
        }
        if (source.summary === null) return;
        context.output.out(describeSummary(source.summary));
        for (const reason of describeReasons(source.summary)) context.output.note(reason);
      }),
    );
}

/** A bot that nobody made an administrator is read without a fault, and gives nothing. */
async function tellWithoutChannel(
  { output }: CommandContext,
  sources: Sources,
  { id, settings }: Source,
): Promise<void> {
  if (!isBot(settings) || (await sources.chats(id)).some(({ isRead }) => isRead)) return;
  output.note(`No channel has told of ${settings.bot} yet: make it administrator of one.`);
}

const SETTLING =
  "A file was written to less than 10 seconds ago; it is read within seconds, once it has settled.";

function runCommand(context: CommandContext): Command {
  return new Command("run")
    .description("read one now, in this command, and wait for its end")
    .argument("<source>", "its number or name")
    .option("--again", "read files that were read before, too")
    .addOption(jsonOption())
    .action((named: string, { again = false, json }: { again?: boolean; json?: boolean }) =>
      withDomains(context, async ({ sources }) => {
        const source = await sources.find(named);
        if (again && isBot(source.settings)) {
          throw new CommandExit(EXIT_USAGE, "--again is for files: a bot's messenger tells once.");
        }
        const beating = createTicker(EVERY_FIVE_SECONDS, () => sources.beat().catch(() => {}));
        beating.start();
        try {
          const outcome = await sources.runNow(source.id, { isAgain: again });
          if (json === true) context.output.out(outcomeJson(outcome));
          else tellOutcome(context, outcome);
          endAs(outcome);
          await tellWithoutChannel(context, sources, source);
        } finally {
          await beating.stop();
        }
      }),
    );
}

function tellOutcome({ output }: CommandContext, { summary, failure, unsettled }: Outcome): void {
  if (summary !== null) {
    output.out(describeSummary(summary));
    for (const reason of describeReasons(summary)) output.note(reason);
  }
  if (failure !== null) return;
  if (unsettled !== null) {
    output.note(
      `${unsettled} was written to less than 10 seconds ago. It is left for a later run, with those behind it.`,
    );
  } else if (summary === null) output.out("Nothing new.");
}

/** The summary as `import` prints it, or null where there was nothing new; and what could not be read. */
function outcomeJson(outcome: Outcome): string {
  const { summary, unsettled } = outcome;
  return JSON.stringify({
    summary: summary && summaryView(summary),
    last_error: errorText(outcome),
    unsettled,
  });
}

/** @throws CommandExit where a file could not be read, or rows were rejected */
function endAs(outcome: Outcome): void {
  if (outcome.failure !== null) throw new CommandExit(EXIT_FAILED, errorText(outcome));
  if ((outcome.summary?.rejected ?? 0) > 0) throw new CommandExit(EXIT_REJECTED_ROWS);
}

/** Why a run failed, with the file where it was one of several; empty where it did not. */
function errorText({ failure, failedFile }: Pick<Outcome, "failure" | "failedFile">): string {
  if (failure === null) return "";
  return `${failedFile === null ? "" : `${failedFile}: `}${inEnglish(failure)}`;
}

type Change = Sources["pauseSource" | "resumeSource"];

function changeCommand(
  context: CommandContext,
  word: string,
  description: string,
  changeOf: (sources: Sources) => Change,
): Command {
  return new Command(word)
    .description(description)
    .argument("<source>", "its number or name")
    .addOption(jsonOption())
    .action((named: string, { json }: { json?: boolean }) =>
      withDomains(context, async ({ sources, clock }) => {
        const { id } = await sources.find(named);
        const changed = await changeOf(sources)(id, COMMAND_LINE);
        printObject(context.output, describe(changed, clock), json === true);
      }),
    );
}

function removeCommand(context: CommandContext): Command {
  return new Command("remove")
    .description("forget it; what it gave stays")
    .argument("<source>", "its number or name")
    .addOption(jsonOption())
    .action((named: string, { json }: { json?: boolean }) =>
      withDomains(context, async ({ sources }) => {
        const { id } = await sources.find(named);
        const { name } = await sources.removeSource(id, COMMAND_LINE);
        printObject(context.output, { removed: id, name }, json === true);
      }),
    );
}

function pushesCommand(context: CommandContext): Command {
  return new Command("pushes")
    .description("have MAX push what is new to KANALOG_BASE_URL, or ask for it again")
    .argument("<source>", "its number or name")
    .addArgument(new Argument("<state>", "whether it pushes").choices(["on", "off"]))
    .addOption(jsonOption())
    .action((named: string, state: string, { json }: { json?: boolean }) =>
      withDomains(context, async ({ sources, clock }) => {
        const { id } = await sources.find(named);
        const changed = await sources.setPushes(id, state === "on", COMMAND_LINE);
        printObject(context.output, describe(changed, clock), json === true);
      }),
    );
}

function describe(source: Source, clock: Clock): Printable {
  const { settings } = source;
  const now = clock.now();
  const next = dueAt(source, now);
  return {
    id: source.id,
    name: source.name,
    kind: source.kind,
    rows: isBot(settings) ? "" : settings.rows,
    from: placeOf(settings),
    schedule: source.schedule,
    state: stateOf(source, now),
    last_success_at: instantCell(source.succeededAt),
    last_run_at: instantCell(source.startedAt),
    next_run_at: source.isPaused || !Number.isFinite(next) ? null : instantCell(next),
    lag_seconds: source.position.lagMs === undefined ? null : source.position.lagMs / 1000,
    failures: source.failures,
    last_error: errorText(source),
  };
}
