import { isMatch } from "../../../catalog/post-search/match-tokens.ts";
import {
  type PostQuery,
  readPostQuery,
  type Term,
} from "../../../catalog/post-search/post-query.ts";
import type { Token } from "../../../catalog/post-search/tokens.ts";
import type { Alert } from "./alerts.table.ts";

/** What an alert asks for. */
export type Asked = Pick<Alert, "q" | "channelId" | "category" | "territory" | "isAd">;

/** What an alert's filters are tested on. */
export interface PostFacts {
  channelId: number;
  isAd: boolean;
  /** Slugs: the channel's primary and additional categories. */
  categories: readonly string[];
  /** Slugs: the channel's territory and those above it. */
  territories: readonly string[];
}

interface Kept {
  id: number;
  asked: Asked;
  query: PostQuery;
  /** Whether a post's keys alone say if it matches: no phrase, form or beginning is asked for. */
  isByKeys: boolean;
}

/**
 * Alerts by a key that each post which matches has: a stem, a `#tag` or `@handle`, or the beginning of a
 * stem. Of an alert's words the rarest is taken, so that few alerts are looked at for a post.
 */
export interface AlertIndex {
  /** Of the alerts that it was made of. */
  version: number;
  byKey: ReadonlyMap<string, readonly Kept[]>;
  /** The queries that were read, for the next index. */
  queries: ReadonlyMap<string, PostQuery>;
}

/** How often keys are in posts. */
export type KeyCounts = ReadonlyMap<string, number>;

/** @param before the index that it takes the place of: what has not changed is not read again */
export function buildIndex(
  version: number,
  alerts: readonly (Asked & { id: number })[],
  counts: KeyCounts,
  before: AlertIndex | null,
): AlertIndex {
  const byKey = new Map<string, Kept[]>();
  const queries = new Map<string, PostQuery>();
  for (const { id, ...asked } of alerts) {
    const query = queries.get(asked.q) ?? before?.queries.get(asked.q) ?? readPostQuery(asked.q);
    // A query that a former version could read, and this one cannot, matches nothing.
    if (query === null) continue;
    queries.set(asked.q, query);
    const kept = { id, asked, query, isByKeys: isByKeys(query) };
    for (const key of rarestKeys(query, counts)) {
      const others = byKey.get(key);
      if (others === undefined) byKey.set(key, [kept]);
      else others.push(kept);
    }
  }
  return { version, byKey, queries };
}

/** The keys of a text, by which alerts that may match it are found. */
export function keysOf(tokens: readonly Token[]): Set<string> {
  const keys = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== "word") keys.add(token.form);
    else {
      keys.add(token.stem);
      keys.add(beginningOf(token.stem));
    }
  }
  return keys;
}

/**
 * The alerts that a post matches.
 * @returns their numbers, and how many alerts were looked at for it
 */
export function alertsOf(
  { byKey }: AlertIndex,
  tokens: readonly Token[],
  facts: PostFacts,
): { ids: number[]; lookedAt: number } {
  const keys = keysOf(tokens);
  const candidates = new Set<Kept>();
  for (const key of keys) {
    for (const kept of byKey.get(key) ?? []) candidates.add(kept);
  }
  const ids: number[] = [];
  for (const { id, asked, query, isByKeys: isDecided } of candidates) {
    if (!isWanted(asked, facts)) continue;
    if (!query.all.every((terms) => terms.some((term) => has(term, keys)))) continue;
    const matches = isDecided
      ? !query.none.some((term) => has(term, keys))
      : isMatch(query, tokens);
    if (matches) ids.push(id);
  }
  return { ids, lookedAt: candidates.size };
}

/** Whether a post is of a channel, and of a kind, that an alert asks for. */
export function isWanted(
  { channelId, category, territory, isAd }: Asked,
  facts: PostFacts,
): boolean {
  return (
    (channelId === null || channelId === facts.channelId) &&
    (isAd === null || isAd === facts.isAd) &&
    (category === null || facts.categories.includes(category)) &&
    (territory === null || facts.territories.includes(territory))
  );
}

/** A text that matches has one of the terms of each list: of the lists the rarest is taken. */
function rarestKeys({ all }: PostQuery, counts: KeyCounts): ReadonlySet<string> {
  let rarest: { keys: ReadonlySet<string>; posts: number } | null = null;
  for (const terms of all) {
    const keys = new Set(terms.flatMap((term) => keysOfTerm(term, counts)));
    const posts = [...keys].reduce((sum, key) => sum + (counts.get(key) ?? 0), 0);
    if (rarest === null || posts < rarest.posts) rarest = { keys, posts };
  }
  return rarest?.keys ?? new Set();
}

/** Keys of which a text that has the term has one. */
function keysOfTerm(term: Term, counts: KeyCounts): string[] {
  switch (term.kind) {
    case "stems": {
      const [rarest = ""] = term.stems.toSorted(
        (one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0),
      );
      return [rarest];
    }
    case "form":
      return [term.stem];
    case "prefix":
      return [beginningOf(term.prefix), ...(term.stem === null ? [] : [term.stem])];
    default:
      return [term.form];
  }
}

function isByKeys({ all, none }: PostQuery): boolean {
  return [...all.flat(), ...none].every(
    (term) =>
      term.kind === "tag" ||
      term.kind === "handle" ||
      (term.kind === "stems" && term.stems.length === 1),
  );
}

/** Whether a text with these keys may have a term: a quick look before the words are compared. */
function has(term: Term, keys: ReadonlySet<string>): boolean {
  switch (term.kind) {
    case "stems":
      return term.stems.every((stem) => keys.has(stem));
    case "form":
      return keys.has(term.stem);
    case "prefix":
      return keys.has(beginningOf(term.prefix)) || (term.stem !== null && keys.has(term.stem));
    default:
      return keys.has(term.form);
  }
}

/** The first three characters, which each `beginning*` has; the star keeps them apart from stems. */
function beginningOf(text: string): string {
  return `${[...text].slice(0, 3).join("")}*`;
}
