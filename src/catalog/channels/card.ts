import { formatInstant } from "../../values/moscow-time.ts";
import type { ChannelKind } from "./channel-kind.ts";

/** A channel's card as the API shows it (decisions, section 2). */
export interface CardView {
  id: number;
  handle: string | null;
  title: string;
  description: string | null;
  link: string | null;
  image: string | null;
  kind: ChannelKind;
  subscribers: number;
  category: string | null;
  categories: string[];
  territory: string | null;
  a_plus: boolean;
  verified: boolean;
  quality: number | null;
  citation: number | null;
  last_post_at: string | null;
}

/** SQL: a card's columns, of `channels c` and `channel_cards k`. */
export const CARD_COLUMNS = `
  c.id, k.handle, k.title, k.description, k.link, k.image, c.kind, c.subscribers, k.category,
  k.categories, k.territory, k.a_plus, k.verified, c.quality, c.citation, c.last_post_at`;

/** A card's fields as they are stored; `categories` are separated by spaces. */
export interface CardRow
  extends Omit<CardView, "categories" | "a_plus" | "verified" | "last_post_at"> {
  categories: string;
  a_plus: number;
  verified: number;
  last_post_at: number | null;
}

/** Copies name by name: a row may have more columns than a card shows. */
export function toCard(row: CardRow): CardView {
  return {
    id: row.id,
    handle: row.handle,
    title: row.title,
    description: row.description,
    link: row.link,
    image: row.image,
    kind: row.kind,
    subscribers: row.subscribers,
    category: row.category,
    categories: splitCategories(row.categories),
    territory: row.territory,
    a_plus: row.a_plus === 1,
    verified: row.verified === 1,
    quality: row.quality,
    citation: row.citation,
    last_post_at: row.last_post_at === null ? null : formatInstant(row.last_post_at),
  };
}

/** Slugs of the additional categories from the text in which they are stored. */
export function splitCategories(text: string): string[] {
  return text === "" ? [] : text.split(" ");
}
