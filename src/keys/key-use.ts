import type { Key } from "./keys.table.ts";

export type KeyUse = ReturnType<typeof createKeyUse>;

/** Writes when a key was used; nobody waits for it. */
export type CommitKeyUse = (keyId: number, usedAt: number) => void;

const WRITE_INTERVAL_MS = 60_000;

/** Notes the last use of keys, written at most once a minute each (decisions, section 5). */
export function createKeyUse(commit: CommitKeyUse) {
  const written = new Map<number, number>();
  return {
    note(key: Key, nowMs: number): void {
      const lastMs = Math.max(key.lastUsedAt ?? 0, written.get(key.id) ?? 0);
      if (nowMs - lastMs < WRITE_INTERVAL_MS) return;
      written.set(key.id, nowMs);
      commit(key.id, nowMs);
    },
  };
}
