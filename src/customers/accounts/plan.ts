import { DAY_MS } from "../../values/moscow-time.ts";

/** Plans, from lowest to highest (specification, section 1). */
export const PLAN_CODES = ["test", "start", "growth", "profi"] as const;
export type PlanCode = (typeof PLAN_CODES)[number];

/** Plan that applies once an organization's own has ended. */
const FALLBACK_PLAN: PlanCode = "test";

export const PERIOD_DAYS = 30;
const PERIOD_MS = PERIOD_DAYS * DAY_MS;

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
