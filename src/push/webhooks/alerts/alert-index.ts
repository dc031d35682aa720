import { readPostQuery, type Term } from "../../../catalog/post-search/post-query.ts";
import type { Token } from "../../../catalog/post-search/tokens.ts";
import type { Alert } from "./alerts.table.ts";
import { bitsFor, createTermFinder, SlotSet, setBit } from "./term-finder.ts";

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

interface Registered {
  term: Term;
  number: number;
  /** How many terms of alerts share it. */
  uses: number;
}

/** The terms of all alerts, each with a number shared by the alerts that use it. */
function createAlertTerms() {
  const byKey = new Map<string, Registered>();
  const byNumber: (Registered | undefined)[] = [];
  const free: number[] = [];
  const finder = createTermFinder();
  return {
    /** Number of a term, which is registered if it is new. */
    acquire(term: Term): number {
      const key = keyOf(term);
      const registered = byKey.get(key);
      if (registered !== undefined) {
        registered.uses += 1;
        return registered.number;
      }
      const number = free.pop() ?? byNumber.length;
      const added = { term, number, uses: 1 };
      byKey.set(key, added);
      byNumber[number] = added;
      finder.add(term, number);
      return number;
    },

    /** Reverses one `acquire` of a term; the last one removes it. */
    release(number: number): void {
      const registered = byNumber[number];
      if (registered === undefined) return;
      registered.uses -= 1;
      if (registered.uses > 0) return;
      finder.remove(registered.term, number);
      byKey.delete(keyOf(registered.term));
      byNumber[number] = undefined;
      free.push(number);
    },

    /** Numbers of the terms that a text contains. */
    findIn: finder.findIn,
  };
}

/** A key for a term: terms that match the same words share one. */
function keyOf(term: Term): string {
  switch (term.kind) {
    case "stems":
      return term.stems.map((alternatives) => alternatives.join("|")).join(" ");
    case "form":
      return `=${term.form}`;
    case "prefix":
      return `${term.prefix}*`;
    default:
      return term.form;
  }
}

/** One part of all alerts' queries: the terms that they exclude, or their list of terms at one position. */
class QueryPart {
  /** Slots of the alerts that have this part. */
  present;
  /** Slots of the alerts that have a term in this part which the current post contains. */
  hits;
  /** Slots of alerts by the number of a term in this part. */
  private readonly byTerm = new Map<number, SlotSet>();

  constructor(private slots: number) {
    this.present = bitsFor(slots);
    this.hits = bitsFor(slots);
  }

  grow(slots: number): void {
    const { present } = this;
    this.slots = slots;
    this.present = bitsFor(slots);
    this.present.set(present);
    this.hits = bitsFor(slots);
  }

  add(numbers: readonly number[], slot: number): void {
    setBit(this.present, slot, true);
    for (const number of new Set(numbers)) {
      const set = this.byTerm.get(number) ?? new SlotSet();
      set.add(slot, this.slots);
      this.byTerm.set(number, set);
    }
  }

  remove(numbers: readonly number[], slot: number): void {
    setBit(this.present, slot, false);
    for (const number of new Set(numbers)) {
      const set = this.byTerm.get(number);
      set?.remove(slot);
      if (set?.size === 0) this.byTerm.delete(number);
    }
  }

  /** Sets `hits` for a post that contains these terms. */
  hit(found: readonly number[]): void {
    this.hits.fill(0);
    for (const number of found) this.byTerm.get(number)?.addTo(this.hits);
  }
}
