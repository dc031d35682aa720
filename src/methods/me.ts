import { PERIOD_DAYS } from "../customers/accounts/plan.ts";
import { toJsonText } from "../values/json-text.ts";
import { formatInstant } from "../values/moscow-time.ts";
import { apiMethod } from "./method.ts";
import { accountSchema } from "./schemas.ts";

export const meRetrieve = apiMethod({
  operationId: "me_retrieve",
  path: "/v1/me/",
  tag: "Account",
  title: "Account, plan and remaining requests",
  description: "The key, its member and organization, the plan in force, its limits and usage.",
  tool:
    "The account behind the key: plan, limits, usage, and the request units left in the period " +
    "(`remaining_period`). Use it to see what the plan allows before a longer piece of work; then go " +
    "on with msgr_channels_list or msgr_channels_resolve_retrieve.",
  units: 0,
  parameters: {},
  result: accountSchema,
  errors: [],
  run(_args, { caller, services, nowMs }) {
    const { key, member, organization, planInForce, plan } = caller;
    const { startedAt, endsAt, used } = services.limits.usage(caller, nowMs);
    return toJsonText({
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
        posts: plan.posts,
        history_days: plan.historyDays,
      },
      usage: {
        period_started_at: formatInstant(startedAt),
        period_ends_at: formatInstant(endsAt),
        used,
      },
      remaining_period: Math.max(0, plan.requestsPerPeriod - used),
    });
  },
});

function formatOptionalInstant(instantMs: number | null): string | null {
  return instantMs === null ? null : formatInstant(instantMs);
}
