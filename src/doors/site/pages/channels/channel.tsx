/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { type CardView, fieldsShownAs } from "../../../../catalog/channels/card.ts";
import type { CardAnswer } from "../../../../catalog/channels/stored-card.ts";
import type { Directory } from "../../../../catalog/directory/directory.ts";
import type { PostView } from "../../../../catalog/posts/post.ts";
import type { Page } from "../../../../values/json-text.ts";
import { formatDay } from "../../../../values/moscow-time.ts";
import { channelsRetrieve } from "../../../../verbs/methods/channels.ts";
import { channelPostsRetrieve } from "../../../../verbs/methods/posts.ts";
import { requireTurn } from "../../guard/throttle.ts";
import { ApiCall } from "../../look/api-call.tsx";
import { titleOf } from "../../look/channel-link.tsx";
import { DayOf, Moment, shownNumber } from "../../look/shown.tsx";
import { Done, type Fact, Facts, NamedLink, UserBlock, UserLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { csvDownload, lookUp } from "../../visit/look-up.ts";
import { ownPlan } from "../../visit/viewer.ts";
import { asset, page, useSite, useVisit, type View } from "../../visit/visit.ts";
import { ChannelFigures, MetricsComing } from "./channel-figures.tsx";
import { BestPosts, PostingHours, ReachByAge, readHabits } from "./channel-habits.tsx";
import { ChannelHead } from "./channel-head.tsx";
import { mentionsOfChannel } from "./channel-mentioned.tsx";
import { channelPosts, deletePost } from "./channel-posts.tsx";
import { daysForCall, namedChannel, type Readings, readReadings } from "./channel-readings.ts";
import { ReadingsChart } from "./channel-statistics.tsx";

/** `/account/channels/:id/`: a channel's figures, days, habits and posts. */
export const channelPage: SitePage = {
  path: "/account/channels/:id/",
  access: "member",
  async show(visit, context) {
    const channel = namedChannel();
    const card = await lookUp<CardAnswer>(channelsRetrieve, { channel, include: "metrics" });
    const words = visit.words.explorerPages;
    const readings = await readReadings([card]);
    const download = await channelDownload(card, readings);
    if (download !== null) return download;
    const habits = await readHabits(card, readings);
    const title = titleOf(card);
    return page(
      title,
      <>
        <Done words={{ deleted: words.postDeleted }} />
        {card.metrics?.err_30d == null && (await MetricsComing())}
        {card.description !== null && (
          <div class="described">
            <UserBlock text={card.description} />
          </div>
        )}
        {await ChannelFigures({ card, readings })}
        {await ReadingsChart({ card, readings })}
        <div class="halves">
          <div class="stack">
            {habits !== null && habits.posts > 0 && <PostingHours habits={habits} />}
            {habits !== null && habits.reach.length > 0 && <ReachByAge habits={habits} />}
            <ChannelCard card={card} directory={context.services.directory} />
          </div>
          {habits !== null && habits.posts > 0 && <BestPosts habits={habits} />}
        </div>
        {await mentionsOfChannel(card)}
        {await channelPosts(card)}
        {await ChannelCalls({ card, readings })}
        <p>
          <a href={asset("/account/channels/")}>← {words.allChannels}</a>
        </p>
      </>,
      { heading: <ChannelHead card={card} title={title} /> },
    );
  },
  actions: { "delete-post": deletePost },
};

/** Columns of the files, named as in the API and the import. */
const DAY_COLUMNS = ["channel", "day", "subscribers", "views", "posts"] as const;
const POST_COLUMNS = ["id", "channel", "published_at", "views", "is_ad", "link", "text"] as const;
const POSTS_MAX = 100;

/**
 * The days that the page shows, or the latest posts, if requested by the address's `download`; null
 * otherwise.
 * @throws AppError for what the plan does not include; `throttled`
 */
async function channelDownload(
  card: CardView,
  { from, to, rows, refusal }: Readings,
): Promise<View | null> {
  const visit = useVisit();
  const wanted = visit.query.get("download");
  if (wanted !== "readings" && wanted !== "posts") return null;
  const names = [`download ${visit.signedIn?.person.id}`];
  requireTurn(names, visit.words.explorerPages.tooManyDownloads);
  const name = `channel-${card.id}`;
  if (wanted === "posts") {
    const raw = { channel: String(card.id), limit: String(POSTS_MAX) };
    const posts = await lookUp<Page<PostView>>(channelPostsRetrieve, raw);
    const rows = posts.results.map((post) =>
      post.views_at === null ? { ...post, views: null } : post,
    );
    return csvDownload(`${name}-posts.csv`, POST_COLUMNS, rows);
  }
  if (refusal !== null) throw refusal;
  return csvDownload(`${name}-${formatDay(from)}-${formatDay(to)}.csv`, DAY_COLUMNS, rows);
}

/** The page's data as API requests that the plan includes: the card, the days shown, the posts. */
async function ChannelCalls({ card, readings }: { card: CardView; readings: Readings }) {
  const { explorerPages: words, mentionPages } = useVisit().words;
  const days = await daysForCall(readings);
  const { posts: hasPosts } = await ownPlan();
  const ownPath = `/v1/msgr/channels/${card.id}/`;
  const call = (label: string, path: string, query = {}) => (
    <>
      <h3>{label}</h3>
      <ApiCall label={label} path={path} query={query} />
    </>
  );
  return (
    <section class="card" aria-labelledby="api">
      <h2 id="api">{words.useInApi}</h2>
      <p>
        {words.apiText} <a href={asset("/account/keys/")}>{words.makeKey}</a>
      </p>
      {call(words.card, ownPath)}
      {days !== null &&
        call(words.statistics, "/v1/msgr/stats/daily/", { channels: String(card.id), ...days })}
      {hasPosts && call(words.latestPosts, `${ownPath}posts/`, { limit: "10" })}
      {hasPosts && call(mentionPages.whoMentions, `${ownPath}mentions/`, { limit: "10" })}
    </section>
  );
}

/** Fields of the card that are not shown as figures. */
function ChannelCard({ card, directory }: { card: CardView; directory: Directory }) {
  const visit = useVisit();
  const givenUp = useSite().services.channels.formerHandles(card.id);
  const words = visit.words.explorerPages;
  const names = new Map(directory.categories().map(({ slug, name }) => [slug, name]));
  const category = (slug: string) => (
    <CatalogLink filter={{ category: slug }} text={names.get(slug) ?? slug} />
  );
  const labels = visit.words.channelFields;
  const rows: Fact[] = [
    [labels.id, String(card.id)],
    [labels.category, card.category && category(card.category)],
    [
      labels.categories,
      card.categories.length > 0 &&
        card.categories.map((slug, at) => (
          <>
            {at > 0 && ", "}
            {category(slug)}
          </>
        )),
    ],
    [labels.territory, card.territory && territoryOf(directory, card.territory)],
    ...fieldsShownAs("number").map(
      (name): Fact => [labels[name], card[name] !== null && shownNumber(card[name])],
    ),
    ...fieldsShownAs("moment").map(
      (name): Fact => [labels[name], card[name] && <Moment at={card[name]} />],
    ),
    ...fieldsShownAs("link").map(
      (name): Fact => [labels[name], card[name] && <UserLink address={card[name]} />],
    ),
    [
      labels.former_handles,
      card.former_handles.length > 0 && (
        <FormerHandles handles={card.former_handles} givenUp={givenUp} />
      ),
    ],
  ];
  return (
    <section aria-labelledby="card" class="card">
      <h2 id="card">{words.card}</h2>
      <Facts facts={rows} />
    </section>
  );
}

/** Handles of before, each with the day on which it was given up, if that is known. */
function FormerHandles({
  handles,
  givenUp,
}: {
  handles: readonly string[];
  givenUp: ReadonlyMap<string, number | null>;
}) {
  const { until } = useVisit().words;
  return (
    <ul>
      {handles.map((name) => {
        const at = givenUp.get(name) ?? null;
        return (
          <li>
            @{name}
            {at !== null && (
              <small>
                {" "}
                {until} <DayOf at={at} />
              </small>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** A territory and its ancestors. */
function territoryOf(directory: Directory, slug: string): JSX.Element {
  const names = new Map(directory.territories({}).map((one) => [one.slug, one]));
  const path = names.get(slug)?.path.split("/") ?? [slug];
  const text = path.map((part) => names.get(part)?.name ?? part).join(" › ");
  return <CatalogLink filter={{ territory: slug }} text={text} />;
}

function CatalogLink({ filter, text }: { filter: Record<string, string>; text: string }) {
  return <NamedLink to={`/account/channels/?${new URLSearchParams(filter)}`}>{text}</NamedLink>;
}

/** `/account/channels/:id/picture/`: a channel's picture, which pages put on top of its initials. */
export const channelPicturePage: SitePage = {
  path: "/account/channels/:id/picture/",
  access: "member",
  async show() {
    const channel = namedChannel();
    const query = { channel, fields: "image" };
    const card = await lookUp<Pick<CardView, "image">>(channelsRetrieve, query);
    const picture = card.image === null ? null : await useSite().pictures(card.image);
    return { kind: "picture", picture };
  },
};
