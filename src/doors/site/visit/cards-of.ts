import type { CardView } from "../../../catalog/channels/card.ts";
import { jsonValueOf } from "../../../values/json-text.ts";
import { useSite } from "./use-visit.ts";

/** Cards of the channels that a page names, by number, without those that are not public. */
export function cardsOf(ids: readonly number[]): ReadonlyMap<number, CardView> {
  const cards = jsonValueOf(useSite().services.channels.cards([...new Set(ids)]));
  return new Map(cards.map((card) => [card.id, card]));
}
