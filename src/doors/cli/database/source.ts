import { Command } from "commander";
import { summaryView } from "../../../catalog/imports/writing/import-summary.ts";
import type { Outcome } from "../../../catalog/sources/source-run-changes.ts";
import { isSettling } from "../../../catalog/sources/source-schedule.ts";
import { isBot, type Source } from "../../../catalog/sources/sources.table.ts";
import type { Sources } from "../../../catalog/sources/sources.ts";
import { createTicker } from "../../../upkeep/jobs/scheduler.ts";
import { inEnglish } from "../../../values/messages/messages.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import { errorText, sourceRow, sources } from "../../../verbs/operator/system/sources.ts";
import {
  type AsJson,
  type CommandContext,
  CommandExit,
  EXIT_FAILED,
  EXIT_REJECTED_ROWS,
  jsonOption,
  usageError,
} from "../command-context.ts";
import { printObject, printSummary } from "../print.ts";
import { resourceCommand } from "../resource-command.ts";
import { withDomains } from "../with-domains.ts";
import { addSourceCommand } from "./source-add.ts";

/** `kanalog source`: its verbs, and what only a terminal asks for or tells. */
export function sourceCommand(context: CommandContext): Command {
  return resourceCommand(sources, context)
    .addCommand(addSourceCommand(context))
    .addCommand(showCommand(context))
    .addCommand(runSourceCommand(context));
}

function showCommand(context: CommandContext): Command {
  return new Command("show")
    .description("show a source, with what its last run read")
    .argument("<source>", sources.hint)
    .addOption(jsonOption())
    .action((named: string, { json }: AsJson) =>
      withDomains(context, async ({ sources, clock }) => {
        const source = await sources.find(named);
        printObject(context.output, sourceRow(source, clock.now()), json);
        if (json) return;
        await noteWithoutChannel(context, sources, source);
        for (const { title, isRead, fault } of await sources.chats(source.id)) {
          const why = fault === null ? "" : ` (${inEnglish(fault)})`;
          context.output.out(`${isRead ? "reads" : "was removed from"}: ${title}${why}`);
        }
        for (const { name, fault } of await sources.setAside(source.id)) {
          if (fault !== null) context.output.out(`set aside: ${name}: ${inEnglish(fault)}`);
        }
        if (isSettling(source)) context.output.note(SETTLING);
        const { gap } = source.position;
        if (gap !== undefined) {
          const from = formatInstant(gap.from);
          const to = formatInstant(gap.to);
          context.output.note(
            `Posts from ${from} to ${to} may be missing, because the bot was not read. Import them with \`kanalog import posts --from telegram-desktop\`.`,
          );
        }
        if (source.summary !== null) printSummary(context.output, source.summary);
      }),
    );
}

const SETTLING =
  "A file was written to less than 10 seconds ago; it is read within seconds, once it has settled.";

const EVERY_FIVE_SECONDS = "*/5 * * * * *";

function runSourceCommand(context: CommandContext): Command {
  return new Command("run")
    .description("read a source now, in this process, until it is finished")
    .argument("<source>", sources.hint)
    .option("--again", "also read files that were read before")
    .addOption(jsonOption())
    .action((named: string, { again = false, json }: { again?: boolean } & AsJson) =>
      withDomains(context, async ({ sources }) => {
        const source = await sources.find(named);
        if (again && isBot(source.settings)) {
          throw usageError("--again is for files: messengers deliver a bot's updates only once.");
        }
        const heartbeat = createTicker(EVERY_FIVE_SECONDS, () => sources.beat().catch(() => {}));
        heartbeat.start();
        try {
          const outcome = await sources.runNow(source.id, { isAgain: again });
          if (json) context.output.out(outcomeJson(outcome));
          else printOutcome(context, outcome);
          requireSuccess(outcome);
          await noteWithoutChannel(context, sources, source);
        } finally {
          await heartbeat.stop();
        }
      }),
    );
}

function printOutcome({ output }: CommandContext, outcome: Outcome): void {
  const { summary, failure, unsettled, setAside } = outcome;
  if (summary !== null) printSummary(output, summary);
  for (const { name, fault } of setAside) output.note(`set aside: ${name}: ${inEnglish(fault)}`);
  if (failure !== null) return;
  if (unsettled !== null) {
    output.note(
      `${unsettled} was written to less than 10 seconds ago. It and the files after it are left for a later run.`,
    );
  } else if (summary === null && setAside.length === 0) output.out("Nothing new.");
}

/** The summary as `import` prints it, or null if there was nothing new; and why reading failed. */
function outcomeJson(outcome: Outcome): string {
  const { summary, unsettled, setAside } = outcome;
  return JSON.stringify({
    summary: summary && summaryView(summary),
    last_error: errorText(outcome),
    unsettled,
    set_aside: setAside.map(({ name, fault }) => ({ name, reason: inEnglish(fault) })),
  });
}

/** @throws CommandExit if a file could not be read, or rows were rejected */
function requireSuccess(outcome: Outcome): void {
  if (outcome.failure !== null) throw new CommandExit(EXIT_FAILED, errorText(outcome));
  if ((outcome.summary?.rejected ?? 0) > 0 || outcome.setAside.length > 0)
    throw new CommandExit(EXIT_REJECTED_ROWS);
}

/** Notes that a bot is not yet in any channel: reading it then succeeds, but delivers nothing. */
async function noteWithoutChannel(
  { output }: CommandContext,
  sources: Sources,
  { id, settings }: Source,
): Promise<void> {
  if (!isBot(settings) || (await sources.chats(id)).some(({ isRead }) => isRead)) return;
  output.note(
    `${settings.bot} is not known to be in any channel yet: make it administrator of one.`,
  );
}
