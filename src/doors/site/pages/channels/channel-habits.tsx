/** @jsxImportSource hono/jsx */
import type { CardView } from "../../../../catalog/channels/card.ts";
import type { PostView } from "../../../../catalog/posts/post.ts";
import type { Habits } from "../../../../catalog/posts/posts.ts";
import { AppError } from "../../../../errors.ts";
import { DAY_MS, dayOf, parseInstant, startOfDay } from "../../../../values/moscow-time.ts";
import { postsIncluded } from "../../../../verbs/admission.ts";
import { postsRetrieve } from "../../../../verbs/methods/posts.ts";
import { dateFormat, Moment, shownNumber } from "../../look/shown.tsx";
import { lookUp, orRefusal } from "../../visit/look-up.ts";
import { ownMembership, viewerOf } from "../../visit/viewer.ts";
import { useSite, useVisit } from "../../visit/visit.ts";
import type { Readings } from "./channel-readings.ts";
import { PostLink, PostText } from "./post-text.tsx";

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Shades for hours, from none to the maximum. */
const SHADES = 5;
/** 2026-11-23 is a Monday. */
const MONDAY = Date.UTC(2026, 10, 23);
/** Characters to show of each best post. */
const BEST_LENGTH = 180;

/**
 * Posting habits in the period shown, which is extended to the latest post; null if the plan excludes
 * posts, or if counting takes too long.
 */
export async function readHabits(card: CardView, { from, to }: Readings): Promise<Habits | null> {
  const context = useSite();
  const viewer = await viewerOf(ownMembership(), context.accounts, useVisit().nowMs);
  if (postsIncluded(viewer, context.services) !== null) return null;
  const lastPostMs = card.last_post_at === null ? null : parseInstant(card.last_post_at);
  const last = lastPostMs === null ? to : Math.max(to, dayOf(lastPostMs));
  const found = await orRefusal(
    context.services.posts.habits({
      channelId: card.id,
      fromMs: startOfDay(from),
      untilMs: startOfDay(last + 1),
    }),
  );
  return found instanceof AppError ? null : found;
}

/** When the channel posts: one row per weekday, one cell per hour. */
export function PostingHours({ habits }: { habits: Habits }) {
  const { explorerPages: words, locale, organizationPages } = useVisit().words;
  const most = Math.max(...habits.hours);
  const busiest = habits.hours.indexOf(most);
  const weekdays = (style: "short" | "long") =>
    Array.from({ length: 7 }, (_, day) =>
      dateFormat(locale, { weekday: style, timeZone: "UTC" }).format(MONDAY + day * DAY_MS),
    );
  const short = weekdays("short");
  const long = weekdays("long");
  return (
    <section class="card" aria-labelledby="hours">
      <h2 id="hours">{words.postingHours}</h2>
      <p>
        {words.mostOften(
          long[Math.floor(busiest / HOURS.length)] ?? "",
          `${busiest % HOURS.length}:00`,
        )}
      </p>
      <table class="heat">
        <caption class="hidden">{words.postingHoursTable}</caption>
        <thead>
          <tr>
            <td />
            {HOURS.map((hour) => (
              <th scope="col">
                <span class={hour % 6 === 0 ? undefined : "hidden"}>{hour}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {short.map((name, day) => (
            <tr>
              <th scope="row">{name}</th>
              {HOURS.map((hour) => {
                const posts = habits.hours[day * HOURS.length + hour] ?? 0;
                return <td class={`shade-${shadeOf(posts, most)}`}>{posts}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <small>
          {words.countedPosts(shownNumber(habits.posts), habits.isMore)}{" "}
          {organizationPages.moscowTime}
        </small>
      </p>
    </section>
  );
}

function shadeOf(posts: number, most: number): number {
  return most === 0 ? 0 : Math.ceil((posts / most) * SHADES);
}

/** Mean views after so many hours, of all posts and of advertising. */
export function ReachByAge({ habits }: { habits: Habits }) {
  const words = useVisit().words.explorerPages;
  const shown = (reach: Habits["reach"][number]["ads"]) =>
    reach === null ? (
      "—"
    ) : (
      <>
        {shownNumber(reach.views)} <small>({shownNumber(reach.posts)})</small>
      </>
    );
  return (
    <section class="card" aria-labelledby="reach">
      <h2 id="reach">{words.reachByAge}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.ageOfPost}</th>
            <th scope="col">{words.meanViews}</th>
            <th scope="col">{words.meanViewsOfAds}</th>
          </tr>
        </thead>
        <tbody>
          {habits.reach.map(({ hours, all, ads }) => (
            <tr>
              <th scope="row">{words.afterHours(String(hours))}</th>
              <td>{shown(all)}</td>
              <td>{shown(ads)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <small>{words.reachByAgeHint}</small>
      </p>
    </section>
  );
}

/** The most viewed posts. */
export async function BestPosts({ habits }: { habits: Habits }) {
  const words = useVisit().words.explorerPages;
  const found = await Promise.all(
    habits.best.map((id) => lookUp<PostView>(postsRetrieve, { id: String(id) }).catch(() => null)),
  );
  const posts = found.filter((post) => post !== null);
  return (
    <section class="card" aria-labelledby="best">
      <h2 id="best">{words.bestPosts}</h2>
      {posts.length === 0 && <p>{words.noViews}</p>}
      <ol class="best">
        {posts.map((post) => (
          <li>
            <p class="about">
              <strong>{words.viewsOf(shownNumber(post.views))}</strong>
              <Moment at={post.published_at} />
              <PostLink link={post.link} />
            </p>
            <PostText text={post.text} links={post.links} shown={BEST_LENGTH} />
          </li>
        ))}
      </ol>
    </section>
  );
}
