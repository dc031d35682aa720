import { instantJson } from "../fields/stored-field.ts";
import { type CardView, type ChannelRecord, toCard } from "./card.ts";

/**
 * Cards of public channels are stored as the JSON that is shown, made when they change and read as they
 * lie. In the place of each value that changes daily there is a mark, a control character, which JSON
 * has none of: refreshing a channel's numbers writes no card.
 */
const MARKS: { readonly [Name in keyof CardView]?: string } = {
  subscribers: "\u0001",
  last_post_at: "\u0002",
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

/** Whether a column's value is no part of the stored card. */
export function isMarked(column: string): boolean {
  return column in MARKS;
}
