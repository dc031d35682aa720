import { MEMBER_ROLES } from "../../customers/accounts/accounts.table.ts";
import { PERIOD_DAYS, PLAN_CODES } from "../../customers/accounts/plan.ts";
import { KEY_ACCESSES } from "../../customers/keys/key-token.ts";
import type { UsagePosition, UsageView } from "../../customers/limits/usage-history.ts";
import { usageSchema } from "../../customers/limits/usage-history.ts";
import {
  dayOf,
  formatDay,
  formatInstant,
  formatOptionalInstant,
} from "../../values/moscow-time.ts";
import * as shape from "../../values/schema.ts";
import { apiMethod } from "../method.ts";
import { pageOf, pageParameters, readPage } from "../paging.ts";
import { day, fieldsOf, integer, withDefault } from "../parameters.ts";
import { PERIOD_DAYS_DEFAULT, readPeriod } from "../period.ts";

const accountSchema = shape.object(
  {
    key: shape.object({
      id: shape.integer("Number of the key"),
      name: shape.text("Name that was given to the key"),
      prefix: shape.text("How the key begins"),
      access: shape.choice(KEY_ACCESSES, "Whether the key may write; set when it was created"),
      created_at: shape.instantText("When the key was created"),
      last_used_at: shape.nullable(shape.instantText("Last use, written at most once a minute")),
      expires_at: shape.nullable(shape.instantText("When the key expires")),
    }),
    member: shape.object({
      id: shape.integer("Number of the member who owns the key"),
      name: shape.text("The member's name"),
      email: shape.text("The member's e-mail address"),
      role: shape.choice(MEMBER_ROLES, "The key acts with this role"),
    }),
    organization: shape.object({
      id: shape.integer("Number of the organization"),
      name: shape.text("The organization's name"),
    }),
    api_tariff: shape.text(
      `Code of the plan in force: ${PLAN_CODES.join(", ")}, or one that the operator added`,
    ),
    tariff_ends_at: shape.nullable(
      shape.instantText("When the plan ends or has ended; null: no end"),
    ),
    limits: shape.object({
      requests_per_second: shape.integer("Requests in a second, of all keys together"),
      requests_per_period: shape.integer("Units in a period"),
      period_days: shape.integer("Days of a period"),
      webhooks: shape.integer("Webhooks"),
      webhook_channels: shape.integer("Channels that each webhook may watch"),
      alerts: shape.integer("Keyword alerts"),
      posts: shape.flag("Whether posts may be read"),
      history_days: shape.nullable(shape.integer("Days of statistics that may be read; null: all")),
    }),
    usage: shape.object({
      period_started_at: shape.instantText("Start of the period"),
      period_ends_at: shape.instantText("End of the period"),
      used: shape.count("Request units used in the period"),
    }),
    remaining_period: shape.count("Request units left in the period"),
  },
  "Account",
);

export const meRetrieve = apiMethod({
  operationId: "me_retrieve",
  path: "/v1/me/",
  tag: "Account",
  title: "Account, plan and remaining requests",
  description: "The key, its member and organization, the plan in force, its limits and usage.",
  tool: "The key's account: plan, limits, usage, units left (`remaining_period`).",
  units: 0,
  parameters: {},
  result: accountSchema,
  run(_args, { caller, services, nowMs }) {
    const { key, member, organization, planInForce, plan } = caller;
    const { startedAt, endsAt, used } = services.limits.usage(caller, nowMs);
    return {
      key: {
        id: key.id,
        name: key.name,
        prefix: key.prefix,
        access: key.access,
        created_at: formatInstant(key.createdAt),
        last_used_at: formatOptionalInstant(services.keyUse.lastUsedAt(key)),
        expires_at: formatOptionalInstant(key.expiresAt),
      },
      member: { id: member.id, name: member.name, email: member.email, role: member.role },
      organization: { id: organization.id, name: organization.name },
      api_tariff: plan.code,
      tariff_ends_at: formatOptionalInstant(planInForce.endsAt),
      limits: {
        requests_per_second: plan.requestsPerSecond,
        requests_per_period: plan.requestsPerPeriod,
        period_days: PERIOD_DAYS,
        webhooks: plan.webhooks,
        webhook_channels: plan.webhookChannels,
        alerts: plan.alerts,
        posts: plan.posts,
        history_days: plan.historyDays,
      },
      usage: {
        period_started_at: formatInstant(startedAt),
        period_ends_at: formatInstant(endsAt),
        used,
      },
      remaining_period: Math.max(0, plan.requestsPerPeriod - used),
    };
  },
});

/** Rows per answer, both default and maximum: about 1 MB. Few organizations have more in a period. */
const ROWS_MAX = 10_000;

export const meUsageList = apiMethod({
  operationId: "me_usage_list",
  path: "/v1/me/usage/",
  tag: "Account",
  title: "Usage by day",
  description:
    "The organization's requests and units by Moscow day, method and key, kept for 400 days. " +
    "`errors` are the requests answered with a status of 400 or above.",
  units: 0,
  parameters: {
    from: day(
      `First day, included; by default, the period is the last ${PERIOD_DAYS_DEFAULT} days, with today.`,
      { example: "2026-11-01" },
    ),
    to: day("Last day, included; today by default.", { example: "2026-11-30" }),
    ...pageParameters,
    limit: withDefault(
      integer("Page size.", { example: 1000, minimum: 1, maximum: ROWS_MAX }),
      ROWS_MAX,
    ),
    ...fieldsOf(usageSchema),
  },
  result: pageOf(usageSchema),
  run(args, call) {
    const { from, to } = readPeriod(args, dayOf(call.nowMs));
    const { services, caller } = call;
    const { limit } = args;
    const days = { organizationId: caller.organization.id, from, to };
    // The cursor carries the default period, so that it stays the same on all pages, even past midnight.
    const fixed = { from: formatDay(from), to: formatDay(to) };
    return readPage<UsageView, UsagePosition>(
      call,
      (after) => services.usageHistory.page({ ...days, after, limit }),
      fixed,
    );
  },
});
