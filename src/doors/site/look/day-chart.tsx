/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import { useVisit } from "../visit/visit.ts";
import { Scroll } from "./data-table.tsx";
import { DayText, formatNumber, shownNumber } from "./shown.tsx";

/** A column of numbers by day. */
export interface DayColumn<Row> {
  head: Child;
  /** Null if it is unknown. */
  value(row: Row): number | null;
  text?(value: number): string;
  /** How the script draws it; by default as a line. */
  draw?: "bars" | "none";
  /** The style sheet's colour for what it means; in that of danger, numbers other than zero stand out. */
  ink?: "--danger";
}

interface DrawnProps<Row> {
  id: string;
  days: readonly Row[];
  columns: readonly DayColumn<Row>[];
  /** The picture's first and last day; by default those of the rows. */
  from?: string;
  to?: string;
  unit?: "%" | undefined;
  /** Head of the first column, where a row stands for more than a day. */
  head?: string;
  /** Whether the last row is not over yet. */
  isUnfinished?: boolean;
}

/** A chart, and the table by day that the script draws it from. @param props.children stand between them */
export function DrawnDays<Row extends { day: string }>({
  id,
  label,
  days,
  columns,
  from = days[0]?.day ?? "",
  to = days.at(-1)?.day ?? "",
  unit,
  head,
  isUnfinished = false,
  children,
}: DrawnProps<Row> & { label: string; children?: Child }) {
  const { words } = useVisit();
  return (
    <>
      <div data-chart={id} data-from={from} data-to={to} data-unit={unit} aria-hidden="true" />
      {children}
      <details>
        <summary>{words.table}</summary>
        <Scroll label={label}>
          <table id={id}>
            <thead>
              <tr>
                <th scope="col">{head ?? words.day}</th>
                {columns.map(({ head, draw, ink }) => (
                  <th scope="col" class="number" data-draw={draw} data-ink={ink}>
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((row) => (
                <tr>
                  <th scope="row" data-value={row.day}>
                    <DayText day={row.day} />
                    {row.day === to && isUnfinished && (
                      <small> {words.overviewPage.unfinished}</small>
                    )}
                  </th>
                  {columns.map((column) => (
                    <Value column={column} value={column.value(row)} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </details>
    </>
  );
}

function Value<Row>({ column, value }: { column: DayColumn<Row>; value: number | null }) {
  const { text = shownNumber, ink } = column;
  return (
    <td class={ink === "--danger" && value ? "number failed" : "number"} data-value={value ?? ""}>
      {value === null ? "—" : text(value)}
    </td>
  );
}

/** A section with a chart of every day of a period. @param props.instead shown in place of an empty one */
export function DayChart<Row extends { day: string }>({
  title,
  instead = null,
  ...drawn
}: DrawnProps<Row> & { title: string; instead?: string | null }) {
  return (
    <section>
      <h3>{title}</h3>
      {instead === null ? (
        <DrawnDays label={title} isUnfinished {...drawn} />
      ) : (
        <p class="empty">{instead}</p>
      )}
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
  if (change === null) return <span class="change">—</span>;
  const { subscribers, part } = change;
  return (
    <span class={`change ${subscribers > 0 ? "up" : subscribers < 0 ? "down" : ""}`}>
      {formatNumber(useVisit().words.locale, subscribers, { signDisplay: "exceptZero" })}
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
