import type { Key } from "./keys.table.ts";

export type KeyUse = ReturnType<typeof createKeyUse>;

/** Writes when a key was used; nobody waits for it. */
export type CommitKeyUse = (keyId: number, usedAt: number) => void;

const WRITE_INTERVAL_MS = 60_000;

/** Notes the last use of keys, written at most once a minute each (decisions, section 5). */
export function createKeyUse(commit: CommitKeyUse) {
  const noted = new Map<number, number>();

  /** What was noted last, by this process or as it is stored; null: never used. */
  function lastUsedAt(key: Key): number | null {
    const here = noted.get(key.id) ?? null;
    return here === null ? key.lastUsedAt : Math.max(here, key.lastUsedAt ?? 0);
  }

  return {
    lastUsedAt,

    note(key: Key, nowMs: number): void {
      if (nowMs - (lastUsedAt(key) ?? 0) < WRITE_INTERVAL_MS) return;
      noted.set(key.id, nowMs);
      commit(key.id, nowMs);
    },
  };
}
