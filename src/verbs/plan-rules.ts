import type { Plan } from "../customers/accounts/accounts.table.ts";
import type { Caller } from "../customers/keys/keys.ts";
import { limitReached } from "../push/webhooks/manage/webhook-limits.ts";
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

export const webhooksIncluded: PlanRule = ({ plan }) =>
  plan.webhooks > 0 ? null : notIncluded(plan.code);

/** Alerts are delivered by webhooks, so the plan must include both. */
export const alertsIncluded: PlanRule = (caller, services) =>
  webhooksIncluded(caller, services) ??
  (caller.plan.alerts > 0 ? null : notIncluded(caller.plan.code));

/** Those created under a larger plan remain accessible. */
const accessible =
  (of: "webhooks" | "alerts", included: PlanRule): PlanRule =>
  (caller, services) =>
    services[of].count(caller.organization.id) > 0 ? null : included(caller, services);

/** Whether there is room for one more; disabled ones count. */
const toSpare =
  (of: "webhooks" | "alerts", included: PlanRule): PlanRule =>
  (caller, services) =>
    included(caller, services) ??
    limitReached(of, caller.plan, services[of].count(caller.organization.id));

export const webhooksAccessible = accessible("webhooks", webhooksIncluded);
export const webhookToSpare = toSpare("webhooks", webhooksIncluded);
export const alertsAccessible = accessible("alerts", alertsIncluded);
export const alertToSpare = toSpare("alerts", alertsIncluded);

function notIncluded(plan: string): Message {
  return message("methodNotIncluded", { plan });
}
