/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { CardAnswer } from "../../../../catalog/channels/stored-card.ts";
import { averagesOf } from "../../../../catalog/statistics/statistics.ts";
import type { AppError } from "../../../../errors.ts";
import { dayOf } from "../../../../values/moscow-time.ts";
import { ChangeText, changeOf, shownPart } from "../../look/day-chart.tsx";
import { formatNumber, shownNumber, told } from "../../look/shown.tsx";
import { readRank } from "../../visit/look-up.ts";
import { ownPlan } from "../../visit/viewer.ts";
import { useSite, useVisit } from "../../visit/visit.ts";
import type { Readings } from "./channel-readings.ts";

/** The channel's figures: current, its growth, and those of its posts, all of the last 30 days. */
export async function ChannelFigures({ card, readings }: { card: CardAnswer; readings: Readings }) {
  const visit = useVisit();
  const { words: all } = visit;
  const words = all.explorerPages;
  const { services } = useSite();
  const metrics = card.metrics ?? null;
  const number = (value: number | null | undefined) => (value == null ? "—" : shownNumber(value));
  const changes = [
    [7, changeOf(metrics?.growth_7d, metrics?.growth_7d_percent)],
    [30, changeOf(metrics?.growth_30d, metrics?.growth_30d_percent)],
  ] as const;
  // Metrics count whole days: of a channel whose posts are all of today, they know none until the night.
  const isCounted = !(metrics?.posts_30d === 0 && isOfToday(card.last_post_at, visit.nowMs));
  const posts = isCounted ? (metrics?.posts_30d ?? null) : null;
  // Of a channel without any post, days may still be known, each with its number of posts and their views.
  const { viewsPerPost, postsPerDay } =
    posts === null
      ? averagesOf(readings.rows.slice(-DAYS))
      : { viewsPerPost: metrics?.reach_30d ?? null, postsPerDay: posts / DAYS };
  const rank = await readRank(services, card);
  const category = services.directory.categories().find(({ slug }) => slug === card.category);
  return (
    <ul class="cards figures">
      <li class="main">
        {all.channelFields.subscribers}
        <strong>{card.subscribers_at === null ? "—" : number(card.subscribers)}</strong>
        {changes.map(
          ([days, change]) =>
            change !== null && (
              <span class="growth">
                <ChangeText change={change} /> {words.inDays(days)}
              </span>
            ),
        )}
      </li>
      {category !== undefined && (
        <Figure
          label={all.publicPages.rankName}
          value={rank === null ? "—" : all.publicPages.rank(shownNumber(rank))}
        >
          <bdi>{category.name}</bdi>
        </Figure>
      )}
      <Figure label={words.viewsPerPost} value={number(viewsPerPost)}>
        {viewsPerPost !== null && card.subscribers > 0
          ? `${words.ofSubscribers(shownPart(viewsPerPost / card.subscribers))}, ${words.lastDays(DAYS)}`
          : (posts === 0 && words.noPostsLately) || (!isCounted && words.postsFromTomorrow)}
      </Figure>
      <Figure
        label={words.postsPerDay}
        value={postsPerDay === null ? "—" : formatNumber(all.locale, postsPerDay, DECIMAL)}
      >
        {postsPerDay !== null && words.lastDays(DAYS)}
      </Figure>
      <Figure
        label={words.adShare}
        value={posts === null || posts === 0 ? "—" : shownPart((metrics?.ads_30d ?? 0) / posts)}
      >
        {posts !== null && posts > 0 && words.ofPosts(number(metrics?.ads_30d), number(posts))}
      </Figure>
    </ul>
  );
}

const isOfToday = (instant: string | null, nowMs: number): boolean =>
  instant !== null && dayOf(Date.parse(instant)) === dayOf(nowMs);

/** Days whose posts are averaged, as in the card's metrics. */
const DAYS = 30;
const DECIMAL = { maximumFractionDigits: 1 };

function Figure({ label, value, children }: { label: string; value: string; children?: Child }) {
  return (
    <li>
      {label}
      <strong>{value}</strong>
      {children}
    </li>
  );
}

/** Says that missing growth and engagement are being computed; null if no update is pending. */
export async function MetricsComing() {
  const awaited = await useSite().jobs.dueAfterImport();
  // On a node, the job's name includes the node's.
  if (!awaited.some((name) => name === "metrics" || name.startsWith("metrics@"))) return null;
  return (
    <p role="status" class="notice">
      {useVisit().words.explorerPages.metricsComing}
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
