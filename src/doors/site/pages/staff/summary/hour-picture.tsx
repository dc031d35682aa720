/** @jsxImportSource hono/jsx */
import type { Hour } from "../../../../../upkeep/hours/hours.store.ts";
import { quantileUs, sumOfDurations } from "../../../../../upkeep/hours/hours.ts";
import { HOUR_MS } from "../../../../../values/moscow-time.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { Instant, shownNumber } from "../../../look/shown.tsx";
import { useVisit } from "../../../visit/visit.ts";

const BAR = 6;
const HEIGHT = 48;

/** Requests by hour as bars, failed ones in red; and the same as a table, with durations. */
export function HourPicture({
  hours,
  count,
  title,
}: {
  hours: readonly Hour[];
  count: number;
  title: string;
}) {
  const visit = useVisit();
  const words = visit.words.summaryPage;
  const last = Math.floor(visit.nowMs / HOUR_MS) * HOUR_MS;
  const first = last - (count - 1) * HOUR_MS;
  const shown = hours.filter(({ startedAt }) => startedAt >= first);
  if (shown.every(({ requests }) => requests === 0)) {
    return (
      <section>
        <h3>{title}</h3>
        <p class="empty">{words.noRequests}</p>
      </section>
    );
  }
  const most = Math.max(1, ...shown.map(({ requests }) => requests));
  const heightOf = (requests: number): number => Math.round((requests / most) * HEIGHT);
  return (
    <section>
      <h3>{title}</h3>
      <Sums hours={shown} />
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
      <p class="row apart span">
        <Instant at={first} />
        <Instant at={last} />
      </p>
      <details>
        <summary>{visit.words.table}</summary>
        <DataTable
          isTall
          label={title}
          rows={shown.toReversed()}
          columns={[
            [words.hour, ({ startedAt }) => <Instant at={startedAt} />, "row"],
            [words.requests, ({ requests }) => shownNumber(requests), "number"],
            [
              words.errors,
              ({ errors }) => shownNumber(errors),
              "number",
              ({ errors }) => errors > 0 && "failed",
            ],
            [
              words.mean,
              (hour) => shownMs(hour.requests === 0 ? null : hour.durationUs / hour.requests),
              "number",
            ],
            [words.p99, (hour) => shownBound(quantileUs(hour.durations, 0.99)), "number"],
            [
              words.slowest,
              (hour) => shownMs(hour.requests === 0 ? null : hour.slowestUs),
              "number",
            ],
          ]}
        />
      </details>
    </section>
  );
}

/** Total requests, failures and durations of all hours, in one line. */
function Sums({ hours }: { hours: readonly Hour[] }) {
  const words = useVisit().words.summaryPage;
  const sum = (of: (hour: Hour) => number): number =>
    hours.reduce((all, hour) => all + of(hour), 0);
  const requests = sum((hour) => hour.requests);
  const mean = requests === 0 ? null : sum((hour) => hour.durationUs) / requests;
  const durations = sumOfDurations(hours.map((hour) => hour.durations));
  return (
    <p>
      {[
        `${words.requests}: ${shownNumber(requests)}`,
        words.most(shownNumber(Math.max(...hours.map((hour) => hour.requests)))),
        `${words.errors}: ${shownNumber(sum((hour) => hour.errors))}`,
        `${words.mean}: ${shownMs(mean)}`,
        `${words.p99}: ${shownBound(quantileUs(durations, 0.99))}`,
      ].join(" · ")}
    </p>
  );
}

function shownMs(us: number | null): string {
  if (us === null) return "—";
  return `${shownNumber(Math.round(us / 100) / 10)} ${useVisit().words.ms}`;
}

/** Upper bound of a histogram's class, rounded up to two significant digits: it is no more exact. */
function shownBound(us: number | null): string {
  if (us === null || us < 10) return shownMs(us);
  const unit = 10 ** (Math.floor(Math.log10(us)) - 1);
  return shownMs(Math.ceil(us / unit) * unit);
}
