/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { useVisit } from "../visit/use-visit.ts";
import { DayText } from "./answer-times.tsx";
import { Scroll } from "./data-table.tsx";

/** A chart, and the table by day that the script draws it from, with a row for every day of the period. */
export function DayChart<Row extends { day: string }>({
  title,
  id,
  days,
  instead = null,
  heads,
  cellsOf,
}: {
  title: string;
  id: string;
  days: readonly Row[];
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
                <th scope="col">{common.day}</th>
                {heads}
              </tr>
            </thead>
            <tbody>
              {days.map((row) => (
                <tr>
                  <th scope="row" data-value={row.day}>
                    <DayText day={row.day} />
                    {row.day === to && <small> {visit.words.overviewPage.unfinished}</small>}
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
