import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import { type Message, message } from "../../../values/messages/messages.ts";

/** Why one more webhook does not fit into the plan, or null where it does. */
export function webhookLimitReached({ code, webhooks }: Plan, existing: number): Message | null {
  if (existing < webhooks) return null;
  return message("webhooksNotIncluded", { plan: code, included: webhooks, existing });
}

/** Why one more alert does not fit into the plan, or null where it does. */
export function alertLimitReached({ code, alerts }: Plan, existing: number): Message | null {
  if (existing < alerts) return null;
  return message("alertsNotIncluded", { plan: code, included: alerts, existing });
}
