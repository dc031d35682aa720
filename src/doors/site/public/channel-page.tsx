/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { CardAnswer, CardWithMetrics } from "../../../catalog/channels/stored-card.ts";
import { formatDay } from "../../../values/moscow-time.ts";
import { WORDS } from "../../../words/words.ts";
import { dateFormat } from "../look/shown.tsx";
import { UserLink } from "../look/user-text.tsx";
import { AsCall, Trail } from "./catalog-pages.tsx";
import { ChannelList, PublicAvatar, titleOf } from "./channel-list.tsx";
import { breadcrumbsOf, datasetOf } from "./json-ld.tsx";
import { shortened } from "./pictures/chart-svg.ts";
import { lineOf, type Reading } from "./pictures/line.ts";
import type { PublicView } from "./public-document.tsx";
import type { PostBeginning } from "./read-public.ts";
import {
  addressOf,
  ChangeText,
  categoryPath,
  channelPath,
  pageLink,
  type Reader,
  shownNumber,
  subscribersText,
  territoryPath,
  useReader,
} from "./reader.tsx";

export interface ChannelFacts {
  card: CardWithMetrics & { handle: string };
  category: { slug: string; name: string } | null;
  territory: { slug: string; name: string } | null;
  rank: number | null;
  /** Empty if charts are not public. */
  days: readonly Reading[];
  /** Null if posts are not public. */
  lastPost: PostBeginning | null;
  /** Leaders of its category. */
  beside: readonly CardAnswer[];
}

const DESCRIPTION_LENGTH_MAX = 160;

/** `/c/{handle}/`: one channel. */
export function channelPage(reader: Reader, facts: ChannelFacts): PublicView {
  const { card, category } = facts;
  const words = WORDS[reader.language];
  const texts = words.publicPages;
  const path = channelPath(card.handle);
  const name = card.title.trim() || words.explorerPages.noTitle;
  const title = `${shortened(name, 70)} (@${card.handle})`;
  const subscribers = subscribersText(reader.language, card);
  const description = shortened(
    `${texts.channelText(name, subscribers)} ${card.description ?? ""}`.replace(/\s+/g, " "),
    DESCRIPTION_LENGTH_MAX,
  );
  return {
    path,
    title,
    description,
    picture: { path: `${path}card.png`, alt: texts.pictureText(name, subscribers) },
    things: [
      {
        ...datasetOf(reader, path, { name: title, description }, ["subscribers"]),
        about: {
          "@type": "Organization",
          name,
          alternateName: `@${card.handle}`,
          ...(card.link !== null && { sameAs: card.link }),
        },
      },
      breadcrumbsOf(reader, [
        [texts.catalog, "/c/"],
        ...(category === null ? [] : [[category.name, categoryPath(category.slug)] as const]),
        [name, path],
      ]),
    ],
    body: <Channel facts={facts} />,
  };
}

function Channel({ facts }: { facts: ChannelFacts }) {
  const reader = useReader();
  const { texts, hasCharts } = reader;
  const { card, category, beside } = facts;
  return (
    <>
      <Trail>
        {category !== null && (
          <a href={pageLink(reader, categoryPath(category.slug))}>
            <bdi>{category.name}</bdi>
          </a>
        )}
      </Trail>
      <Head facts={facts} />
      {card.description !== null && (
        <p class="lines" dir="auto">
          {card.description}
        </p>
      )}
      <Figures facts={facts} />
      {hasCharts && <Chart days={facts.days} />}
      {facts.lastPost !== null && <LastPost post={facts.lastPost} />}
      {beside.length > 1 && (
        <section>
          <h2>{texts.beside}</h2>
          <ChannelList cards={beside} label={texts.beside} />
        </section>
      )}
      <Embeds card={card} />
      <AsCall path={`/v1/msgr/channels/${card.handle}/`} query={{ include: "metrics" }} />
    </>
  );
}

function LastPost({ post: { text, link, publishedAt } }: { post: PostBeginning }) {
  const { texts, words } = useReader();
  const format = dateFormat(words.locale, { dateStyle: "medium", timeZone: "Europe/Moscow" });
  return (
    <section>
      <h2>{texts.lastPost}</h2>
      <p class="text" dir="auto">
        {text}
      </p>
      <p class="about">
        <time datetime={publishedAt}>{format.format(Date.parse(publishedAt))}</time>
        {link !== null && <UserLink address={link}>{texts.open}</UserLink>}
      </p>
    </section>
  );
}

