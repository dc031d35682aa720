/** @jsxImportSource hono/jsx */
import type { CardAnswer } from "../../../catalog/channels/stored-card.ts";
import { ChangeText, channelPath, pageLink, shownNumber, useReader } from "./reader.tsx";

const TINTS = 6;
const LETTERS = 2;

/** The first letters of a title, in a colour of the channel's own. */
export function Initials({ id, title }: Pick<CardAnswer, "id" | "title">) {
  const words = title.match(/[\p{L}\p{N}]+/gu) ?? ["#"];
  const letters = words.slice(0, LETTERS).map((word) => [...word][0] ?? "");
  return (
    <span class={`avatar tint-${id % TINTS}`} aria-hidden="true">
      {letters.join("").toUpperCase()}
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
    <span title={words.channelFields.subscribers}>{shownNumber(card.subscribers)}</span>
  );
  const change = (
    <ChangeText change={growth_30d} percent={isByGrowth ? growth_30d_percent : null} />
  );
  return (
    <li>
      <Initials {...card} />
      <span class="name">
        {card.handle === null ? (
          title
        ) : (
          <a href={pageLink(reader, channelPath(card.handle))}>{title}</a>
        )}
        <small>
          {card.handle !== null && `@${card.handle}`}
          {card.verified && (
            <span class="verified" title={words.channelFields.verified}>
              ✓<span class="hidden"> {words.channelFields.verified}</span>
            </span>
          )}
        </small>
      </span>
      <span class="figure">
        {isByGrowth ? change : subscribers}
        <small>{isByGrowth ? subscribers : hasCharts && change}</small>
      </span>
    </li>
  );
}
