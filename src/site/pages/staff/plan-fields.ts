import type { Organization, Plan } from "../../../accounts/accounts.table.ts";
import { PLAN_CODES, type PlanCode, periodAt, planInForce } from "../../../accounts/plan.ts";
import { fieldError } from "../../../errors.ts";
import { readChoice } from "../../../fields.ts";
import { parseDay, startOfDay } from "../../../moscow-time.ts";
import type { SiteContext } from "../../site-context.ts";

/** The plan that holds for an organization, and what it used of it. */
export function standingOf(
  organization: Organization,
  { accounts, usage }: SiteContext,
  nowMs: number,
): { plan: Plan; used: number; periodEndsAt: number } {
  const inForce = planInForce(organization, nowMs);
  const period = periodAt(inForce.startedAt, nowMs);
  return {
    plan: accounts.plan(inForce.plan),
    used: usage.used(organization.id, period.startedAt),
    periodEndsAt: period.endsAt,
  };
}

/** @throws AppError `invalid` on `plan` */
export function planOf(text: string): PlanCode {
  const read = readChoice(PLAN_CODES)(text);
  if ("fault" in read) throw fieldError({ plan: [read.fault] });
  return read.value;
}

/** The day after it can still be written with four digits of the year. */
const LAST_DAY = parseDay("9999-12-30") ?? 0;

/**
 * A day that is meant through its last Moscow second.
 * @returns the instant at which the next one starts; null for no day
 * @throws AppError `invalid` on `ends`, with the message
 */
export function endsOf(text: string, message: string): number | null {
  if (text.trim() === "") return null;
  const day = parseDay(text.trim());
  if (day === null || day > LAST_DAY) throw fieldError({ ends: [message] });
  return startOfDay(day + 1);
}
