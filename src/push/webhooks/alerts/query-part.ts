import { bitsFor, SlotSet, setBit } from "./slot-set.ts";

/** One part of all alerts' queries: the terms they exclude, or their alternative terms at one position. */
export class QueryPart {
  /** Alerts that have this part. */
  asks;
  /** Alerts of which the current post contains a term. */
  hits;
  /** Alerts by the number of a term in this part. */
  private readonly byTerm = new Map<number, SlotSet>();

  constructor(private slots: number) {
    this.asks = bitsFor(slots);
    this.hits = bitsFor(slots);
  }

  grow(slots: number): void {
    const { asks } = this;
    this.slots = slots;
    this.asks = bitsFor(slots);
    this.asks.set(asks);
    this.hits = bitsFor(slots);
  }

  add(numbers: readonly number[], slot: number): void {
    setBit(this.asks, slot, true);
    for (const number of new Set(numbers)) {
      const set = this.byTerm.get(number) ?? new SlotSet();
      set.add(slot, this.slots);
      this.byTerm.set(number, set);
    }
  }

  remove(numbers: readonly number[], slot: number): void {
    setBit(this.asks, slot, false);
    for (const number of new Set(numbers)) {
      const set = this.byTerm.get(number);
      set?.remove(slot);
      if (set?.size === 0) this.byTerm.delete(number);
    }
  }

  /** Records which alerts a post with these terms hits. */
  hit(found: readonly number[]): void {
    this.hits.fill(0);
    for (const number of found) this.byTerm.get(number)?.addTo(this.hits);
  }
}
