/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { CardAnswer } from "../../../../catalog/channels/stored-card.ts";
import { changeOver } from "../../../../catalog/metrics/change-over.ts";
import type { Habits } from "../../../../catalog/posts/posts.ts";
import { averagesOf } from "../../../../catalog/statistics/statistics.ts";
import type { AppError } from "../../../../errors.ts";
import { DayText } from "../../look/answer-times.tsx";
import { ChangeText, shownPart, shownPercent } from "../../look/day-chart.tsx";
import { shownNumber, told } from "../../look/shown.tsx";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { ownPlan } from "../../visit/viewer.ts";
import type { Readings } from "./channel-readings.ts";

/** Periods in days for which growth is shown. */
const GROWTH = [7, 30] as const;

/** The channel's figures: current, of the last weeks, and of the period shown. */
export function channelFigures(
  card: CardAnswer,
  { rows, recent }: Readings,
  habits: Habits | null,
): JSX.Element {
  const visit = useVisit();
  const words = visit.words.explorerPages;
  const { viewsPerPost, postsPerDay } = averagesOf(rows);
  const number = (value: number | null): string => (value === null ? "—" : shownNumber(value));
  const reach = card.metrics?.reach_30d ?? null;
  const changes = GROWTH.map((days) => [days, changeOver(recent, days)] as const);
  const last = recent.at(-1) ?? rows.at(-1);
  const ads = habits === null || habits.posts === 0 ? null : habits.ads / habits.posts;
  return (
    <ul class="cards figures">
      <li class="main">
        {visit.words.channelFields.subscribers}
        <strong>{number(card.subscribers)}</strong>
        {changes.map(
          ([days, change]) =>
            change !== null && (
              <span class="growth">
                <ChangeText change={change} /> {words.inDays(days)}
              </span>
            ),
        )}
        {last !== undefined && last.subscribers !== card.subscribers && (
          <small>
            {words.lastReading} <DayText day={last.day} />: {number(last.subscribers)}.{" "}
            {words.cardIsApart}
          </small>
        )}
      </li>
      <Figure label={words.viewsPerPost} value={number(viewsPerPost)}>
        {viewsPerPost !== null &&
          card.subscribers > 0 &&
          words.ofSubscribers(shownPart(viewsPerPost / card.subscribers))}
      </Figure>
      <Figure label={words.postsPerDay} value={number(postsPerDay)} />
      <Figure label={words.err} value={shownPercent(card.metrics?.err_30d)}>
        {reach !== null
          ? words.reach(number(reach))
          : card.metrics?.posts_30d === 0 && words.noPostsLately}
      </Figure>
      <Figure label={words.adShare} value={ads === null ? "—" : shownPart(ads)}>
        {habits !== null &&
          habits.posts > 0 &&
          words.ofPosts(number(habits.ads), number(habits.posts))}
      </Figure>
    </ul>
  );
}

function Figure({ label, value, children }: { label: string; value: string; children?: Child }) {
  return (
    <li>
      {label}
      <strong>{value}</strong>
      {children}
    </li>
  );
}

/** @jsxImportSource hono/jsx */

/** Says that missing growth and engagement are being computed; null if no update is pending. */
export async function MetricsComing() {
  const visit = useVisit();
  const awaited = await useSite().jobs.dueAfterImport();
  // On a node, the job's name includes the node's.
  if (!awaited.some((name) => name === "metrics" || name.startsWith("metrics@"))) return null;
  return (
    <p role="status" class="notice">
      {visit.words.explorerPages.metricsComing}
    </p>
  );
}

/**
 * Why a page of posts or mentions is refused.
 * @param closed says that a plan does not include them
 */
export async function refusalText(
  error: AppError,
  closed: (plan: string) => string,
): Promise<string> {
  if (error.code === "tariff_required") return closed((await ownPlan()).code);
  return told(error.faults?.["cursor"]?.[0] ?? error.publicMessage);
}
