import { readPostQuery } from "../../../catalog/post-search/post-query.ts";
import type { Token } from "../../../catalog/post-search/tokens.ts";
import { createAlertTerms } from "./alert-terms.ts";
import type { Alert } from "./alerts.table.ts";
import { QueryPart } from "./query-part.ts";

/** What a post must be like to match an alert: its query and filters. */
export type AlertCriteria = Pick<Alert, "q" | "channelId" | "category" | "territory" | "isAd">;

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

/** An alert in the index: its slot, and the numbers of its terms. */
interface IndexedAlert {
  id: number;
  criteria: AlertCriteria;
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
 * a time. A post therefore costs about the same, whatever the alerts search for; `bun test/bench/alerts.ts`
 * measures it.
 */
export function createAlertIndex() {
  const terms = createAlertTerms();
  const byId = new Map<number, IndexedAlert>();
  const bySlot: (IndexedAlert | undefined)[] = [];
  const free: number[] = [];
  let slots = SLOTS_MIN;
  const excluded = new QueryPart(slots);
  /** Lists of alternative terms by position: the first list of each alert's query, and so on. */
  const lists: QueryPart[] = [];

  function newSlot(): number {
    const slot = free.pop() ?? byId.size;
    if (slot < slots) return slot;
    slots *= 2;
    for (const part of [excluded, ...lists]) part.grow(slots);
    return slot;
  }

  function remove(id: number): void {
    const indexed = byId.get(id);
    if (indexed === undefined) return;
    const { slot, all, none } = indexed;
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

    /** Adds an alert, or replaces it. */
    put(id: number, criteria: AlertCriteria): void {
      remove(id);
      const query = readPostQuery(criteria.q);
      // A query that only an earlier version could parse matches nothing.
      if (query === null) return;
      const slot = newSlot();
      const none = query.none.map(terms.acquire);
      const all = query.all.map((list) => list.map(terms.acquire));
      const indexed = { id, criteria, slot, all, none };
      excluded.add(none, slot);
      while (lists.length < all.length) lists.push(new QueryPart(slots));
      for (const [at, numbers] of all.entries()) lists[at]?.add(numbers, slot);
      byId.set(id, indexed);
      bySlot[slot] = indexed;
    },

    /** Numbers of the alerts that a post matches, by its tokens and facts. */
    alertsOf(tokens: readonly Token[], facts: PostFacts): number[] {
      const found = terms.findIn(tokens);
      for (const part of [excluded, ...lists]) part.hit(found);
      const ids: number[] = [];
      for (const slot of slotsThatMatch(excluded, lists)) {
        const indexed = bySlot[slot];
        if (indexed !== undefined && satisfiesFilters(indexed.criteria, facts))
          ids.push(indexed.id);
      }
      return ids;
    },
  };
}

/** Slots of alerts for which the post contains no excluded term, and a term of each list. */
function slotsThatMatch(excluded: QueryPart, lists: readonly QueryPart[]): number[] {
  const slots: number[] = [];
  for (let word = 0; word < excluded.hits.length; word += 1) {
    // Every alert has a first list, and a term of it is needed; further lists count only if it has them.
    let matching = (lists[0]?.hits[word] ?? 0) & ~(excluded.hits[word] ?? 0);
    for (const { present, hits } of lists) {
      if (matching === 0) break;
      matching &= (hits[word] ?? 0) | ~(present[word] ?? 0);
    }
    for (; matching !== 0; matching &= matching - 1) {
      slots.push(32 * word + 31 - Math.clz32(matching & -matching));
    }
  }
  return slots;
}

/** Whether a post satisfies an alert's filters; its text is not considered. */
export function satisfiesFilters(
  { channelId, category, territory, isAd }: AlertCriteria,
  facts: PostFacts,
): boolean {
  return (
    (channelId === null || channelId === facts.channelId) &&
    (isAd === null || isAd === facts.isAd) &&
    (category === null || facts.categories.includes(category)) &&
    (territory === null || facts.territories.includes(territory))
  );
}
