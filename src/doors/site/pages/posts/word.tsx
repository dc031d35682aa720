/** @jsxImportSource hono/jsx */
import { type OverTimeView, PERIOD_LENGTHS } from "../../../../catalog/post-search/over-time.ts";
import type { FoundPost } from "../../../../catalog/post-search/post-search.ts";
import { AppError } from "../../../../errors.ts";
import type { Page } from "../../../../values/json-text.ts";
import { dayOf, formatDay } from "../../../../values/moscow-time.ts";
import { alertsIncluded } from "../../../../verbs/admission.ts";
import { postsSearchStats } from "../../../../verbs/methods/over-time.ts";
import { postsSearchList } from "../../../../verbs/methods/post-search.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { ApiCall } from "../../look/api-call.tsx";
import { ChannelLink } from "../../look/channel-link.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { DayChart } from "../../look/day-chart.tsx";
import {
  FilterInput,
  FilterSelect,
  MoreFilters,
  PlaceFilters,
  QueryField,
} from "../../look/filter-fields.tsx";
import { PlanWithPosts } from "../../look/opening-plan.tsx";
import { DayText, Moment, shownNumber } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { cardsOf } from "../../visit/look-up.ts";
import { isInPlan, isManager } from "../../visit/viewer.ts";
import { asset, page, useSite, useVisit } from "../../visit/visit.ts";
import { webhooksOf } from "../alerts/alerts.tsx";
import { givenOf, readFilters } from "../channels/catalog-filter.ts";
import { Found } from "./found-posts.tsx";
import { refusalText, searched } from "./posts.tsx";

export const WORD_PATH = "/account/posts/word/";
const POSTS_SHOWN = "3";
/** Longest name of an alert. */
const NAME_MAX = 100;

/** Filters that post search and alerts have in common; then those of the period. */
const ALERT_FILTERS = ["q", "channel", "category", "territory", "is_ad"] as const;
const FILTERS = [...ALERT_FILTERS, "group", "from", "to"] as const;

/** `/account/posts/word/`: how often words are written, by whom, and the first and most read posts. */
export const wordPage: SitePage = {
  path: WORD_PATH,
  access: "member",
  async show(visit) {
    const words = visit.words.wordPage;
    const given = givenOf(readFilters(FILTERS));
    const isAsked = given["q"] !== undefined;
    const found = isAsked ? await searched<OverTimeView>(postsSearchStats, given) : null;
    const isFault = found instanceof AppError;
    return page(
      words.title,
      <>
        <WordForm />
        {found === null && <p class="empty">{words.hint}</p>}
        {isFault && (
          <p class="notice">
            <bdi>{await refusalText(found)}</bdi>
            <PlanWithPosts after={found} />
          </p>
        )}
        {found !== null && !isFault && (
          <>
            <Summary found={found} to={given["to"] ?? formatDay(dayOf(visit.nowMs))} />
            {await MakeAlert({ given })}
            <Periods given={given} found={found} />
            {found.posts > 0 && (
              <>
                <TopChannels found={found} />
                {await Posts({ given, found, ordering: "published_at", title: words.first })}
                {await Posts({ given, found, ordering: "-views", title: words.mostRead })}
              </>
            )}
            <details class="folded">
              <summary>{words.asCall}</summary>
              <ApiCall label={words.asCall} path={postsSearchStats.path} query={given} />
            </details>
          </>
        )}
      </>,
      { status: isFault && found.code === "invalid" ? 400 : 200 },
    );
  },
};

/** Filters that are folded. */
const MORE = ["group", "from", "to", "channel", "is_ad"];

function WordForm() {
  const { postPages, wordPage: words } = useVisit().words;
  const field = { search: "word" };
  const { filters } = postPages;
  return (
    <form method="get" action={asset(WORD_PATH)} class="filters line">
      <QueryField {...field} name="q" label={postPages.query} hint={postPages.queryHint} />
      <PlaceFilters
        {...field}
        directory={useSite().services.directory}
        category={filters.category}
        territory={filters.territory}
      />
      <MoreFilters names={MORE} unset="day">
        <FilterSelect
          {...{ ...field, name: "group", label: words.group }}
          options={PERIOD_LENGTHS.map((value) => ({ value, label: words.groups[value] }))}
        />
        <FilterInput {...{ ...field, name: "from", label: filters.from }} type="date" />
        <FilterInput {...{ ...field, name: "to", label: filters.to }} type="date" />
        <FilterInput {...{ ...field, name: "channel", label: filters.channel }} />
        <FilterSelect
          {...{ ...field, name: "is_ad", label: filters.is_ad }}
          options={[
            { value: "", label: postPages.anyPosts },
            { value: "true", label: postPages.onlyAds },
            { value: "false", label: postPages.withoutAds },
          ]}
        />
      </MoreFilters>
    </form>
  );
}

