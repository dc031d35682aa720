import { existsSync } from "node:fs";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { type Environment, readConfig } from "../../config.ts";
import { COMMAND_LINE } from "../../customers/audit/audit-log.ts";
import { passwordAddress } from "../../customers/people/passwords.ts";
import { AppError } from "../../errors.ts";
import { readOneOf } from "../../values/fields.ts";
import { inEnglish } from "../../values/messages/messages.ts";
import { localAddress } from "../../values/network/address-ranges.ts";
import type { OperatorServices, Resource, Row, Use, Verb } from "../../verbs/operator/resource.ts";
import { informed, isReference, positionOf } from "../../verbs/operator/resource.ts";
import type { Position } from "../../verbs/paging.ts";
import type { Arguments, Parameter, Parameters } from "../../verbs/parameters.ts";
import { readArguments } from "../../verbs/read-arguments.ts";
import type { AsJson, CommandContext } from "./command-context.ts";
import { CommandExit, EXIT_FAILED, jsonOption, usageError } from "./command-context.ts";
import { confirm, forTerminal, objectText, printList, printObject } from "./print.ts";
import { withDomains } from "./with-domains.ts";

type Given = Record<string, unknown>;

/** Commands of a resource, one for each of its verbs. */
export function resourceCommand(resource: Resource, context: CommandContext): Command {
  const group = new Command(resource.command.split(" ").at(-1)).description(resource.title);
  for (const verb of resource.verbs) {
    if (!verb.isForPrograms) group.addCommand(verbCommand(resource, verb, context));
  }
  return group;
}

function verbCommand(resource: Resource, verb: Verb, context: CommandContext): Command {
  const command = new Command(verb.name).description(verb.title);
  if (verb.on === "one") command.argument(`<${resource.name}>`, resource.hint);
  const positional = (verb.positional ?? []) as string[];
  for (const name of positional) command.addArgument(argumentOf(name, verb.args[name]));
  for (const [name, parameter] of Object.entries<Parameter<unknown>>(verb.args))
    if (!positional.includes(name)) command.addOption(optionOf(name, parameter));
  // Taken by all, so that scripts need not know which ask.
  const yes = new Option("--yes", "do not ask for confirmation");
  command.addOption(verb.asks === undefined ? yes.hideHelp() : yes);
  if (verb.rows !== undefined) command.option("--limit <n>", "at most this many", parseLimit);
  return command.addOption(jsonOption()).action((...words: unknown[]) => {
    // Commander passes the arguments by position, then the options, then the command itself.
    const options = words.at(-2) as Given & AsJson;
    const named = words.slice(0, -2);
    const one = verb.on === "one" ? String(named.shift()) : null;
    const given: Given = { ...options };
    for (const [at, name] of positional.entries()) given[name] = named[at];
    return run(resource, verb, { one, given, options }, context);
  });
}

function argumentOf(name: string, parameter: Parameter<unknown>): Argument {
  const all = parameter.isList ? `${name}...` : name;
  const shown = parameter.required ? `<${all}>` : `[${all}]`;
  return unread(new Argument(shown, helpOf(parameter)), parameter);
}

/** Leaves what is given as text, so that all faults of a command are told at once. */
function unread<O extends Argument | Option>(option: O, parameter: Parameter<unknown>): O {
  const { enum: choices, type } = parameter.schema;
  if (Array.isArray(choices)) option.choices(choices);
  const sign = option.variadic ? "," : parameter.isLines ? "\n" : null;
  if (type === "boolean") return option;
  option.argParser((text: string, before: unknown) =>
    sign === null || before === undefined ? text : `${before}${sign}${text}`,
  );
  return option;
}

/** Adds an option for each argument, which `readOptions` reads. */
export function withOptions(command: Command, declared: Parameters): Command {
  for (const [name, parameter] of Object.entries(declared))
    command.addOption(optionOf(name, parameter));
  return command;
}

/** The arguments of a command that has them as options. @throws CommandExit with a line for each fault */
export function readOptions<P extends Parameters>(declared: P, given: object): Arguments<P> {
  return readTyped(typedOf(declared, given as Given), declared) as Arguments<P>;
}

const flagOf = (name: string): string => `--${name.replaceAll("_", "-")}`;

function optionOf(name: string, parameter: Parameter<unknown>): Option {
  const flag = flagOf(name);
  const shown = parameter.schema["type"] === "boolean" ? flag : `${flag} <${name}>`;
  return unread(new Option(shown, helpOf(parameter)), parameter);
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1)
    throw new InvalidArgumentError("It is not a number from 1.");
  return limit;
}

/**
 * A parameter's description as commander's help writes it: without a full stop, and its first word in lower case
 * unless it is an abbreviation.
 */
function helpOf(parameter: Parameter<unknown>): string {
  const { description = "" } = parameter.schema;
  const text = description
    .replace(/\.$/, "")
    .replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase());
  const repeatable = parameter.isLines ? "; repeatable" : "";
  const byDefault = parameter.default ? ` (default: ${JSON.stringify(parameter.default)})` : "";
  const help = text + repeatable + byDefault;
  return isReference(parameter) ? `${help}: ${parameter.refersTo.hint}` : help;
}

