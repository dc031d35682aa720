import type { Plan } from "../customers/accounts/accounts.table.ts";
import type { Caller } from "../customers/keys/keys.ts";
import { alertLimitReached, webhookLimitReached } from "../push/webhooks/manage/webhook-limits.ts";
import { type Message, message } from "../values/messages/messages.ts";
import type { Services } from "./services.ts";

/**
 * Says why the current plan does not include a method; null if it does. The key is irrelevant: the rule is
 * the same for all keys of an organization, and for pages, which have none.
 */
export type PlanRule = (caller: Omit<Caller, "key">, services: Services) => Message | null;

/** The Test plan excludes posts (specification, section 8). */
export const postsIncluded: PlanRule = ({ plan }) => (plan.posts ? null : notIncluded(plan.code));

/** Only Profi includes bulk export (questions, section 5). */
export function hasExport({ code }: Pick<Plan, "code">): boolean {
  return code === "profi";
}

export const exportIncluded: PlanRule = ({ plan }) =>
  hasExport(plan) ? null : notIncluded(plan.code);

/** Webhooks are part of plans that allow at least one. */
export const webhooksIncluded: PlanRule = ({ plan }) =>
  plan.webhooks > 0 ? null : notIncluded(plan.code);

/** Webhooks created under a larger plan remain accessible. */
export const webhooksAccessible: PlanRule = (caller, services) =>
  services.webhooks.count(caller.organization.id) > 0 ? null : webhooksIncluded(caller, services);

/** Whether there is room for one more webhook; disabled ones count. */
export const webhookToSpare: PlanRule = (caller, services) =>
  webhooksIncluded(caller, services) ??
  webhookLimitReached(caller.plan, services.webhooks.count(caller.organization.id));

/** Alerts are delivered by webhooks, so the plan must include both. */
export const alertsIncluded: PlanRule = (caller, services) =>
  webhooksIncluded(caller, services) ??
  (caller.plan.alerts > 0 ? null : notIncluded(caller.plan.code));

/** Alerts created under a larger plan remain accessible. */
export const alertsAccessible: PlanRule = (caller, services) =>
  services.alerts.count(caller.organization.id) > 0 ? null : alertsIncluded(caller, services);

/** Whether there is room for one more alert. */
export const alertToSpare: PlanRule = (caller, services) =>
  alertsIncluded(caller, services) ??
  alertLimitReached(caller.plan, services.alerts.count(caller.organization.id));

function notIncluded(plan: string): Message {
  return message("methodNotIncluded", { plan });
}
