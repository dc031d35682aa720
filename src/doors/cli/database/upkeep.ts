import { Command } from "commander";
import { recount } from "../../../catalog/directory/recount.ts";
import { computeMetrics } from "../../../catalog/metrics/compute-metrics.ts";
import { recountDays } from "../../../catalog/statistics/open-days.ts";
import { describeSettings, readConfig } from "../../../config.ts";
import { IN_MEMORY } from "../../../db/open-database.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { printList } from "../print.ts";
import { warnOfUnknownSettings } from "../unknown-settings.ts";
import { withDomains } from "../with-domains.ts";

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

/** `kanalog openapi`: prints the document that `/docs/json` serves. */
export function openApiCommand(context: CommandContext): Command {
  return new Command("openapi")
    .description("print the OpenAPI document")
    .addOption(jsonOption())
    .action(async () => {
      const config = readConfig(context.environment);
      const app = await context.createApp(
        { ...config, databasePath: IN_MEMORY },
        context.ports(config),
      );
      try {
        const listener = `http://${config.host}:${config.port}`;
        const answer = await app.server.handle(new Request(`${listener}/docs/json`));
        const document = (await answer.json()) as object;
        const servers = [{ url: config.baseUrl ?? listener }];
        context.output.out(JSON.stringify({ ...document, servers }, null, 2));
      } finally {
        await app.close();
      }
    });
}

/** `kanalog config`: prints the settings in force. */
export function configCommand(context: CommandContext): Command {
  return new Command("config")
    .description("print the settings and their current values")
    .addOption(jsonOption())
    .action(({ json }: AsJson) => {
      readConfig(context.environment);
      warnOfUnknownSettings(context);
      printList(context.output, describeSettings(context.environment), json);
    });
}
