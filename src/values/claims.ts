/**
 * Names that only one holder can take at a time: in this process, or across all workers (shared-claims.ts).
 */
export interface Claims {
  /** False if it is already taken. */
  take(name: string): boolean;
  giveBack(name: string): void;
}

export function createOwnClaims(): Claims {
  const taken = new Set<string>();
  return {
    take: (name) => !taken.has(name) && taken.add(name) === taken,
    giveBack: (name) => void taken.delete(name),
  };
}

/**
 * Takes the first free slot of several with one name, numbered from 0.
 * @returns the slot's name, to be given back; null if none is free
 */
export function takeOneOf(claims: Claims, name: string, count: number): string | null {
  for (let at = 0; at < count; at++) {
    const slot = `${name} ${at}`;
    if (claims.take(slot)) return slot;
  }
  return null;
}
