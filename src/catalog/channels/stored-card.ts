import type { JsonText } from "../../values/json-text.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import { instantJson } from "../fields/stored-field.ts";
import { type CardView, type ChannelRecord, toCard } from "./card.ts";

/**
 * Cards of public channels are stored as the JSON that is shown, made when they change and read as they
 * lie. In the place of each value that changes daily there is a mark, a control character, which JSON
 * has none of: refreshing a channel's numbers writes no card.
 */
const SUBSCRIBERS = "\u0001";
const LAST_POST = "\u0002";
const MARKS: { readonly [Name in keyof CardView]?: string } = {
  subscribers: SUBSCRIBERS,
  last_post_at: LAST_POST,
};

export function storedCard(record: ChannelRecord): string {
  const members = Object.entries(toCard(record)).map(
    ([name, value]) => `"${name}":${MARKS[name as keyof CardView] ?? JSON.stringify(value)}`,
  );
  return `{${members.join(",")}}`;
}

/** SQL: the card of `public_cards p` with the values of `channels c`; instants in Moscow's time. */
export const CARD_JSON = `replace(replace(p.json, char(1), c.subscribers), char(2),
  ${instantJson("c.last_post_at")})`;

/** A stored card, and the values that it has marks for. */
export interface CardParts extends Pick<ChannelRecord, "subscribers" | "last_post_at"> {
  json: string;
}

/** SQL: the columns of `CardParts`. */
export const CARD_PARTS = "p.json, c.subscribers, c.last_post_at";

/**
 * The same for a card alone, whose two marks stand in this order: SQLite's `replace` and `strftime` took half of the
 * 6 us of finding a card. Lists of cards have `CARD_JSON`, since SQLite joins them into one text.
 */
export function filledCard({ json, subscribers, last_post_at }: CardParts): JsonText<CardView> {
  const [first, second] = [json.indexOf(SUBSCRIBERS), json.indexOf(LAST_POST)];
  const lastPost = last_post_at === null ? "null" : `"${formatInstant(last_post_at)}"`;
  const between = json.slice(first + 1, second);
  return `${json.slice(0, first)}${subscribers}${between}${lastPost}${json.slice(second + 1)}` as JsonText<CardView>;
}

/** Whether a column's value is no part of the stored card. */
export function isMarked(column: string): boolean {
  return column in MARKS;
}
