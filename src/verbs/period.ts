import type { Plan } from "../customers/accounts/accounts.table.ts";
import { AppError, fieldError } from "../errors.ts";
import { message } from "../values/messages/messages.ts";
import { type Day, formatDay, startOfDay } from "../values/moscow-time.ts";
import { type Arguments, day } from "./parameters.ts";

/** Length in days of a period without given ends; it ends today. */
export const PERIOD_DAYS_DEFAULT = 30;
/** Longest period, in days (specification, section 8). */
export const PERIOD_DAYS_MAX = 366;

export const periodDays = {
  from: day(
    `First day, included; by default, the period is the last ${PERIOD_DAYS_DEFAULT} days, with today.`,
    { example: "2024-11-01" },
  ),
  to: day("Last day, included; today by default.", { example: "2024-11-30" }),
};

/** Bounds for a post's publication; either end may be open. */
export const publicationDays = {
  from: day("First Moscow day of publication, included.", { example: "2024-11-01" }),
  to: day("Last Moscow day of publication, included.", { example: "2024-11-30" }),
};

/**
 * Reads a period of days, both ends included. A missing end is that of the last 30 days including today.
 * @throws AppError `invalid` on `to`
 */
export function readPeriod(
  args: { from: Day | undefined; to: Day | undefined },
  today: Day,
): { from: Day; to: Day; days: number } {
  const from = args.from ?? today - PERIOD_DAYS_DEFAULT + 1;
  const to = args.to ?? today;
  requireOrder({ from, to });
  const days = to - from + 1;
  if (days > PERIOD_DAYS_MAX) {
    throw fieldError({ to: [message("periodTooLong", { days: PERIOD_DAYS_MAX })] });
  }
  return { from, to, days };
}

type Bounds = Partial<Arguments<typeof publicationDays>>;

/**
 * The instants of `publicationDays`: the first included one and the first excluded one; null means no
 * bound.
 * @throws AppError `invalid` on `to`
 */
export function readPublicationDays({ from, to }: Bounds): {
  fromMs: number | null;
  untilMs: number | null;
} {
  requireOrder({ from, to });
  return {
    fromMs: from === undefined ? null : startOfDay(from),
    untilMs: to === undefined ? null : startOfDay(to + 1),
  };
}

/** @throws AppError `invalid` on `to` */
export function requireOrder({ from, to }: Bounds): void {
  if (from !== undefined && to !== undefined && to < from)
    throw fieldError({ to: [message("periodBackwards")] });
}

/** The earliest day whose statistics a plan shows. */
export function firstDayOf({ historyDays }: Pick<Plan, "historyDays">, today: Day): Day {
  return historyDays === null ? Number.NEGATIVE_INFINITY : today - historyDays + 1;
}

/**
 * Refuses days earlier than the plan covers (specification, section 8).
 * @throws AppError `tariff_required`
 */
export function requireHistory(
  plan: Pick<Plan, "historyDays" | "code">,
  from: Day,
  today: Day,
): void {
  const { historyDays, code } = plan;
  const open = firstDayOf(plan, today);
  if (historyDays === null || from >= open) return;
  const first = formatDay(open);
  throw new AppError(
    "tariff_required",
    message("historyNotIncluded", { plan: code, days: historyDays, from: first }),
  );
}
