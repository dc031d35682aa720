/** @jsxImportSource hono/jsx */
import { formatDay } from "../../../../values/moscow-time.ts";
import { DayChart } from "../../look/day-chart.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";

/**
 * Rows delivered by a source, by day.
 * @param today the last day shown
 */
export function RowsByDay({
  today,
  days,
  counts,
}: {
  today: number;
  days: number;
  counts: readonly { day: number; rows: number }[];
}) {
  const visit = useVisit();
  const words = visit.words.sourcePages;
  const rows = new Map(counts.map((one) => [one.day, one.rows]));
  const shown = Array.from({ length: days }, (_, at) => today - days + 1 + at);
  return (
    <DayChart
      title={words.byDay}
      id="source-rows"
      days={shown.map((day) => ({ day: formatDay(day), rows: rows.get(day) ?? 0 }))}
      instead={counts.length === 0 ? visit.words.nothingYet : null}
      heads={
        <th scope="col" class="number" data-draw="bars">
          {words.rows}
        </th>
      }
      cellsOf={({ rows }) => (
        <td class="number" data-value={rows}>
          {shownNumber(rows)}
        </td>
      )}
    />
  );
}
