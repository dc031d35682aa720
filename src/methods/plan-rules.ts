import type { Plan } from "../customers/accounts/accounts.table.ts";
import type { Caller } from "../customers/keys/keys.ts";
import { alertLimitReached, webhookLimitReached } from "../push/webhooks/manage/webhook-limits.ts";
import { type Message, message } from "../values/messages/messages.ts";
import type { Services } from "./services.ts";

/**
 * Says why the plan in force does not include a method, or null where it does. It asks for no key:
 * the rule is the same for all keys of an organization, and for its pages, which have none.
 */
export type PlanRule = (caller: Omit<Caller, "key">, services: Services) => Message | null;

/** Posts are closed on Test (specification, section 8). */
export const postsIncluded: PlanRule = ({ plan }) => (plan.posts ? null : notIncluded(plan.code));

/** Bulk export is for Profi (questions, section 5). */
export function hasExport({ code }: Pick<Plan, "code">): boolean {
  return code === "profi";
}

export const exportIncluded: PlanRule = ({ plan }) =>
  hasExport(plan) ? null : notIncluded(plan.code);

/** Webhooks are for plans that allow any. */
export const webhooksIncluded: PlanRule = ({ plan }) =>
  plan.webhooks > 0 ? null : notIncluded(plan.code);

/** Webhooks that an organization made under a larger plan stay in its reach. */
export const webhooksIncludedOrKept: PlanRule = (caller, services) =>
  services.webhooks.count(caller.organization.id) > 0 ? null : webhooksIncluded(caller, services);

/** Room for one more webhook than there are; disabled ones count. */
export const webhookToSpare: PlanRule = (caller, services) =>
  webhooksIncluded(caller, services) ??
  webhookLimitReached(caller.plan, services.webhooks.count(caller.organization.id));

/** Alerts are sent by webhooks, so both are to be included. */
export const alertsIncluded: PlanRule = (caller, services) =>
  webhooksIncluded(caller, services) ??
  (caller.plan.alerts > 0 ? null : notIncluded(caller.plan.code));

/** Alerts that an organization made under a larger plan stay in its reach. */
export const alertsIncludedOrKept: PlanRule = (caller, services) =>
  services.alerts.count(caller.organization.id) > 0 ? null : alertsIncluded(caller, services);

/** Room for one more alert than there are. */
export const alertToSpare: PlanRule = (caller, services) =>
  alertsIncluded(caller, services) ??
  alertLimitReached(caller.plan, services.alerts.count(caller.organization.id));

function notIncluded(plan: string): Message {
  return message("methodNotIncluded", { plan });
}
