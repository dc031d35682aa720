import { Command } from "commander";
import { jsonOption } from "./arguments.ts";
import type { CommandContext } from "./command-context.ts";
import { printList } from "./print.ts";
import { withDomains } from "./with-domains.ts";

/** `kanalog plan`: the plans and their limits. */
export function planCommand(context: CommandContext): Command {
  const command = new Command("plan").description("plans");
  command
    .command("list")
    .description("all plans, lowest first")
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) =>
      withDomains(context, async ({ accounts }) => {
        const rows = accounts.plans().map((plan) => ({
          plan: plan.code,
          requests_per_second: plan.requestsPerSecond,
          requests_per_period: plan.requestsPerPeriod,
          posts: plan.posts,
          history_days: plan.historyDays,
          webhooks: plan.webhooks,
          webhook_channels: plan.webhookChannels,
        }));
        printList(context.output, rows, json === true);
      }),
    );
  return command;
}
