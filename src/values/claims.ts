/** Names of which each is taken by one at a time: in this process, or of all workers (shared-claims.ts). */
export interface Claims {
  /** False where it is taken. */
  take(name: string): boolean;
  giveBack(name: string): void;
}

/** Claims of a process that serves alone. */
export function createOwnClaims(): Claims {
  const taken = new Set<string>();
  return {
    take: (name) => !taken.has(name) && taken.add(name) === taken,
    giveBack: (name) => void taken.delete(name),
  };
}

/** Takes the first of some numbered places that is free. @returns its name, or null where none is */
export function takeOneOf(claims: Claims, of: string, count: number): string | null {
  for (let at = 0; at < count; at++) {
    const name = `${of} ${at}`;
    if (claims.take(name)) return name;
  }
  return null;
}
