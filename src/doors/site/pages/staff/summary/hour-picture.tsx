/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Hour } from "../../../../../upkeep/hours/hours.table.ts";
import { HOUR_MS } from "../../../../../upkeep/hours/hours.ts";
import { Scroll } from "../../../look/data-table.tsx";
import { Instant, shownNumber } from "../../../look/shown.tsx";
import type { Visit } from "../../../visit/visit.ts";

const [BAR, HEIGHT] = [6, 48];

/** Requests hour by hour as bars, those that failed in red; the same as a table, with durations. */
export function HourPicture({
  visit,
  hours,
  count,
  title,
}: {
  visit: Visit;
  hours: readonly Hour[];
  count: number;
  title: string;
}): JSX.Element {
  const words = visit.words.summaryPage;
  const last = Math.floor(visit.nowMs / HOUR_MS) * HOUR_MS;
  const first = last - (count - 1) * HOUR_MS;
  const shown = hours.filter(({ startedAt }) => startedAt >= first);
  const most = Math.max(1, ...shown.map(({ requests }) => requests));
  const heightOf = (requests: number): number => Math.round((requests / most) * HEIGHT);
  return (
    <section>
      <h3>{title}</h3>
      {shown.length === 0 && <p>{words.noHours}</p>}
      <svg
        class="hours"
        viewBox={`0 0 ${count * BAR} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={title}
      >
        {shown.flatMap(({ startedAt, requests, errors }) => {
          const x = ((startedAt - first) / HOUR_MS) * BAR;
          const bar = (height: number, name: string) => (
            <rect x={x} y={HEIGHT - height} width={BAR - 1} height={height} class={name} />
          );
          return [bar(heightOf(requests), "all"), bar(heightOf(errors), "bad")];
        })}
      </svg>
      <details>
        <summary>{visit.words.table}</summary>
        <Scroll label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.hour}</th>
                {[words.requests, words.errors, words.mean, words.slowest].map((name) => (
                  <th scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.toReversed().map((hour) => (
                <HourRow visit={visit} hour={hour} />
              ))}
            </tbody>
          </table>
        </Scroll>
      </details>
    </section>
  );
}

function HourRow({ visit, hour }: { visit: Visit; hour: Hour }): JSX.Element {
  const { startedAt, requests, errors, durationUs, slowestUs } = hour;
  const ms = (us: number): string =>
    `${shownNumber(visit, Math.round(us / 100) / 10)} ${visit.words.summaryPage.ms}`;
  return (
    <tr>
      <th scope="row">
        <Instant visit={visit} at={startedAt} />
      </th>
      <td class="number">{shownNumber(visit, requests)}</td>
      <td class={errors > 0 ? "number failed" : "number"}>{shownNumber(visit, errors)}</td>
      <td class="number">{requests === 0 ? "—" : ms(durationUs / requests)}</td>
      <td class="number">{requests === 0 ? "—" : ms(slowestUs)}</td>
    </tr>
  );
}
