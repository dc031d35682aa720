import type { UsageOfMethod, UsageSum } from "../../../../customers/limits/usage-view.ts";
import { type Day, formatDay } from "../../../../values/moscow-time.ts";

/** Every day of the period, including those without requests. */
export function sumByDay(
  rows: readonly UsageOfMethod[],
  from: Day,
  to: Day,
): { day: string; sum: UsageSum }[] {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return Array.from({ length: to - from + 1 }, (_, at) => {
    const day = formatDay(from + at);
    return { day, sum: sumOf(byDay.get(day) ?? []) };
  });
}

/** Sums by operation id, most requests first. */
export function sumByMethod(rows: readonly UsageOfMethod[]): { method: string; sum: UsageSum }[] {
  return [...Map.groupBy(rows, ({ method }) => method)]
    .map(([method, ofMethod]) => ({ method, sum: sumOf(ofMethod) }))
    .sort((a, b) => b.sum.requests - a.sum.requests || (a.method < b.method ? -1 : 1));
}

/** Usage by keys other than those shown. */
export function sumOfOthers(all: readonly UsageSum[], shown: readonly UsageSum[]): UsageSum {
  const whole = sumOf(all);
  const part = sumOf(shown);
  return {
    requests: whole.requests - part.requests,
    units: whole.units - part.units,
    errors: whole.errors - part.errors,
  };
}

/** Methods with a line of their own; the others share one line. */
const METHODS_SHOWN = 5;

/**
 * Every day of the period by method: the most requested ones, and a last column for all others, if any.
 * @returns `methods` with null for the others, and each day's sums in the same order
 */
export function sumByDayAndMethod(
  rows: readonly UsageOfMethod[],
  from: Day,
  to: Day,
): { methods: (string | null)[]; days: { day: string; sums: UsageSum[] }[] } {
  const ranked = sumByMethod(rows).map(({ method }) => method);
  const shown = ranked.slice(0, METHODS_SHOWN);
  const methods = ranked.length > shown.length ? [...shown, null] : shown;
  const columns = methods.map((column) =>
    sumByDay(
      rows.filter(({ method }) => (column === null ? !shown.includes(method) : method === column)),
      from,
      to,
    ),
  );
  const days = Array.from({ length: to - from + 1 }, (_, at) => ({
    day: formatDay(from + at),
    sums: columns.map((column) => column[at]?.sum ?? sumOf([])),
  }));
  return { methods, days };
}

export function sumOf(rows: readonly UsageSum[]): UsageSum {
  const sum = { requests: 0, units: 0, errors: 0 };
  for (const { requests, units, errors } of rows) {
    sum.requests += requests;
    sum.units += units;
    sum.errors += errors;
  }
  return sum;
}
