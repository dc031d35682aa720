import { facet, foldForSearch, markFacet, trigramsOf } from "../channels/search-text.ts";
import type {
  CatalogFilter,
  CatalogOrdering,
  CatalogPosition,
  CatalogSelection,
} from "./catalog.ts";
import type { Expression, Term } from "./search-terms.ts";

export const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** SQL: a term stands in the search text, or does not. */
export interface TextTest {
  term: string;
  sql: string;
}

/** A selection as all plans take it: SQL conditions on `channels c`, and the values they name. */
export interface Asked {
  filter: CatalogFilter;
  ordering: CatalogOrdering;
  column: "subscribers" | "quality" | "citation" | "last_post_at";
  /** The index that has channels in this ordering. */
  index: string;
  /** SQL: the range of subscribers. */
  range: string;
  /** A range of subscribers in another ordering, whose walk also meets channels out of the range. */
  isRangeApart: boolean;
  /** Each term stands in the search text, or does not. */
  tests: readonly TextTest[];
  /** Terms that the search text of each match has; none where nothing is searched. */
  terms: readonly Term[];
  after: CatalogPosition | null;
  values: Record<string, string | number | null>;
  /** Channels to be found: one more than the page has tells whether another page follows. */
  limit: number;
}

/** A selection with the expression that the search index is asked for; null where nothing is searched. */
export interface Query extends Asked {
  expression: Expression | null;
}

const INDEXES: Record<CatalogOrdering, Pick<Asked, "column" | "index">> = {
  "-subscribers": { column: "subscribers", index: "channels_by_subscribers" },
  "-quality": { column: "quality", index: "channels_by_quality" },
  "-citation": { column: "citation", index: "channels_by_citation" },
  "-last_post_at": { column: "last_post_at", index: "channels_by_last_post" },
};

export function readSelection(selection: CatalogSelection): Asked {
  const { filter, ordering, after } = selection;
  const { subscribersMin: min, subscribersMax: max } = filter;
  const text = filter.text === null ? null : foldForSearch(filter.text);
  const { facets, facetsAbsent } = facetsOf(filter);
  const values: Asked["values"] = {
    isChat: Number(filter.kind === "chat"),
    channelId: filter.channelId,
    min,
    max,
  };
  const tests: TextTest[] = [];
  const test = (term: string, operator: ">" | "="): void => {
    const name = `term${tests.length}`;
    values[name] = term;
    tests.push({ term, sql: `AND instr(t.search_text, @${name}) ${operator} 0` });
  };
  if (text !== null) test(text, ">");
  for (const facet of facets) test(facet, ">");
  for (const facet of facetsAbsent) test(facet, "=");
  return {
    filter,
    ordering,
    ...INDEXES[ordering],
    isRangeApart: isRangeApart(selection),
    range: [
      min === null ? "" : "AND c.subscribers >= @min",
      max === null ? "" : "AND c.subscribers <= @max",
    ].join(" "),
    tests,
    terms: [
      ...facets.map((facet) => ({ text: facet, at: null })),
      ...(text === null ? [] : trigramsOf(text)),
    ],
    after,
    values: { ...values, afterValue: after?.[0] ?? null, afterId: after?.[1] ?? null },
    limit: selection.limit + 1,
  };
}

/** Whether the filter asks for something that stands in the search text. */
function isSearch({ text, categoryId, territoryId, aPlus, verified }: CatalogFilter): boolean {
  return [text, categoryId, territoryId, aPlus, verified].some((asked) => asked !== null);
}

/** Whether a page takes no more steps than it has channels, wherever in the list it begins. */
export function isShortWalk(selection: CatalogSelection): boolean {
  return !isSearch(selection.filter) && !isRangeApart(selection);
}

function isRangeApart({ filter, ordering }: CatalogSelection): boolean {
  const { subscribersMin: min, subscribersMax: max } = filter;
  return ordering !== "-subscribers" && (min !== null || max !== null);
}

/** Facets that each channel of the filter has, and facets that it must not have. */
function facetsOf(filter: CatalogFilter) {
  const { kind, categoryId, territoryId, aPlus, verified } = filter;
  const facets: string[] = [];
  const facetsAbsent: string[] = [];
  if (categoryId !== null) facets.push(facet("category", categoryId));
  if (territoryId !== null) facets.push(facet("territory", territoryId));
  if (aPlus !== null) (aPlus ? facets : facetsAbsent).push(markFacet("aPlus"));
  if (verified !== null) (verified ? facets : facetsAbsent).push(markFacet("verified"));
  // Nearly all are channels: a facet of theirs would make no search shorter. Alone, the kind is
  // where an ordering's walk begins.
  if (kind === "chat" && isSearch(filter)) facets.push(markFacet("chat"));
  return { facets, facetsAbsent };
}
