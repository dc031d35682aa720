import type { Caller } from "../customers/keys/keys.ts";
import { webhookLimitReached } from "../push/webhooks/manage/plan-limits.ts";
import { type Message, message } from "../values/messages/messages.ts";
import type { Services } from "./services.ts";

/**
 * Why the plan in force does not include a method, or null where it does; the same for every key of
 * an organization, and for who looks at its pages without one.
 */
export type PlanRule = (caller: Omit<Caller, "key">, services: Services) => Message | null;

/** Posts are closed on Test (specification, section 8). */
export const postsIncluded: PlanRule = ({ plan }) => (plan.posts ? null : notIncluded(plan.code));

/** Webhooks are for plans that allow any (decisions, section 6). */
export const webhooksIncluded: PlanRule = ({ plan }) =>
  plan.webhooks > 0 ? null : notIncluded(plan.code);

/** The same, but for an organization that has webhooks from before. */
export const webhooksIncludedOrKept: PlanRule = (caller, services) =>
  services.webhooks.count(caller.organization.id) > 0 ? null : webhooksIncluded(caller, services);

/** One more than there are; disabled ones count. */
export const webhookToSpare: PlanRule = (caller, services) =>
  webhooksIncluded(caller, services) ??
  webhookLimitReached(caller.plan, services.webhooks.count(caller.organization.id));

function notIncluded(plan: string): Message {
  return message("methodNotIncluded", { plan });
}
