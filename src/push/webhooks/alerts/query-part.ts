import { bitsFor, SlotSet, setBit } from "./slot-set.ts";

/** One part of all alerts' queries: the terms that they exclude, or their list of terms at one position. */
export class QueryPart {
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
