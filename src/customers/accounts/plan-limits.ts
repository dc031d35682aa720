import { fieldError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";

/** Limits of a plan that an operator may change, each with its permitted range. */
export const PLAN_LIMITS = {
  requestsPerSecond: { minimum: 1, maximum: 1_000_000 },
  requestsPerPeriod: { minimum: 1, maximum: 1_000_000_000_000 },
  webhooks: { minimum: 0, maximum: 1_000 },
  webhookChannels: { minimum: 0, maximum: 1_000_000 },
  alerts: { minimum: 0, maximum: 10_000 },
  databaseMsPerSecond: { minimum: 1, maximum: 64_000 },
  lockMsPerSecond: { minimum: 1, maximum: 1_000 },
} as const;

export type PlanChange = { [Limit in keyof typeof PLAN_LIMITS]?: number };

/** @throws AppError `invalid` for a number out of range */
export function requireLimits(change: PlanChange): void {
  for (const [limit, { minimum, maximum }] of Object.entries(PLAN_LIMITS)) {
    const value = change[limit as keyof PlanChange];
    if (value === undefined) continue;
    if (!Number.isSafeInteger(value) || value < minimum || value > maximum) {
      throw fieldError({ [limit]: [message("outOfRange", { minimum, maximum })] });
    }
  }
}