function Head({ facts: { card, category, territory } }: { facts: ChannelFacts }) {
  const reader = useReader();
  const { words, texts } = reader;
  return (
    <div class="head">
      <PublicAvatar {...card} />
      <div>
        <h1>
          <bdi>{titleOf(card)}</bdi>
        </h1>
        <p class="about">
          <bdi>@{card.handle}</bdi>
          <span>{words.explorerPages.oneKind[card.kind]}</span>
          {category !== null && (
            <a href={pageLink(reader, categoryPath(category.slug))}>
              <bdi>{category.name}</bdi>
            </a>
          )}
          {territory !== null && (
            <a href={pageLink(reader, territoryPath(territory.slug))}>
              <bdi>{territory.name}</bdi>
            </a>
          )}
          {card.verified && <span class="badge">✓ {words.channelFields.verified}</span>}
          {card.a_plus && <span class="badge">{words.channelFields.a_plus}</span>}
        </p>
      </div>
      {card.link !== null && (
        <p class="open">
          <UserLink address={card.link}>{texts.open}</UserLink>
        </p>
      )}
    </div>
  );
}

function Figures({ facts: { card, rank, category } }: { facts: ChannelFacts }) {
  const { words, texts, hasCharts, language } = useReader();
  const { metrics } = card;
  const { growth } = words.explorerPages;
  return (
    <dl class="figures">
      <Figure name={words.channelFields.subscribers}>{subscribersText(language, card)}</Figure>
      {hasCharts && (
        <>
          <Figure name={growth(7)}>
            <ChangeText change={metrics.growth_7d} percent={metrics.growth_7d_percent} />
          </Figure>
          <Figure name={growth(30)}>
            <ChangeText change={metrics.growth_30d} percent={metrics.growth_30d_percent} />
          </Figure>
        </>
      )}
      {category !== null && (
        <Figure name={texts.rankName}>
          {rank === null ? "—" : texts.rank(shownNumber(rank))}{" "}
          <small>
            <bdi>{category.name}</bdi>
          </small>
        </Figure>
      )}
    </dl>
  );
}

function Figure({ name, children }: { name: string; children?: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const WIDTH = 720;
const HEIGHT = 220;

/** Subscribers by day. Its labels are text around the picture, so that they stay readable when it is small. */
function Chart({ days }: { days: readonly Reading[] }) {
  const { texts, words } = useReader();
  const line = lineOf(days, { left: 2, top: 6, width: WIDTH - 4, height: HEIGHT - 12 });
  const shownDay = (day: number) =>
    dateFormat(words.locale, { dateStyle: "medium" }).format(Date.parse(formatDay(day)));
  const [first, last] = [days[0], days.at(-1)];
  return (
    <section>
      <h2>{texts.chart}</h2>
      {line === null || first === undefined || last === undefined ? (
        <p>{texts.noReadings}</p>
      ) : (
        <figure class="chart">
          <p class="scale">
            <span>{shownNumber(line.high)}</span>
            <span>{shownNumber(line.low)}</span>
          </p>
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={texts.chartText(shownNumber(first.value), shownNumber(last.value))}
          >
            <path class="area" d={line.area} />
            <path class="line" d={line.line} />
          </svg>
          <figcaption>
            <time datetime={formatDay(first.day)}>{shownDay(first.day)}</time>
            <time datetime={formatDay(last.day)}>{shownDay(last.day)}</time>
          </figcaption>
        </figure>
      )}
    </section>
  );
}

/** The badge and the chart for other people's pages, to copy. */
function Embeds({ card }: { card: ChannelFacts["card"] }) {
  const reader = useReader();
  const { texts, hasCharts } = reader;
  const page = addressOf(reader, channelPath(card.handle));
  const badge = `<a href="${page}"><img src="${page}badge.svg" alt="${texts.badgeText}"></a>`;
  const frame = `<iframe src="${page}chart.svg" title="${texts.chart}" width="640" height="240" style="border:0" loading="lazy"></iframe>`;
  return (
    <details class="embeds">
      <summary>{texts.embed}</summary>
      <p>
        <img
          src={pageLink(reader, `${channelPath(card.handle)}badge.svg`)}
          alt={texts.badgeText}
          height="20"
        />
      </p>
      <pre tabindex={0}>
        <code>{badge}</code>
      </pre>
      {hasCharts && (
        <>
          <p>{texts.embedChart}</p>
          <pre tabindex={0}>
            <code>{frame}</code>
          </pre>
        </>
      )}
    </details>
  );
}
