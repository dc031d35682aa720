/** @jsxImportSource hono/jsx */
import type { CardView } from "../../../../catalog/channels/card.ts";
import type { Mention, Neighbour } from "../../../../catalog/mentions/mention.ts";
import { MENTION_KINDS } from "../../../../catalog/mentions/mention.ts";
import { AppError } from "../../../../errors.ts";
import type { Page } from "../../../../values/json-text.ts";
import { channelsRetrieve } from "../../../../verbs/methods/channels.ts";
import { channelMentionsList } from "../../../../verbs/methods/posts.ts";
import { ChannelLink, titleOf } from "../../look/channel-link.tsx";
import { DataTable, Pager } from "../../look/data-table.tsx";
import { PlanWithPosts } from "../../look/opening-plan.tsx";
import { shownNumber } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { cardsOf, lookUp, orRefusal } from "../../visit/look-up.ts";
import { asset, page, useVisit } from "../../visit/visit.ts";
import { givenOf } from "./catalog-filter.ts";
import { refusalText } from "./channel-figures.tsx";
import { MentionItems } from "./channel-mentioned.tsx";
import { namedChannel } from "./channel-readings.ts";

const PAGE_SIZE = "20";

/**
 * `/account/channels/:id/mentions/`: who mentions a channel and whom it mentions, as a picture and lists.
 */
export const channelMentionsPage: SitePage = {
  path: "/account/channels/:id/mentions/",
  access: "member",
  async show(visit, context) {
    const channel = namedChannel();
    const card = await lookUp<CardView>(channelsRetrieve, { channel });
    const words = visit.words.mentionPages;
    const title = titleOf(card);
    const kind = visit.query.get("kind") ?? "";
    const cursor = visit.query.get("cursor") ?? "";
    const raw = { channel: String(card.id), limit: PAGE_SIZE, kind, cursor };
    const found = await orRefusal(lookUp<Page<Mention>>(channelMentionsList, raw), "unavailable");
    const back = (
      <p>
        <a href={asset(`/account/channels/${card.id}/`)}>← {words.back}</a>
      </p>
    );
    if (found instanceof AppError) {
      return page(
        words.title(title),
        <>
          <p class="notice">
            {await refusalText(found, words.closed)}
            <PlanWithPosts after={found} />
          </p>
          {back}
        </>,
        { status: found.code === "invalid" ? 400 : 200 },
      );
    }
    const { mentionedBy, mentions } = await context.services.mentions.neighbours(card.id);
    return page(
      words.title(title),
      <>
        <section class="card" aria-labelledby="neighbourhood">
          <h2 id="neighbourhood">{words.neighbourhood}</h2>
          <p>{words.neighbourhoodText}</p>
          <Neighbourhood title={title} from={mentionedBy} to={mentions} />
          <div class="halves">
            <Neighbours label={words.mentionedBy} channels={mentionedBy} />
            <Neighbours label={words.mentions} channels={mentions} />
          </div>
        </section>
        <section aria-labelledby="mentions">
          <h2 id="mentions">{words.latest}</h2>
          <Kinds id={card.id} kind={kind} />
          {found.results.length === 0 && <p class="empty">{words.none}</p>}
          <MentionItems mentions={found.results} />
          <Pager
            page={found}
            path={`/account/channels/${card.id}/mentions/`}
            given={givenOf({ kind })}
            section="#mentions"
            first={words.later}
            next={words.earlier}
          />
        </section>
        {back}
      </>,
    );
  },
};

function Kinds({ id, kind }: { id: number; kind: string }) {
  const words = useVisit().words.mentionPages;
  const hrefOf = (one: string) => {
    const query = new URLSearchParams(givenOf({ kind: one }));
    return asset(`/account/channels/${id}/mentions/?${query}#mentions`);
  };
  return (
    <p class="row">
      {["", ...MENTION_KINDS].map((one) => (
        <a href={hrefOf(one)} aria-current={one === kind ? "true" : undefined}>
          {words.kindOf[one]}
        </a>
      ))}
    </p>
  );
}

function Neighbours({ label, channels }: { label: string; channels: readonly Neighbour[] }) {
  const { mentionPages: words, channel } = useVisit().words;
  const ids = channels.map(({ id }) => id);
  const cards = cardsOf(ids);
  return (
    <div>
      <h3>{label}</h3>
      {channels.length === 0 ? (
        <p class="empty">{words.noNeighbours}</p>
      ) : (
        <DataTable
          label={label}
          rows={channels}
          columns={[
            [
              channel,
              ({ id, title }) => <ChannelLink id={id} title={title} image={cards.get(id)?.image} />,
              "row",
            ],
            [words.posts, ({ posts }) => shownNumber(posts), "number"],
          ]}
        />
      )}
    </div>
  );
}

const WIDTH = 560;
const ROW_HEIGHT = 26;
/** Width of the names on each side, where the lines begin and end. */
const SIDE = 184;
const MIDDLE = WIDTH / 2;
const RADIUS = 44;
/** Characters of a name that fit, at the size that a phone needs. */
const NAME_MAX = 16;
/** Characters that fit in the circle. */
const OWN_MAX = 8;
const LINE_MAX = 7;

interface Picture {
  title: string;
  from: readonly Neighbour[];
  to: readonly Neighbour[];
}

/**
 * A channel between those that mention it, on the left, and those it mentions. The tables beside it tell
 * screen readers the same. Nothing if there are none.
 */
function Neighbourhood({ title, from, to }: Picture) {
  if (from.length + to.length === 0) return null;
  const height = Math.max(from.length, to.length, 4) * ROW_HEIGHT;
  // An empty side takes no space.
  const left = from.length > 0 ? 0 : MIDDLE - RADIUS;
  const right = to.length > 0 ? WIDTH : MIDDLE + RADIUS;
  const most = Math.max(...[...from, ...to].map(({ posts }) => posts));
  const line = (posts: number) => (1 + ((LINE_MAX - 1) * posts) / most).toFixed(1);
  const y = (at: number, of: number) => (height * (at + 0.5)) / of;
  return (
    <svg
      class={right - left < WIDTH ? "neighbourhood half" : "neighbourhood"}
      viewBox={`${left} 0 ${right - left} ${height}`}
      aria-hidden="true"
    >
      {from.map(({ posts }, at) => (
        <path
          d={curve(SIDE, y(at, from.length), MIDDLE - RADIUS, height / 2)}
          stroke-width={line(posts)}
        />
      ))}
      {to.map(({ posts }, at) => (
        <path
          d={curve(MIDDLE + RADIUS, height / 2, WIDTH - SIDE, y(at, to.length))}
          stroke-width={line(posts)}
        />
      ))}
      {from.map((one, at) => (
        <text x={SIDE - 8} y={y(at, from.length) + 5} text-anchor="end">
          {shortName(one)}
        </text>
      ))}
      {to.map((one, at) => (
        <text x={WIDTH - SIDE + 8} y={y(at, to.length) + 5}>
          {shortName(one)}
        </text>
      ))}
      <circle cx={MIDDLE} cy={height / 2} r={RADIUS} />
      <text class="own" x={MIDDLE} y={height / 2 + 5} text-anchor="middle">
        {cut(title, OWN_MAX)}
      </text>
    </svg>
  );
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  const half = (x1 + x2) / 2;
  return `M${x1} ${y1}C${half} ${y1} ${half} ${y2} ${x2} ${y2}`;
}

function shortName({ handle, title }: Neighbour): string {
  const { noTitle } = useVisit().words.explorerPages;
  return cut(title.trim() || (handle === null ? noTitle : `@${handle}`), NAME_MAX);
}

function cut(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}
