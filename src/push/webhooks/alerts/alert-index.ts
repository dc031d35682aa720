import { readPostQuery } from "../../../catalog/post-search/post-query.ts";
import type { Token } from "../../../catalog/post-search/tokens.ts";
import { createAlertTerms } from "./alert-terms.ts";
import type { Alert } from "./alerts.table.ts";
import { QueryPart } from "./query-part.ts";

/** An alert's query and filters. */
export type Asked = Pick<Alert, "q" | "channelId" | "category" | "territory" | "isAd">;

/** Facts about a post, on which an alert's filters are tested. */
export interface PostFacts {
  channelId: number;
  isAd: boolean;
  /** Slugs: the channel's primary and additional categories. */
  categories: readonly string[];
  /** Slugs: the channel's territory and those above it. */
  territories: readonly string[];
}

export type AlertIndex = ReturnType<typeof createAlertIndex>;

/** An alert at its slot, with the numbers of its terms. */
interface Kept {
  id: number;
  asked: Asked;
  slot: number;
  /** A match has one of each list. */
  all: number[][];
  /** A match has none of these. */
  none: number[];
}

const SLOTS_MIN = 1024;

/**
 * Alerts by the terms that they ask for. Each alert has a slot, and a bit in what is compared: which terms a
 * post has is found once for all alerts (alert-terms.ts), and with the bits of those terms all alerts are
 * decided, 32 at a time. So a post costs about the same whatever the alerts ask for: `bun test/bench/alerts.ts`.
 */
export function createAlertIndex() {
  const terms = createAlertTerms();
  const byId = new Map<number, Kept>();
  const bySlot: (Kept | undefined)[] = [];
  const free: number[] = [];
  let slots = SLOTS_MIN;
  const excluded = new QueryPart(slots);
  /** Parts of lists, by the place that a list has in its query. */
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

    /** Adds an alert, or takes it as it is now. */
    put(id: number, asked: Asked): void {
      remove(id);
      const query = readPostQuery(asked.q);
      // A query that a former version could read, and this one cannot, matches nothing.
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

    /** The numbers of the alerts that a post matches. */
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

/** Slots of alerts none of whose excluded terms the post has, and of each of whose lists it has one. */
function slotsThatMatch(excluded: QueryPart, lists: readonly QueryPart[]): number[] {
  const slots: number[] = [];
  for (let word = 0; word < excluded.hits.length; word += 1) {
    // The first list is one that all alerts have.
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

/** Whether a post is of a channel, and of a kind, that an alert asks for. */
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
