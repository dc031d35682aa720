import { Command } from "commander";
import { summaryView } from "../../../catalog/imports/writing/import-summary.ts";
import type { Outcome } from "../../../catalog/sources/outcome.ts";
import { isBot } from "../../../catalog/sources/sources.table.ts";
import { createTicker } from "../../../upkeep/jobs/ticker.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import {
  type CommandContext,
  CommandExit,
  EXIT_FAILED,
  EXIT_REJECTED_ROWS,
  EXIT_USAGE,
} from "../command-context.ts";
import { withDomains } from "../with-domains.ts";
import { printSummary } from "./import-summary.ts";
import { errorText, noteWithoutChannel, SOURCE } from "./source-description.ts";

const EVERY_FIVE_SECONDS = "*/5 * * * * *";

/** `kanalog source run`. */
export function runSourceCommand(context: CommandContext): Command {
  return new Command("run")
    .description("read a source now, in this process, until it is finished")
    .argument("<source>", SOURCE)
    .option("--again", "also read files that were read before")
    .addOption(jsonOption())
    .action((named: string, { again = false, json }: { again?: boolean } & AsJson) =>
      withDomains(context, async ({ sources }) => {
        const source = await sources.find(named);
        if (again && isBot(source.settings)) {
          throw new CommandExit(
            EXIT_USAGE,
            "--again is for files: messengers deliver a bot's updates only once.",
          );
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

function printOutcome({ output }: CommandContext, { summary, failure, unsettled }: Outcome): void {
  if (summary !== null) printSummary(output, summary);
  if (failure !== null) return;
  if (unsettled !== null) {
    output.note(
      `${unsettled} was written to less than 10 seconds ago. It and the files after it are left for a later run.`,
    );
  } else if (summary === null) output.out("Nothing new.");
}

/** The summary as `import` prints it, or null if there was nothing new; and why reading failed. */
function outcomeJson(outcome: Outcome): string {
  const { summary, unsettled } = outcome;
  return JSON.stringify({
    summary: summary && summaryView(summary),
    last_error: errorText(outcome),
    unsettled,
  });
}

/** @throws CommandExit if a file could not be read, or rows were rejected */
function requireSuccess(outcome: Outcome): void {
  if (outcome.failure !== null) throw new CommandExit(EXIT_FAILED, errorText(outcome));
  if ((outcome.summary?.rejected ?? 0) > 0) throw new CommandExit(EXIT_REJECTED_ROWS);
}
