/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { useVisit } from "../visit/visit.ts";
import { Scroll } from "./data-table.tsx";
import { DayText, formatNumber } from "./shown.tsx";

/** A chart, and the table by day that the script draws it from, with a row for every day of the period. */
export function DayChart<Row extends { day: string }>({
  title,
  id,
  days,
  head,
  isUnfinished = true,
  instead = null,
  heads,
  cellsOf,
}: {
  title: string;
  id: string;
  days: readonly Row[];
  /** Head of the first column, where a row stands for more than a day. */
  head?: string;
  /** Whether the last row is not over yet. */
  isUnfinished?: boolean;
  /** Shown in place of an empty chart and table. */
  instead?: string | null;
  heads: JSX.Element | JSX.Element[];
  cellsOf: (row: Row) => JSX.Element | JSX.Element[];
}) {
  const visit = useVisit();
  const { words: common } = visit;
  const from = days[0]?.day;
  const to = days.at(-1)?.day;
  if (instead !== null) {
    return (
      <section>
        <h3>{title}</h3>
        <p class="empty">{instead}</p>
      </section>
    );
  }
  return (
    <section>
      <h3>{title}</h3>
      <div data-chart={id} data-from={from} data-to={to} aria-hidden="true" />
      <details>
        <summary>{common.table}</summary>
        <Scroll label={title}>
          <table id={id}>
            <thead>
              <tr>
                <th scope="col">{head ?? common.day}</th>
                {heads}
              </tr>
            </thead>
            <tbody>
              {days.map((row) => (
                <tr>
                  <th scope="row" data-value={row.day}>
                    <DayText day={row.day} />
                    {row.day === to && isUnfinished && (
                      <small> {visit.words.overviewPage.unfinished}</small>
                    )}
                  </th>
                  {cellsOf(row)}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </details>
    </section>
  );
}

/** How much something grew, and relative to before; null for that if it was nothing before. */
interface Change {
  subscribers: number;
  part: number | null;
}

/** How much something grew, signed, and relative to before; a dash if unknown. */
export function ChangeText({ change }: { change: Change | null }) {
  const visit = useVisit();
  if (change === null) return <span class="change">—</span>;
  const { subscribers, part } = change;
  return (
    <span class={`change ${subscribers > 0 ? "up" : subscribers < 0 ? "down" : ""}`}>
      {formatNumber(visit.words.locale, subscribers, { signDisplay: "exceptZero" })}
      {part !== null && ` (${shownPart(part, true)})`}
    </span>
  );
}

/** A metric's growth as a change; null if unknown. @param percent relative to before */
export function changeOf(
  subscribers: number | null | undefined,
  percent: number | null | undefined,
): Change | null {
  if (subscribers === null || subscribers === undefined) return null;
  return { subscribers, part: typeof percent === "number" ? percent / 100 : null };
}

/** A percentage, or a dash if unknown. */
export function shownPercent(percent: number | null | undefined): string {
  return typeof percent === "number" ? shownPart(percent / 100) : "—";
}

/** Below this, one decimal would round to zero, or to twice the value. */
const SMALL_PART = 0.001;

/** A fraction as a percentage with one or two decimals. @param withSign also for positive values */
export function shownPart(part: number, withSign = false): string {
  return formatNumber(useVisit().words.locale, part, {
    style: "percent",
    maximumFractionDigits: Math.abs(part) < SMALL_PART ? 2 : 1,
    signDisplay: withSign ? "exceptZero" : "auto",
  });
}

const WIDTH = 88;
const HEIGHT = 24;
/** Margin for the width of the line. */
const MARGIN = 2;

/** A line without axes; the number beside it tells screen readers the same. Nothing for a single value. */
export function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const low = Math.min(...values);
  const high = Math.max(...values);
  const x = (at: number) => MARGIN + Math.round((at * (WIDTH - 2 * MARGIN)) / (values.length - 1));
  const y = (value: number) =>
    low === high
      ? HEIGHT / 2
      : Math.round(HEIGHT - MARGIN - ((value - low) * (HEIGHT - 2 * MARGIN)) / (high - low));
  const points = values.map((value, at) => `${x(at)} ${y(value)}`);
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={`M${points.join("L")}`} />
    </svg>
  );
}
