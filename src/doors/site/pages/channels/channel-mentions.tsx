/** @jsxImportSource hono/jsx */
import type { CardView } from "../../../../catalog/channels/card.ts";
import {
  MENTION_KINDS,
  type Mention,
  type Neighbour,
} from "../../../../catalog/mentions/mention.ts";
import { AppError } from "../../../../errors.ts";
import type { Page } from "../../../../values/json-text.ts";
import { channelsRetrieve } from "../../../../verbs/channels.ts";
import { channelMentionsList } from "../../../../verbs/mentions.ts";
import { ChannelLink, titleOf } from "../../look/channel-link.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { Pager } from "../../look/pager.tsx";
import { shownNumber } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { cardsOf } from "../../visit/cards-of.ts";
import { lookUp, orRefusal } from "../../visit/look-up.ts";
import { asset } from "../../visit/site-path.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { page } from "../../visit/view.ts";
import { givenOf } from "./catalog-filter.ts";
import { MentionItems } from "./channel-mentioned.tsx";
import { namedChannel } from "./named-channel.ts";
import { Neighbourhood } from "./neighbourhood.tsx";
import { refusalText } from "./refusal-text.ts";

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
          <p class="notice">{await refusalText(found, words.closed)}</p>
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
  const words = useVisit().words.mentionPages;
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
              words.channel,
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
