import type { Plan } from "../../../customers/accounts/accounts.table.ts";

/** Why one more webhook does not fit into the plan, or null where it does. */
export function webhookLimitReached({ code, webhooks }: Plan, existing: number): string | null {
  if (existing < webhooks) return null;
  return `The plan ${code} includes ${webhooks} ${webhooks === 1 ? "webhook" : "webhooks"}; there are ${existing}.`;
}