function Summary({ found, to }: { found: OverTimeView; to: string }) {
  const { posts, views, channels, sampled, note, periods } = found;
  const words = useVisit().words.wordPage;
  const known = views === null ? words.viewsUnknown : words.views(shownNumber(views));
  const told = channels === null ? "—" : shownNumber(channels);
  const estimate = channels === null ? words.sampledViews(sampled) : words.sampled(sampled);
  return (
    <>
      <p>
        <strong>{words.summary(shownNumber(posts), told, known)}</strong>{" "}
        <small>
          <DayText day={periods[0]?.from ?? to} /> – <DayText day={to} />
        </small>
      </p>
      {note !== null && <p class="notice">{note}</p>}
      {note === null && sampled > 1 && <p>{estimate}</p>}
    </>
  );
}

function Periods({
  given: { group = "day", to },
  found: { periods, posts },
}: {
  given: Record<string, string>;
  found: OverTimeView;
}) {
  const visit = useVisit();
  const { wordPage: words, explorerPages } = visit.words;
  const length = PERIOD_LENGTHS.find((one) => one === group) ?? "day";
  return (
    <DayChart
      title={words.overTime}
      id="periods"
      head={words.periods[length]}
      isUnfinished={to === undefined || to >= formatDay(dayOf(visit.nowMs))}
      days={periods.map(({ from, ...figures }) => ({ day: from, ...figures }))}
      instead={posts === 0 ? words.nobody : null}
      columns={[
        { head: explorerPages.postsOfDay, value: ({ posts }) => posts, draw: "bars" },
        { head: explorerPages.views, value: ({ views }) => views, draw: "none" },
        { head: words.channels, value: ({ channels }) => channels, draw: "none" },
      ]}
    />
  );
}

function TopChannels({ found: { top_channels: top } }: { found: OverTimeView }) {
  const { wordPage: words, channel, explorerPages } = useVisit().words;
  const cards = cardsOf(top.map(({ channel }) => channel.id));
  return (
    <section>
      <h3>{words.top}</h3>
      <DataTable
        label={words.top}
        rows={top}
        columns={[
          [
            channel,
            ({ channel: { id, title } }) => (
              <ChannelLink id={id} title={title} image={cards.get(id)?.image} />
            ),
            "row",
          ],
          [explorerPages.postsOfDay, ({ posts }) => shownNumber(posts), "number"],
          [
            explorerPages.views,
            ({ views }) => (views === null ? "—" : shownNumber(views)),
            "number",
          ],
          [words.last, ({ last_published_at: at }) => <Moment at={at} />],
        ]}
      />
    </section>
  );
}

/** The first posts of the period in an order, as post search finds them. */
async function Posts({
  given: { group: _, ...given },
  found,
  ordering,
  title,
}: {
  given: Record<string, string>;
  found: OverTimeView;
  ordering: string;
  title: string;
}) {
  const from = found.periods[0]?.from ?? "";
  const asked = { ...given, from, ordering, limit: POSTS_SHOWN };
  const posts = await searched<Page<FoundPost>>(postsSearchList, asked);
  return (
    <section>
      <h3>{title}</h3>
      {posts instanceof AppError ? (
        <p class="notice">{await refusalText(posts)}</p>
      ) : (
        <>
          {posts.results.map((post) => (
            <Found post={post} card={cardsOf([post.channel]).get(post.channel)} />
          ))}
          <p>
            <a href={asset(`/account/posts/?${new URLSearchParams({ ...given, from, ordering })}`)}>
              {useVisit().words.wordPage.all}
            </a>
          </p>
        </>
      )}
    </section>
  );
}

/** One click that makes an alert of the words, sent to the first webhook; or the page that says what it takes. */
async function MakeAlert({ given }: { given: Record<string, string> }) {
  const words = useVisit().words.wordPage;
  const to = asset("/account/alerts/");
  const [webhook] = (await webhooksOf()).filter(({ is_active }) => is_active);
  if (!isManager() || webhook === undefined || !(await isInPlan(alertsIncluded))) {
    return (
      <p>
        <a href={to}>{words.alert}</a>
      </p>
    );
  }
  const named = ALERT_FILTERS.map((name) => [name, given[name] ?? ""]);
  const name = [...(given["q"] ?? "")].slice(0, NAME_MAX).join("");
  const fields = { ...Object.fromEntries(named), name, webhook: webhook.id };
  return <ActionButton action="create" label={words.alert} fields={fields} to={to} />;
}
