/** @jsxImportSource hono/jsx */
import type { CardAnswer } from "../../../catalog/channels/stored-card.ts";
import { hasPicture, initialsOf, TINTS } from "../look/channel-link.tsx";
import {
  ChangeText,
  channelPath,
  linkTo,
  pageLink,
  type Reader,
  subscribersText,
  useReader,
} from "./reader.tsx";

/** The same in each language. */
const pictureLink = (reader: Reader, handle: string): string =>
  linkTo(reader, `${channelPath(handle)}picture`);

/** A channel's picture on top of its initials, which show if there is none. */
export function PublicAvatar({
  id,
  title,
  handle,
  image,
}: Pick<CardAnswer, "id" | "title" | "handle" | "image">) {
  const reader = useReader();
  return (
    <span class={`avatar tint-${id % TINTS}`} aria-hidden="true">
      {initialsOf(title)}
      {handle !== null && hasPicture(image) && (
        <img src={pictureLink(reader, handle)} alt="" loading="lazy" />
      )}
    </span>
  );
}

/** A channel's title; a text in its place if it has none. */
export function titleOf({ title }: Pick<CardAnswer, "title">): string {
  return title.trim() === "" ? useReader().words.explorerPages.noTitle : title.trim();
}

/** Channels in their order, numbered. */
export function ChannelList({
  cards,
  label,
  isByGrowth = false,
}: {
  cards: readonly CardAnswer[];
  label: string;
  isByGrowth?: boolean;
}) {
  return (
    <ol class="channels" aria-label={label}>
      {cards.map((card) => (
        <Row card={card} isByGrowth={isByGrowth} />
      ))}
    </ol>
  );
}

function Row({ card, isByGrowth }: { card: CardAnswer; isByGrowth: boolean }) {
  const reader = useReader();
  const { words, hasCharts } = reader;
  const title = <bdi>{titleOf(card)}</bdi>;
  const { growth_30d = null, growth_30d_percent = null } = card.metrics ?? {};
  const subscribers = (
    <span title={words.channelFields.subscribers}>{subscribersText(reader.language, card)}</span>
  );
  const change = (
    <ChangeText change={growth_30d} percent={isByGrowth ? growth_30d_percent : null} />
  );
  return (
    <li>
      <PublicAvatar {...card} />
      <span class="name">
        {card.handle === null ? (
          title
        ) : (
          <a href={pageLink(reader, channelPath(card.handle))}>{title}</a>
        )}
        {card.verified && (
          <span class="verified" title={words.channelFields.verified}>
            ✓<span class="hidden"> {words.channelFields.verified}</span>
          </span>
        )}
        <small>{card.handle !== null && `@${card.handle}`}</small>
      </span>
      <span class="figure">
        {isByGrowth ? change : subscribers}
        <small>{isByGrowth ? subscribers : hasCharts && change}</small>
      </span>
    </li>
  );
}
