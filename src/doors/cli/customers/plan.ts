import { Argument, Command, InvalidArgumentError } from "commander";
import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import { PLAN_CODES, type PlanCode } from "../../../customers/accounts/plan.ts";
import { PLAN_LIMITS, type PlanChange } from "../../../customers/accounts/plan-limits.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { hasExport } from "../../../methods/plan-rules.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import { type CommandContext, CommandExit, EXIT_USAGE } from "../command-context.ts";
import type { Printable } from "../print.ts";
import { printResult } from "../with-domains.ts";

interface SetOptions extends AsJson {
  rate?: number;
  quota?: number;
  webhooks?: number;
  webhookChannels?: number;
  alerts?: number;
  databaseMs?: number;
  lockMs?: number;
}

/** `kanalog plan`: the plans and their limits. */
export function planCommand(context: CommandContext): Command {
  const command = new Command("plan").description("plans and their limits");

  command
    .command("list")
    .description("list all plans, lowest first")
    .addOption(jsonOption())
    .action((options: AsJson) =>
      printResult(context, options, async ({ accounts }) => (await accounts.plans()).map(describe)),
    );

  command
    .command("set")
    .description("change a plan's limits, beginning with its organizations' next request")
    .addArgument(new Argument("<plan>", "the plan").choices(PLAN_CODES))
    .option("--rate <n>", "requests per second", limit("requestsPerSecond"))
    .option("--quota <n>", "request units per 30 days", limit("requestsPerPeriod"))
    .option("--webhooks <n>", "webhooks", limit("webhooks"))
    .option("--webhook-channels <n>", "channels that a webhook may watch", limit("webhookChannels"))
    .option("--alerts <n>", "keyword alerts", limit("alerts"))
    .option("--database-ms <n>", "ms of database time per second", limit("databaseMsPerSecond"))
    .option("--lock-ms <n>", "ms of write-lock time per second", limit("lockMsPerSecond"))
    .addOption(jsonOption())
    .action((code: PlanCode, options: SetOptions) => {
      const change = readChange(options);
      if (Object.keys(change).length === 0) {
        throw new CommandExit(
          EXIT_USAGE,
          "Give at least one of --rate, --quota, --webhooks, --webhook-channels, --alerts, " +
            "--database-ms and --lock-ms.",
        );
      }
      return printResult(context, options, async ({ accounts }) =>
        describe(await accounts.changePlan(code, change, COMMAND_LINE)),
      );
    });
  return command;
}

function limit(name: keyof typeof PLAN_LIMITS): (text: string) => number {
  const { minimum, maximum } = PLAN_LIMITS[name];
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new InvalidArgumentError(`It is not a whole number from ${minimum} to ${maximum}.`);
    }
    return value;
  };
}

function readChange(options: SetOptions): PlanChange {
  const { rate, quota, webhooks, webhookChannels, alerts, databaseMs, lockMs } = options;
  const given = {
    ...{ requestsPerSecond: rate, requestsPerPeriod: quota },
    ...{ webhooks, webhookChannels, alerts },
    ...{ databaseMsPerSecond: databaseMs, lockMsPerSecond: lockMs },
  };
  return Object.fromEntries(Object.entries(given).filter(([, limit]) => limit !== undefined));
}

function describe(plan: Plan): Printable {
  return {
    plan: plan.code,
    requests_per_second: plan.requestsPerSecond,
    requests_per_period: plan.requestsPerPeriod,
    posts: plan.posts,
    history_days: plan.historyDays,
    webhooks: plan.webhooks,
    webhook_channels: plan.webhookChannels,
    alerts: plan.alerts,
    database_ms_per_second: plan.databaseMsPerSecond,
    lock_ms_per_second: plan.lockMsPerSecond,
    export: hasExport(plan),
  };
}
