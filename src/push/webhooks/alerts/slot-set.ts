/** Slots per word of a bitmap. */
const BITS = 32;
/** Longest list: adding 100 slots one by one costs as much as a bitmap of 10,000. */
const LIST_MAX = 100;

/** A bitmap with one bit per slot. */
export type Bits = Uint32Array<ArrayBuffer>;

export function bitsFor(slots: number): Bits {
  return new Uint32Array(Math.ceil(slots / BITS));
}

export function setBit(bits: Bits, slot: number, isSet: boolean): void {
  const word = slot >>> 5;
  const bit = 1 << (slot & (BITS - 1));
  bits[word] = isSet ? (bits[word] ?? 0) | bit : (bits[word] ?? 0) & ~bit;
}

/** A set of slots, stored as a list while small and as a bitmap otherwise. */
export class SlotSet {
  private list: number[] | null = [];
  private bits: Bits = bitsFor(0);
  size = 0;

  /**
   * Adds a slot that is not in the set.
   * @param slots number of possible slots, which may have grown since the previous call
   */
  add(slot: number, slots: number): void {
    this.size += 1;
    if (this.list !== null && this.list.length < LIST_MAX) this.list.push(slot);
    else {
      this.toBits(slots);
      setBit(this.bits, slot, true);
    }
  }

  /** Removes a slot that is in the set. */
  remove(slot: number): void {
    this.size -= 1;
    if (this.list === null) setBit(this.bits, slot, false);
    else this.list.splice(this.list.indexOf(slot), 1);
  }

  /** Sets the bits of its slots in a bitmap. */
  addTo(bits: Bits): void {
    if (this.list !== null) {
      for (const slot of this.list) setBit(bits, slot, true);
      return;
    }
    const own = this.bits;
    for (let at = 0; at < own.length; at += 1) bits[at] = (bits[at] ?? 0) | (own[at] ?? 0);
  }

  private toBits(slots: number): void {
    const before = this.bits;
    const list = this.list ?? [];
    if (this.list === null && before.length >= bitsFor(slots).length) return;
    this.bits = bitsFor(slots);
    this.bits.set(before);
    for (const slot of list) setBit(this.bits, slot, true);
    this.list = null;
  }
}
