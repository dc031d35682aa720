import type { UsageEntry } from "./usage.store.ts";

export type UsageOfRequest = Omit<UsageEntry, "requests">;

/** Requests to be committed together: those of the same kind share an entry. */
export function createUsageBatch() {
  const entries: UsageEntry[] = [];
  /** Indexes into `entries`, by key. A key has few, so a matching entry is found by trying each. */
  const places = new Map<number, number[]>();
  return {
    entries,

    /** @returns index of the request's entry, and the request's own index among the entry's requests */
    add(request: UsageOfRequest): [at: number, nth: number] {
      const ofKey = places.get(request.keyId) ?? [];
      const at = ofKey.find((place) => isSameKind(entries[place] as UsageEntry, request));
      if (at === undefined) {
        places.set(request.keyId, [...ofKey, entries.length]);
        entries.push({ ...request, requests: 1 });
        return [entries.length - 1, 1];
      }
      const entry = entries[at] as UsageEntry;
      entry.requests += 1;
      return [at, entry.requests];
    },
  };
}

function isSameKind(entry: UsageEntry, request: UsageOfRequest): boolean {
  return (
    entry.method === request.method &&
    entry.status === request.status &&
    entry.units === request.units &&
    entry.isPart === request.isPart &&
    entry.planStartedAt === request.planStartedAt &&
    entry.endsAt === request.endsAt &&
    entry.quota === request.quota &&
    entry.organizationId === request.organizationId &&
    entry.copy?.version === request.copy?.version
  );
}
