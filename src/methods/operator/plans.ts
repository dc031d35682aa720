import type { Plan } from "../../customers/accounts/accounts.table.ts";
import { PLAN_CODES, type PlanCode } from "../../customers/accounts/plan.ts";
import { PLAN_LIMITS } from "../../customers/accounts/plan-limits.ts";
import { fieldError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import {
  choiceSchema,
  countSchema,
  flagSchema,
  integerSchema,
  nullable,
  objectSchema,
} from "../../values/schema.ts";
import { choice, inPath, integer, type Parameter } from "../parameters.ts";
import { hasExport } from "../plan-rules.ts";
import { type Resource, type Row, verb } from "./resource.ts";

const code = inPath(choice(PLAN_CODES, "The plan."));

/** A limit, whose fault names its whole range. */
function limit(name: keyof typeof PLAN_LIMITS, description: string): Parameter<number> {
  const range = PLAN_LIMITS[name];
  const given = integer({ description, ...range });
  const fault = message("outOfRange", range);
  return { ...given, read: (text) => ("fault" in given.read(text) ? { fault } : given.read(text)) };
}

const limits = {
  rate: limit("requestsPerSecond", "Requests per second."),
  quota: limit("requestsPerPeriod", "Request units per 30 days."),
  webhooks: limit("webhooks", "Webhooks."),
  webhook_channels: limit("webhookChannels", "Channels that a webhook may watch."),
  alerts: limit("alerts", "Keyword alerts."),
};

/** Plans and their limits. */
export const plans: Resource = {
  name: "plan",
  command: "plan",
  path: "plans",
  area: "customers",
  title: "plans and their limits",
  schema: objectSchema(
    {
      plan: choiceSchema(PLAN_CODES, { description: "The plan" }),
      requests_per_second: integerSchema(),
      requests_per_period: integerSchema({ description: "Units in 30 days" }),
      posts: flagSchema({ description: "Whether posts are included" }),
      history_days: nullable(countSchema("Days of statistics; null: all")),
      webhooks: countSchema("Webhooks"),
      webhook_channels: countSchema("Channels that a webhook may watch"),
      alerts: countSchema("Keyword alerts"),
      export: flagSchema({ description: "Whether bulk export is included" }),
    },
    "Plan",
  ),
  id: code,
  hint: `one of ${PLAN_CODES.join(", ")}`,
  async find(text) {
    const read = code.read(text);
    if ("fault" in read)
      throw fieldError({ plan: [message("notChoiceOf", { given: text, options: PLAN_CODES })] });
    return read.value;
  },
  verbs: [
    verb({
      ...{
        name: "list",
        on: "none",
        isRead: true,
        rows: "plan",
        args: {},
        title: "list all plans, lowest first",
      },
      run: async (_args, { services }) => (await services.accounts.plans()).map(rowOf),
    }),
    verb<typeof limits, PlanCode>({
      ...{ name: "set", on: "one" },
      title: "change a plan's limits, beginning with its organizations' next request",
      args: limits,
      async run({ rate, quota, webhook_channels, webhooks, alerts }, use) {
        const given = {
          ...(rate !== undefined && { requestsPerSecond: rate }),
          ...(quota !== undefined && { requestsPerPeriod: quota }),
          ...(webhooks !== undefined && { webhooks }),
          ...(webhook_channels !== undefined && { webhookChannels: webhook_channels }),
          ...(alerts !== undefined && { alerts }),
        };
        if (Object.keys(given).length === 0) {
          throw fieldError({
            non_field_errors: [message("giveOneOf", { names: Object.keys(limits) })],
          });
        }
        return rowOf(await use.services.accounts.changePlan(use.id, given, use.by));
      },
    }),
  ],
};

function rowOf(plan: Plan): Row {
  return {
    plan: plan.code,
    requests_per_second: plan.requestsPerSecond,
    requests_per_period: plan.requestsPerPeriod,
    posts: plan.posts,
    history_days: plan.historyDays,
    webhooks: plan.webhooks,
    webhook_channels: plan.webhookChannels,
    alerts: plan.alerts,
    export: hasExport(plan),
  };
}