function run(
  resource: Resource,
  verb: Verb,
  { one, given, options }: { one: string | null; given: Given; options: Given & AsJson },
  context: CommandContext,
): Promise<void> {
  const { output, environment } = context;
  // A mistyped command creates no database.
  if (!existsSync(readConfig(environment).databasePath))
    readTyped(typedOf(verb.args, given), verb.args, verb.positional);
  return withDomains(context, async (services) => {
    const args = await argumentsOf(verb, given, services);
    let hasLink = false;
    const use: Use<unknown> = {
      services,
      by: COMMAND_LINE,
      nowMs: services.clock.now(),
      id: one === null ? null : await resource.find(one, services),
      file: null,
      part: { after: null, limit: PART },
      note: (text) => output.note(inEnglish(text)),
      linkTo(token) {
        hasLink = true;
        return passwordLink(context, token);
      },
    };
    if (verb.rows !== undefined) {
      const parts = partsOf(verb, args, use, options["limit"] as number | undefined);
      return printList(output, parts, options.json);
    }
    const question = await verb.asks?.(args, use);
    if (question) {
      const lines = question.split("\n").map(forTerminal);
      await confirm(output, lines.join("\n"), options["yes"] === true);
    }
    const made = (await verb.run(args, use)) as Row;
    if (SECRETS.some((name) => typeof made[name] === "string"))
      await printSecret(verb, made, use, options, context);
    else printObject(output, made, options.json);
    if (hasLink) notePasswordLink(context);
  });
}

/** The arguments that were given to a command. Commander turns the name of `--webhook-channels` into `webhookChannels`. */
function typedOf(args: Parameters, given: Given): Given {
  const typed = Object.keys(args).map((name) => [
    name,
    given[name] ?? given[name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())],
  ]);
  return Object.fromEntries(typed.filter(([, value]) => value !== undefined));
}

/** Arguments as the verb takes them, with references looked up. */
async function argumentsOf(verb: Verb, given: Given, services: OperatorServices): Promise<Given> {
  const typed = typedOf(verb.args, given);
  for (const [name, parameter] of Object.entries<Parameter<unknown>>(verb.args)) {
    if (isReference(parameter) && name in typed)
      typed[name] = await parameter.refersTo.find(String(typed[name]), services);
  }
  return readTyped(typed, await informed(verb.args, services), verb.positional);
}

/** @throws CommandExit with a line for each fault; references are looked up, not read */
function readTyped(typed: Given, args: Parameters, positional: readonly PropertyKey[] = []): Given {
  const parameters = Object.entries<Parameter<unknown>>(args).map(([name, parameter]) => {
    const choices = parameter.schema["enum"] as string[] | undefined;
    const read = isReference(parameter)
      ? (found: unknown) => ({ value: found })
      : choices === undefined
        ? parameter.read
        : readOneOf(choices);
    return [name, { ...parameter, in: "body", read }] as const;
  });
  try {
    return readArguments({ parameters: Object.fromEntries(parameters) }, {}, typed);
  } catch (error) {
    if (!(error instanceof AppError) || error.fields === undefined) throw error;
    const lines = Object.entries(error.fields).map(([name, faults]) => {
      const isOption = name in args && !positional.includes(name);
      return `${isOption ? flagOf(name) : name}: ${faults.join(" ")}`;
    });
    throw usageError(lines.join("\n"));
  }
}

/** Rows read at once. */
const PART = 500;

async function* partsOf(
  verb: Verb,
  args: Given,
  use: Use<unknown>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Row[]> {
  let after: Position | null = null;
  for (let left = limit; left > 0; ) {
    const wanted = Math.min(PART, left);
    const rows = (await verb.run(args, { ...use, part: { after, limit: wanted } })) as Row[];
    yield rows;
    left -= rows.length;
    if (rows.length < wanted) return;
    after = positionOf(rows.at(-1) ?? {}, verb.rows ?? []);
  }
}

/** Fields of a result that nobody can read again. */
const SECRETS = ["key", "secret"];

/** Prints a result with a secret; if that fails, nobody has seen it, and what was made is taken back. */
async function printSecret(
  verb: Verb,
  made: Row,
  use: Use<unknown>,
  { json }: AsJson,
  { output }: CommandContext,
): Promise<void> {
  try {
    await output.outSafely(objectText(made, json));
  } catch (error) {
    const done = (await verb.unseen?.(made, use)) ?? "";
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandExit(EXIT_FAILED, `Standard output cannot be written: ${reason}. ${done}`);
  }
  output.note(
    "key" in made
      ? "Keep the key: it is stored only as a hash and cannot be shown again."
      : "Keep the secret: it cannot be shown again.",
  );
}

/** A link for choosing a password, to be printed; without an address if none can be assumed. */
function passwordLink({ environment }: CommandContext, token: string): string {
  const address = readConfig(environment).baseUrl ?? assumedAddress(environment);
  return passwordAddress(address ?? "", token);
}

function notePasswordLink({ environment, output }: CommandContext): void {
  output.note(`They can choose a password with the link, once, within three days.`);
  if (readConfig(environment).baseUrl !== null) return;
  const assumed = assumedAddress(environment);
  output.note(
    assumed === null
      ? "Put the appliance's address before it."
      : `The link assumes that the appliance is reached at ${assumed}: KANALOG_BASE_URL is not set.`,
  );
}

/**
 * Where the settings say that the appliance listens; null if it chooses its port. Only the serving process
 * knows for certain, since options precede settings.
 */
function assumedAddress(environment: Environment): string | null {
  const { host, port } = readConfig(environment);
  return port === 0 ? null : localAddress(host, port);
}
