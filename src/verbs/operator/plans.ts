import type { Plan } from "../../customers/accounts/accounts.table.ts";
import {
  PLAN_CODES,
  PLAN_LIMITS,
  type PlanChange,
  type PlanCode,
} from "../../customers/accounts/plan.ts";
import { fieldError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import { field, rows } from "../../values/rows.ts";
import {
  choiceSchema,
  countSchema,
  flagSchema,
  integerSchema,
  nullable,
} from "../../values/schema.ts";
import { choice, inPath, integer } from "../parameters.ts";
import { hasExport } from "../plan-rules.ts";
import { list, namedInPart, requireSome, resource, verb } from "./resource.ts";

const code = inPath(choice(PLAN_CODES, "The plan."));

/** A limit, whose fault names its whole range. */
function limit(name: keyof typeof PLAN_LIMITS, description: string) {
  const range = PLAN_LIMITS[name];
  const given = integer({ description, ...range });
  const fault = message("outOfRange", range);
  const read: typeof given.read = (text) =>
    "fault" in given.read(text) ? { fault } : given.read(text);
  return { ...given, read, of: name };
}

const limits = {
  rate: limit("requestsPerSecond", "Requests per second."),
  quota: limit("requestsPerPeriod", "Request units per 30 days."),
  webhooks: limit("webhooks", "Webhooks."),
  webhook_channels: limit("webhookChannels", "Channels that a webhook may watch."),
  alerts: limit("alerts", "Keyword alerts."),
  database_ms: limit("databaseMsPerSecond", "Milliseconds of database time per second."),
  lock_ms: limit("lockMsPerSecond", "Milliseconds of write-lock time per second."),
};

/** A plan's limits by the names of the arguments. */
export function limitsOf(plan: Plan): Record<string, number> {
  return Object.fromEntries(Object.entries(limits).map(([name, { of }]) => [name, plan[of]]));
}

const planRows = rows("Plan", {
  plan: field(choiceSchema(PLAN_CODES, { description: "The plan" }), ({ code }: Plan) => code),
  requests_per_second: integerSchema(),
  requests_per_period: integerSchema({ description: "Units in 30 days" }),
  posts: flagSchema({ description: "Whether posts are included" }),
  history_days: nullable(countSchema("Days of statistics; null: all")),
  webhooks: countSchema("Webhooks"),
  webhook_channels: countSchema("Channels that a webhook may watch"),
  alerts: countSchema("Keyword alerts"),
  database_ms_per_second: countSchema("Milliseconds of database time per second"),
  lock_ms_per_second: countSchema("Milliseconds of write-lock time per second"),
  export: field(flagSchema({ description: "Whether bulk export is included" }), hasExport),
});

export const plans = resource({
  name: "plan",
  area: "customers",
  title: "plans and their limits",
  schema: planRows.schema,
  id: code,
  hint: `one of ${PLAN_CODES.join(", ")}`,
  async find(text) {
    const read = code.read(text);
    if ("fault" in read)
      throw fieldError({ plan: [message("notChoiceOf", { given: text, options: PLAN_CODES })] });
    return read.value;
  },
  verbs: [
    list({
      rows: ["plan"],
      title: "list all plans, lowest first",
      run: async (_args, { services, part }) =>
        namedInPart((await services.accounts.plans()).map(planRows.row), "plan", part),
    }),
    verb<typeof limits, PlanCode>({
      name: "set",
      title: "change a plan's limits, beginning with its organizations' next request",
      args: limits,
      async run(args, use) {
        const given: PlanChange = Object.fromEntries(
          Object.entries(limits).flatMap(([name, { of }]) => {
            const value = args[name as keyof typeof limits];
            return value === undefined ? [] : [[of, value]];
          }),
        );
        requireSome(given, limits);
        return planRows.row(await use.services.accounts.changePlan(use.id, given, use.by));
      },
    }),
  ],
});
