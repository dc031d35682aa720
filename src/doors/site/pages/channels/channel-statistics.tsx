/** @jsxImportSource hono/jsx */
import type { CardView } from "../../../../catalog/channels/card.ts";
import type { DailyStatisticsView } from "../../../../catalog/statistics/statistics.ts";
import type { AppError } from "../../../../errors.ts";
import { formatDay } from "../../../../values/moscow-time.ts";
import { historyIncluded } from "../../../../verbs/admission.ts";
import { DrawnDays } from "../../look/day-chart.tsx";
import { OpeningPlan } from "../../look/opening-plan.tsx";
import { DayText, told } from "../../look/shown.tsx";
import { ownPlan } from "../../visit/viewer.ts";
import { asset, useVisit } from "../../visit/visit.ts";
import { firstDrawn, PERIODS, type Period, type Readings } from "./channel-readings.ts";

/** Subscribers and views by day in one picture, with the table it is drawn from. */
export async function ReadingsChart({
  card,
  readings: { period, from, to, rows, refusal },
}: {
  card: CardView;
  readings: Readings;
}) {
  const { channelFields, explorerPages: words } = useVisit().words;
  const first = firstDrawn({ from, to, rows });
  const last = formatDay(to);
  return (
    <section aria-labelledby="statistics" class="card">
      <div class="row apart">
        <h2 id="statistics">{words.statistics}</h2>
        <Periods path={`/account/channels/${card.id}/`} current={period} />
      </div>
      {refusal !== null ? (
        <HistoryRefusal error={refusal} />
      ) : rows.length === 0 ? (
        <p class="empty">{words.noStatistics}</p>
      ) : (
        <DrawnDays
          id="readings"
          label={words.statistics}
          days={rows}
          from={first}
          to={last}
          columns={[
            { head: channelFields.subscribers, value: ({ subscribers }) => subscribers },
            { head: words.views, value: knownViews, draw: "bars" },
            { head: words.postsOfDay, value: ({ posts }) => posts, draw: "none" },
          ]}
        >
          <p class="row apart">
            <small>
              <DayText day={first} /> – <DayText day={last} />
            </small>
            <a href={asset(`/account/channels/${card.id}/?days=${period}&download=readings`)}>
              {words.downloadReadings}
            </a>
          </p>
        </DrawnDays>
      )}
    </section>
  );
}

/** Why a period is refused, and the plan that includes it. */
export async function HistoryRefusal({ error }: { error: AppError }) {
  const { code, historyDays } = await ownPlan();
  const isClosed = error.code === "tariff_required" && historyDays !== null;
  return (
    <p class="notice">
      {isClosed
        ? useVisit().words.explorerPages.historyClosed(code, historyDays)
        : told(error.publicMessage)}
      <OpeningPlan after={error} rule={historyIncluded} />
    </p>
  );
}

/** Links to the same page with other periods. */
export function Periods({
  path,
  current,
  query = {},
}: {
  path: string;
  current: Period;
  /** Other parameters to keep in the address. */
  query?: Readonly<Record<string, string>>;
}) {
  const { explorerPages: words, period } = useVisit().words;
  return (
    <nav aria-label={period} class="choices">
      {PERIODS.map((days) => (
        <a
          href={asset(`${path}?${new URLSearchParams({ ...query, days })}`)}
          aria-current={days === current ? "true" : undefined}
        >
          {days === "all"
            ? words.allDays
            : days === "366"
              ? words.year
              : words.lastDays(Number(days))}
        </a>
      ))}
    </nav>
  );
}

/** A day's views; null if nobody read those of its posts. */
export function knownViews({ views, posts }: DailyStatisticsView): number | null {
  return views === 0 && posts > 0 ? null : views;
}
