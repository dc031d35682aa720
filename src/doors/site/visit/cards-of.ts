import type { CardView } from "../../../catalog/channels/card.ts";
import { jsonValueOf } from "../../../values/json-text.ts";
import type { SiteContext } from "../site-context.ts";

/** Cards of the channels that a page names, by number, without those that are not public. */
export function cardsOf(
  { services }: SiteContext,
  ids: readonly number[],
): ReadonlyMap<number, CardView> {
  const cards = jsonValueOf(services.channels.cards([...new Set(ids)]));
  return new Map(cards.map((card) => [card.id, card]));
}
