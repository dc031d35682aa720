/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { CardView } from "../../../../catalog/channels/card.ts";
import type { DailyStatisticsView } from "../../../../catalog/statistics/statistics-day.ts";
import { AppError } from "../../../../errors.ts";
import { dailyStatisticsList } from "../../../../methods/daily-statistics.ts";
import { inLanguage } from "../../../../values/messages/messages.ts";
import { dayOf, formatDay } from "../../../../values/moscow-time.ts";
import { DayText } from "../../look/answer-times.tsx";
import { Scroll } from "../../look/data-table.tsx";
import { asset } from "../../look/layout.tsx";
import { shownNumber } from "../../look/shown.tsx";
import type { SiteContext } from "../../site-context.ts";
import { lookUp, orRefusal } from "../../visit/look-up.ts";
import { planOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";

/** Periods to choose from, in days; the first is the default. */
const PERIODS = [30, 90, 366] as const;

/** The period of the address's `days`. */
export function daysOf({ query }: Visit): number {
  return PERIODS.find((days) => String(days) === query.get("days")) ?? PERIODS[0];
}

/** Subscribers and views of a channel by day, each as a chart with its table. */
export async function channelStatistics(
  { id }: CardView,
  visit: Visit,
  context: SiteContext,
): Promise<JSX.Element> {
  const words = visit.words.explorerPages;
  const today = dayOf(visit.nowMs);
  const from = formatDay(today - daysOf(visit) + 1);
  const period = { from, to: formatDay(today) };
  const raw = { channels: String(id), from };
  const found = await orRefusal(
    lookUp<{ results: DailyStatisticsView[] }>(dailyStatisticsList, raw, visit, context),
  );
  return (
    <section aria-labelledby="statistics">
      <h2 id="statistics">{words.statistics}</h2>
      <Periods visit={visit} id={id} />
      {found instanceof AppError ? (
        <p class="notice">{await refusalOf(found, visit, context)}</p>
      ) : found.results.length === 0 ? (
        <p>{words.noStatistics}</p>
      ) : (
        <>
          <DailyChart visit={visit} name="subscribers" {...period} rows={found.results} />
          <DailyChart visit={visit} name="views" {...period} rows={found.results} />
        </>
      )}
    </section>
  );
}

async function refusalOf(error: AppError, visit: Visit, context: SiteContext): Promise<string> {
  const plan = await planOf(visit, context);
  return error.code === "tariff_required" && plan.historyDays !== null
    ? visit.words.explorerPages.historyClosed(plan.code, plan.historyDays)
    : inLanguage(visit.language, error.said);
}

function Periods({ visit, id }: { visit: Visit; id: number }): JSX.Element {
  const words = visit.words.explorerPages;
  return (
    <nav aria-label={words.period} class="choices">
      {PERIODS.map((days) => (
        <a
          href={asset(visit, `/account/channels/${id}/?days=${days}#statistics`)}
          aria-current={days === daysOf(visit) ? "true" : undefined}
        >
          {words.lastDays(days)}
        </a>
      ))}
    </nav>
  );
}

function DailyChart({
  visit,
  name,
  from,
  to,
  rows,
}: {
  visit: Visit;
  name: "subscribers" | "views";
  from: string;
  to: string;
  rows: readonly DailyStatisticsView[];
}): JSX.Element {
  const words = visit.words.explorerPages;
  return (
    <>
      <h3>{words[name]}</h3>
      <div data-chart={`${name}-by-day`} data-from={from} data-to={to} />
      <details>
        <summary>{words.asTable(words[name])}</summary>
        <Scroll label={words[name]}>
          <table id={`${name}-by-day`}>
            <thead>
              <tr>
                <th scope="col">{words.day}</th>
                <th scope="col" class="number">
                  {words[name]}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr>
                  <th scope="row" data-value={row.day}>
                    <DayText visit={visit} day={row.day} />
                  </th>
                  <td class="number" data-value={row[name]}>
                    {shownNumber(visit, row[name])}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </details>
    </>
  );
}
