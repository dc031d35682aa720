import type { JsonText } from "../../values/json-text.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import { instantJson } from "../fields/stored-field.ts";
import { type CardView, type ChannelRecord, toCard } from "./card.ts";

/**
 * A public channel's card is stored as the JSON to be shown, which is built when it changes and then read
 * as it is. Values that change daily are replaced by control characters as placeholders, which JSON never
 * contains, so refreshing a channel's numbers writes no card.
 */
const SUBSCRIBERS = "\u0001";
const LAST_POST = "\u0002";
const PLACEHOLDERS: { readonly [Name in keyof CardView]?: string } = {
  subscribers: SUBSCRIBERS,
  last_post_at: LAST_POST,
};

export function storedCard(record: ChannelRecord): string {
  const members = Object.entries(toCard(record)).map(
    ([name, value]) => `"${name}":${PLACEHOLDERS[name as keyof CardView] ?? JSON.stringify(value)}`,
  );
  return `{${members.join(",")}}`;
}

/** SQL: card of `public_cards p` with values from `channels c`; instants in Moscow time. */
export const CARD_JSON = `replace(replace(p.json, char(1), c.subscribers), char(2),
  ${instantJson("c.last_post_at")})`;

/** A stored card and the values for its placeholders. */
export interface CardParts extends Pick<ChannelRecord, "subscribers" | "last_post_at"> {
  json: string;
}

/** SQL: columns of `CardParts`. */
export const CARD_PARTS = "p.json, c.subscribers, c.last_post_at";

/**
 * Fills in a single card, whose two placeholders come in this order: SQLite's `replace` and `strftime` took
 * half of the 6 us of finding a card. Lists use `CARD_JSON`, because SQLite joins them into one text.
 */
export function filledCard({ json, subscribers, last_post_at }: CardParts): JsonText<CardView> {
  const first = json.indexOf(SUBSCRIBERS);
  const second = json.indexOf(LAST_POST);
  const lastPost = last_post_at === null ? "null" : `"${formatInstant(last_post_at)}"`;
  const between = json.slice(first + 1, second);
  return `${json.slice(0, first)}${subscribers}${between}${lastPost}${json.slice(second + 1)}` as JsonText<CardView>;
}

/** Whether the stored card has a placeholder for this column. */
export function hasPlaceholder(column: string): boolean {
  return column in PLACEHOLDERS;
}
