import { DAY_MS } from "../../values/moscow-time.ts";

/** Plans, lowest to highest (specification, section 1). */
export const PLAN_CODES = ["test", "start", "growth", "profi"] as const;
export type PlanCode = (typeof PLAN_CODES)[number];

/** Plan an organization falls back to when its own has ended. */
const FALLBACK_PLAN: PlanCode = "test";

export const PERIOD_DAYS = 30;
const PERIOD_MS = PERIOD_DAYS * DAY_MS;

/** The plan that an organization was given: from an instant on, until another or without end. */
export interface PlanTerm {
  plan: PlanCode;
  planStartedAt: number;
  /** The first instant at which the plan no longer holds; null: no end. */
  planEndsAt: number | null;
}

export interface PlanInForce {
  plan: PlanCode;
  startedAt: number;
  endsAt: number | null;
}

/** The plan that holds at an instant: the one given, or `test` from the instant it ended. */
export function planInForce(term: PlanTerm, nowMs: number): PlanInForce {
  const { plan, planStartedAt, planEndsAt } = term;
  if (planEndsAt !== null && nowMs >= planEndsAt) {
    return { plan: FALLBACK_PLAN, startedAt: planEndsAt, endsAt: planEndsAt };
  }
  return { plan, startedAt: planStartedAt, endsAt: planEndsAt };
}

export interface Period {
  startedAt: number;
  /** The first instant of the next period. */
  endsAt: number;
}

/** The fixed 30-day period, counted from the plan's start, in which an instant lies. */
export function periodAt(planStartedAt: number, nowMs: number): Period {
  const elapsed = Math.max(0, Math.floor((nowMs - planStartedAt) / PERIOD_MS));
  const startedAt = planStartedAt + elapsed * PERIOD_MS;
  return { startedAt, endsAt: startedAt + PERIOD_MS };
}

/**
 * The term after a plan is given. The plan that already holds keeps its start, so the period goes on.
 * Another plan starts a new period, and so does the renewal of one that ended: since its end `test`
 * has held.
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
