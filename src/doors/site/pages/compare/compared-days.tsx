/** @jsxImportSource hono/jsx */
import type { DailyStatisticsView } from "../../../../catalog/statistics/statistics-day.ts";
import { formatDay } from "../../../../values/moscow-time.ts";
import { DayText } from "../../look/answer-times.tsx";
import { shownPart } from "../../look/change.tsx";
import { Scroll } from "../../look/data-table.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import { firstDrawn } from "../channels/channel-readings.ts";
import type { Compared } from "./compared.ts";

/** Measures to compare, as in the address's `measure`; the first is the default. */
export const MEASURES = ["subscribers", "growth", "views"] as const;
export type Measure = (typeof MEASURES)[number];

export function measureOf(): Measure {
  const { query } = useVisit();
  return MEASURES.find((measure) => measure === query.get("measure")) ?? MEASURES[0];
}

/** A line per channel, with the table they are drawn from. */
export function ComparedDays({
  compared: { cards, from, to, rows },
  measure,
  titles,
}: {
  compared: Compared;
  measure: Measure;
  titles: readonly string[];
}) {
  const visit = useVisit();
  const days = [...new Set(rows.map(({ day }) => day))].sort();
  const lines = cards.map(({ id }) =>
    valuesOf(
      rows.filter(({ channel }) => channel === id),
      measure,
    ),
  );
  const text = (value: number) =>
    measure === "growth" ? shownPart(value / 100, true) : shownNumber(value);
  return (
    <>
      <div
        data-chart="compared"
        data-from={firstDrawn({ from, to, rows })}
        data-to={formatDay(to)}
        data-unit={measure === "growth" ? "%" : undefined}
        aria-hidden="true"
      />
      <details>
        <summary>{visit.words.table}</summary>
        <Scroll label={visit.words.comparePages.measures[measure]}>
          <table id="compared">
            <thead>
              <tr>
                <th scope="col">{visit.words.explorerPages.day}</th>
                {titles.map((title) => (
                  <th scope="col" class="number">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((day) => (
                <tr>
                  <th scope="row" data-value={day}>
                    <DayText day={day} />
                  </th>
                  {lines.map((values) => {
                    const value = values.get(day);
                    return (
                      <td class="number" data-value={value ?? ""}>
                        {value !== undefined && text(value)}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </details>
    </>
  );
}

/** Values by day; growth is in percent of the period's first reading, to two decimals. */
function valuesOf(rows: readonly DailyStatisticsView[], measure: Measure): Map<string, number> {
  const first = rows.find(({ subscribers }) => subscribers > 0)?.subscribers ?? null;
  return new Map(
    rows.flatMap((row): [string, number][] => {
      if (measure !== "growth") return [[row.day, row[measure]]];
      if (first === null) return [];
      return [[row.day, Math.round((10_000 * (row.subscribers - first)) / first) / 100]];
    }),
  );
}
