import type { Key } from "./keys.table.ts";

export type KeyUse = ReturnType<typeof createKeyUse>;

export interface UsedKey {
  keyId: number;
  usedAt: number;
}

const WRITE_INTERVAL_MS = 60_000;

/** Records when keys were last used: at most once a minute each, together with the request's usage. */
export function createKeyUse() {
  const recorded = new Map<number, number>();
  let unwritten: UsedKey[] = [];

  /** The last use that is stored or that this process recorded; null if never used. */
  function lastUsedAt(key: Key): number | null {
    const here = recorded.get(key.id) ?? null;
    return here === null ? key.lastUsedAt : Math.max(here, key.lastUsedAt ?? 0);
  }

  return {
    lastUsedAt,

    note(key: Key, nowMs: number): void {
      if (nowMs - (lastUsedAt(key) ?? 0) < WRITE_INTERVAL_MS) return;
      recorded.set(key.id, nowMs);
      unwritten.push({ keyId: key.id, usedAt: nowMs });
    },

    take(): UsedKey[] {
      const taken = unwritten;
      unwritten = [];
      return taken;
    },

    /** Takes back uses that could not be written: the key's next use records them again. */
    giveBack(uses: readonly UsedKey[]): void {
      for (const { keyId } of uses) recorded.delete(keyId);
    },
  };
}
