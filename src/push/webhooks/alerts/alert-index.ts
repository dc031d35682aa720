import { readPostQuery } from "../../../catalog/post-search/post-query.ts";
import type { Token } from "../../../catalog/post-search/tokens.ts";
import { createAlertTerms } from "./alert-terms.ts";
import type { Alert } from "./alerts.table.ts";
import { QueryPart } from "./query-part.ts";

/** An alert's query and filters. */
export type Asked = Pick<Alert, "q" | "channelId" | "category" | "territory" | "isAd">;

/** Facts about a post that an alert's filters are tested on. */
export interface PostFacts {
  channelId: number;
  isAd: boolean;
  /** Slugs of the channel's primary and additional categories. */
  categories: readonly string[];
  /** Slugs of the channel's territory and its ancestors. */
  territories: readonly string[];
}

export type AlertIndex = ReturnType<typeof createAlertIndex>;

/** An alert in its slot, with the numbers of its terms. */
interface Kept {
  id: number;
  asked: Asked;
  slot: number;
  /** A match contains at least one term of each list. */
  all: number[][];
  /** A match contains none of these. */
  none: number[];
}

const SLOTS_MIN = 1024;

/**
 * An index of alerts by their terms. Each alert has a slot, which is one bit in the bitmaps. A post's terms
 * are found once for all alerts (alert-terms.ts); the bitmaps of these terms then decide all alerts, 32 at
 * a time. A post therefore costs about the same, whatever the alerts search for: `bun
 * test/bench/alerts.ts`.
 */
export function createAlertIndex() {
  const terms = createAlertTerms();
  const byId = new Map<number, Kept>();
  const bySlot: (Kept | undefined)[] = [];
  const free: number[] = [];
  let slots = SLOTS_MIN;
  const excluded = new QueryPart(slots);
  /** Parts for lists, by the position of a list in its query. */
  const lists: QueryPart[] = [];

  function newSlot(): number {
    const slot = free.pop() ?? byId.size;
    if (slot < slots) return slot;
    slots *= 2;
    for (const part of [excluded, ...lists]) part.grow(slots);
    return slot;
  }

  function remove(id: number): void {
    const kept = byId.get(id);
    if (kept === undefined) return;
    const { slot, all, none } = kept;
    excluded.remove(none, slot);
    for (const [at, numbers] of all.entries()) lists[at]?.remove(numbers, slot);
    for (const number of [...none, ...all.flat()]) terms.release(number);
    byId.delete(id);
    bySlot[slot] = undefined;
    free.push(slot);
  }

  return {
    get size(): number {
      return byId.size;
    },
    remove,

    /** Adds an alert, or replaces it with its current state. */
    put(id: number, asked: Asked): void {
      remove(id);
      const query = readPostQuery(asked.q);
      // A query that only an earlier version could parse matches nothing.
      if (query === null) return;
      const slot = newSlot();
      const none = query.none.map(terms.take);
      const all = query.all.map((list) => list.map(terms.take));
      const kept = { id, asked, slot, all, none };
      excluded.add(none, slot);
      while (lists.length < all.length) lists.push(new QueryPart(slots));
      for (const [at, numbers] of all.entries()) lists[at]?.add(numbers, slot);
      byId.set(id, kept);
      bySlot[slot] = kept;
    },

    /** Numbers of the alerts that a post matches. */
    alertsOf(tokens: readonly Token[], facts: PostFacts): number[] {
      const found = terms.findIn(tokens);
      for (const part of [excluded, ...lists]) part.hit(found);
      const ids: number[] = [];
      for (const slot of slotsThatMatch(excluded, lists)) {
        const kept = bySlot[slot];
        if (kept !== undefined && isWanted(kept.asked, facts)) ids.push(kept.id);
      }
      return ids;
    },
  };
}

/** Slots of alerts for which the post contains no excluded term, and a term of each list. */
function slotsThatMatch(excluded: QueryPart, lists: readonly QueryPart[]): number[] {
  const slots: number[] = [];
  for (let word = 0; word < excluded.hits.length; word += 1) {
    // Every alert has a first list.
    let matching = (lists[0]?.hits[word] ?? 0) & ~(excluded.hits[word] ?? 0);
    for (const { asks, hits } of lists) {
      if (matching === 0) break;
      matching &= (hits[word] ?? 0) | ~(asks[word] ?? 0);
    }
    for (; matching !== 0; matching &= matching - 1) {
      slots.push(32 * word + 31 - Math.clz32(matching & -matching));
    }
  }
  return slots;
}

/** Whether a post's channel and kind satisfy an alert's filters. */
export function isWanted(
  { channelId, category, territory, isAd }: Asked,
  facts: PostFacts,
): boolean {
  return (
    (channelId === null || channelId === facts.channelId) &&
    (isAd === null || isAd === facts.isAd) &&
    (category === null || facts.categories.includes(category)) &&
    (territory === null || facts.territories.includes(territory))
  );
}
