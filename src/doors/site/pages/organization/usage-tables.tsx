/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type {
  UsageOfMethod,
  UsageSum,
  UsageSummary,
} from "../../../../customers/limits/usage-history.ts";
import { type Day, formatDay } from "../../../../values/moscow-time.ts";
import { apiMethods } from "../../../../verbs/methods/table.ts";
import { DataTable } from "../../look/data-table.tsx";
import { DayChart, type DayColumn } from "../../look/day-chart.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { useSite, useVisit } from "../../visit/visit.ts";

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
function sumByMethod(rows: readonly UsageOfMethod[]): { method: string; sum: UsageSum }[] {
  return [...Map.groupBy(rows, ({ method }) => method)]
    .map(([method, ofMethod]) => ({ method, sum: sumOf(ofMethod) }))
    .sort((a, b) => b.sum.requests - a.sum.requests || (a.method < b.method ? -1 : 1));
}

/** Usage by keys other than those shown. */
function sumOfOthers(all: readonly UsageSum[], shown: readonly UsageSum[]): UsageSum {
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

function sumOf(rows: readonly UsageSum[]): UsageSum {
  const sum = { requests: 0, units: 0, errors: 0 };
  for (const { requests, units, errors } of rows) {
    sum.requests += requests;
    sum.units += units;
    sum.errors += errors;
  }
  return sum;
}

/** Tables and charts of an organization's usage: by day, method and key. */

export function UsageByDay({ days }: { days: { day: string; sum: UsageSum }[] }) {
  const { words } = useVisit();
  const { usageByDay, noUsage } = words.organizationPages;
  const isUsed = days.some(({ sum }) => sum.requests > 0);
  return (
    <DayChart
      title={usageByDay}
      id="usage-days"
      days={days}
      instead={isUsed ? null : noUsage}
      columns={[
        // Not drawn: where most calls cost one unit, its line hides behind that of units.
        { head: words.requests, value: ({ sum }) => sum.requests, draw: "none" },
        { head: words.units, value: ({ sum }) => sum.units },
        { head: words.errors, value: ({ sum }) => sum.errors, ink: "--danger" },
      ]}
    />
  );
}

export function ByDayAndMethod({
  counted,
  usage: { methods, days },
}: {
  counted: "requests" | "units";
  usage: ReturnType<typeof sumByDayAndMethod>;
}) {
  const { words: common } = useVisit();
  const words = common.organizationPages;
  return (
    <DayChart
      title={words.byDayAndMethod(common[counted])}
      id={`${counted}-by-method`}
      days={days}
      columns={methods.map(
        (method, at): DayColumn<(typeof days)[number]> => ({
          head: method === null ? words.otherMethods : breakable(ROUTES.get(method) ?? method),
          value: ({ sums }) => sums[at]?.[counted] ?? 0,
        }),
      )}
    />
  );
}

/** A path that may continue on the next line after each slash, so that several fit beside each other. */
function breakable(route: string): JSX.Element[] {
  return route.split(/(?<=\/)/).map((part) => (
    <>
      {part}
      <wbr />
    </>
  ));
}

/** Verb and path by operation id, which read the same in all languages. */
const ROUTES = new Map(
  apiMethods.map(({ operationId, verb, path }) => [operationId, `${verb} ${path}`]),
);

export function UsageByMethod({ rows }: { rows: UsageOfMethod[] }) {
  const { words } = useVisit();
  const sums = sumByMethod(rows).map(({ method, sum }) => ({
    head: <code>{ROUTES.get(method) ?? method}</code>,
    sum,
  }));
  return (
    <UsageSums title={words.organizationPages.usageByMethod} column={words.method} rows={sums} />
  );
}

export async function UsageByKey({ usage: { days, keys, keysUsed } }: { usage: UsageSummary }) {
  const { words } = useVisit();
  const named = await useSite().keys.byIds(keys.map(({ key }) => key));
  const names = new Map(named.map(({ id, name, prefix }) => [id, name || `${prefix}…`]));
  const sums = keys.map(({ key, ...sum }) => ({
    head: <bdi>{names.get(key) ?? words.overviewPage.otherKey(key)}</bdi>,
    sum,
  }));
  const others = keysUsed - keys.length;
  if (others > 0) {
    const head = <>{words.overviewPage.otherKeys(others)}</>;
    sums.push({ head, sum: sumOfOthers(days, keys) });
  }
  return (
    <UsageSums
      title={words.overviewPage.usageByKey}
      column={words.organizationPages.key}
      rows={sums}
    />
  );
}

/** A table of sums, and their total. */
function UsageSums({
  title,
  column,
  rows,
}: {
  title: string;
  column: string;
  rows: readonly { head: JSX.Element; sum: UsageSum }[];
}) {
  const { words } = useVisit();
  const head = <>{words.organizationPages.total}</>;
  return (
    <section>
      <h3>{title}</h3>
      <DataTable
        className="named"
        label={title}
        rows={rows}
        total={{ head, sum: sumOf(rows.map(({ sum }) => sum)) }}
        columns={[
          [column, ({ head }) => head, "row long"],
          [words.requests, ({ sum }) => shownNumber(sum.requests), "number"],
          [words.units, ({ sum }) => shownNumber(sum.units), "number"],
          [
            words.errors,
            ({ sum }) => shownNumber(sum.errors),
            "number",
            ({ sum }) => sum.errors > 0 && "failed",
          ],
        ]}
      />
    </section>
  );
}
