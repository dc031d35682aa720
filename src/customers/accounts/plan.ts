import { fieldError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import { DAY_MS } from "../../values/moscow-time.ts";

/** Plans, from lowest to highest (specification, section 1). */
export const PLAN_CODES = ["test", "start", "growth", "profi"] as const;
export type PlanCode = (typeof PLAN_CODES)[number];

/** Plan that applies once an organization's own has ended. */
export const FALLBACK_PLAN: PlanCode = "test";

export const PERIOD_DAYS = 30;
export const PERIOD_MS = PERIOD_DAYS * DAY_MS;

export interface PlanTerm {
  plan: PlanCode;
  planStartedAt: number;
  /** When the plan ends, exclusive; null for never. */
  planEndsAt: number | null;
}

export interface PlanInForce {
  plan: PlanCode;
  startedAt: number;
  endsAt: number | null;
}

/** The plan in force at an instant: the assigned one, or `test` once that has ended. */
export function planInForce(term: PlanTerm, nowMs: number): PlanInForce {
  const { plan, planStartedAt, planEndsAt } = term;
  if (planEndsAt !== null && nowMs >= planEndsAt) {
    return { plan: FALLBACK_PLAN, startedAt: planEndsAt, endsAt: planEndsAt };
  }
  return { plan, startedAt: planStartedAt, endsAt: planEndsAt };
}

export interface Period {
  startedAt: number;
  /** Exclusive: the start of the next period. */
  endsAt: number;
}

/** The fixed 30-day period that contains an instant, counted from the plan's start. */
export function periodAt(planStartedAt: number, nowMs: number): Period {
  const elapsed = Math.max(0, Math.floor((nowMs - planStartedAt) / PERIOD_MS));
  const startedAt = planStartedAt + elapsed * PERIOD_MS;
  return { startedAt, endsAt: startedAt + PERIOD_MS };
}

/**
 * The term after assigning a plan. Assigning the plan already in force keeps its start, so the period
 * continues. Another plan starts a new period, and so does renewing one that has ended, because `test` has
 * been in force since.
 */
export function nextTerm(
  term: PlanTerm,
  plan: PlanCode,
  planEndsAt: number | null,
  nowMs: number,
): PlanTerm {
  const inForce = planInForce(term, nowMs);
  return { plan, planStartedAt: plan === inForce.plan ? inForce.startedAt : nowMs, planEndsAt };
}

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
