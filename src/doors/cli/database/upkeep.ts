import { Command } from "commander";
import { recount } from "../../../catalog/directory/recount.ts";
import { computeMetrics } from "../../../catalog/metrics/compute-metrics.ts";
import { recountDays } from "../../../catalog/statistics/open-days.ts";
import { describeSettings, readConfig } from "../../../config.ts";
import { type AsJson, type CommandContext, jsonOption } from "../command-context.ts";
import { printList } from "../print.ts";
import { warnOfUnknownSettings, withDomains } from "../with-domains.ts";

/**
 * `kanalog recount`: recounts both directories, recomputes all days from their posts, and computes metrics.
 */
export function recountCommand(context: CommandContext): Command {
  return new Command("recount")
    .description("recount the channels of both directories, and recompute all days and metrics")
    .addOption(jsonOption())
    .action(({ json }: AsJson) =>
      withDomains(context, async ({ db, clock }) => {
        const changed = await recount(db, clock);
        const days = await recountDays(db, clock);
        await computeMetrics(db, clock);
        context.output.out(
          json
            ? JSON.stringify({ changed, days })
            : `${changed} counts changed, ${days} days changed.`,
        );
      }),
    );
}

export function openApiCommand(context: CommandContext): Command {
  return new Command("openapi")
    .description("print the OpenAPI document of the customers' API")
    .option("--operator", "of the operator's API instead", false)
    .addOption(jsonOption())
    .action(async ({ operator }: { operator: boolean }) => {
      const { host, port, baseUrl } = readConfig(context.environment);
      const address = baseUrl ?? `http://${host}:${port}`;
      const document = await context.openApi(operator ? "operator" : "customers", address);
      context.output.out(JSON.stringify(document, null, 2));
    });
}

/** `kanalog config`: prints the settings in force: those that most appliances need, and those that are set. */
export function configCommand(context: CommandContext): Command {
  return new Command("config")
    .description("print the settings and their current values")
    .option("--all", "also those for special cases that are not set", false)
    .addOption(jsonOption())
    .action(({ all, json }: { all: boolean } & AsJson) => {
      const { environment, output } = context;
      readConfig(environment);
      warnOfUnknownSettings(context);
      const shown = describeSettings(environment)
        .filter(({ isNeeded }) => all || json || isNeeded)
        .map(({ isNeeded: _, ...setting }) => setting);
      if (!all && !json)
        output.note("These are the first day's settings; --all prints the others.");
      return printList(output, [shown], json);
    });
}
