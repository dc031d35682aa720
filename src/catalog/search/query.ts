import { facet, markFacet, searchedText } from "../channels/search-text.ts";
import { metricsOf } from "../metrics/metrics.store.ts";
import {
  boundValues,
  FILTERED_METRICS,
  isListedSql,
  type OrderedMetric,
} from "../metrics/metrics.ts";
import type {
  CatalogFilter,
  CatalogOrdering,
  CatalogPosition,
  CatalogSelection,
} from "./catalog.ts";
import { stepOf } from "./last-post-order.ts";
import type { Expression } from "./search-terms.ts";

export const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** SQL: the search text must, or must not, contain a term. */
export interface TextTest {
  term: string;
  sql: string;
}

/**
 * The stored order that a walk follows: an index of `channels c`, the coarse order of their last posts, or
 * the order of a metric of `channel_metrics m`.
 */
export type Ordered =
  | { by: "channels"; column: string; index: string }
  | { by: "last post"; column: "last_post_at" }
  | { by: "metrics"; column: OrderedMetric };

/** A range required by a filter: SQL over `channels c` or `channel_metrics m`. */
export interface Bound {
  column: "subscribers" | OrderedMetric;
  sql: string;
  /** The same over entries of a metric's order, `metric_orders o`; null for subscribers. */
  entrySql: string | null;
}

/**
 * A selection prepared for all plans: SQL conditions on `channels c`, and the values of their parameters.
 */
interface PreparedSelection {
  filter: CatalogFilter;
  ordering: CatalogOrdering;
  ordered: Ordered;
  /** SQL: a channel's value in the ordering. */
  value: string;
  /** Ranges of the ordering's own column, which bound a walk. */
  ownBounds: readonly Bound[];
  /** Ranges of other columns, whose channels are scattered over the ordering. */
  boundsApart: readonly Bound[];
  /** SQL: joins the metrics if the ordering or a range needs them. */
  metricsJoin: string;
  /** SQL: all conditions on numbers. */
  conditions: string;
  /** Terms that the search text must, or must not, contain. */
  tests: readonly TextTest[];
  /** Terms that every match's search text contains; empty if nothing is searched. */
  terms: readonly string[];
  after: CatalogPosition | null;
  values: Record<string, string | number | null>;
  /** Channels to find: one more than the page holds, to see whether another page follows. */
  limit: number;
}

/** A selection with the expression for the search index; null if nothing is searched. */
export interface Query extends PreparedSelection {
  expression: Expression | null;
}

const metric = (column: OrderedMetric): Ordered => ({ by: "metrics", column });

const ORDERED: Record<CatalogOrdering, Ordered> = {
  "-subscribers": { by: "channels", column: "subscribers", index: "channels_by_subscribers" },
  "-quality": { by: "channels", column: "quality", index: "channels_by_quality" },
  "-citation": { by: "channels", column: "citation", index: "channels_by_citation" },
  "-last_post_at": { by: "last post", column: "last_post_at" },
  "-growth_7d": metric("growth_7d"),
  "-growth_30d": metric("growth_30d"),
  "-growth_30d_percent": metric("growth_30d_percent"),
  "-reach_30d": metric("reach_30d"),
  "-err_30d": metric("err_30d"),
  "-reach_24h": metric("reach_24h"),
  "-reach_48h": metric("reach_48h"),
  "-ad_reach_24h": metric("ad_reach_24h"),
  "-ad_reach_48h": metric("ad_reach_48h"),
};

/**
 * SQL: the metrics of a channel of the requested kind. One that has none matches no bound, and is left out
 * of orders by metrics.
 */
export const METRICS = `CROSS JOIN channel_metrics m ON ${metricsOf("c.id", "@isChat")}`;

/** Whether the ordering leaves out channels without a fresh reading. */
export function isOfMetrics(ordering: CatalogOrdering): boolean {
  return ORDERED[ordering].by === "metrics";
}

function boundsOf(filter: CatalogFilter): Bound[] {
  const subscribers = (sql: string): Bound => ({ column: "subscribers", sql, entrySql: null });
  return [
    ...(filter.subscribersMin === null ? [] : [subscribers("c.subscribers >= @min")]),
    ...(filter.subscribersMax === null ? [] : [subscribers("c.subscribers <= @max")]),
    ...FILTERED_METRICS.filter((name) => filter.metricsMin[name] !== undefined).map((column) => ({
      column,
      sql: `m.${column} >= @${column}`,
      entrySql: `o.value >= @${column}`,
    })),
  ];
}

/** SQL: conditions to append to a WHERE clause. */
export function and(bounds: readonly { sql: string }[]): string {
  return bounds.map(({ sql }) => `AND ${sql}`).join(" ");
}

export function prepareSelection(selection: CatalogSelection): PreparedSelection {
  const { filter, ordering, after } = selection;
  const ordered = ORDERED[ordering];
  const bounds = boundsOf(filter);
  const isOwn = ({ column }: Bound) => column === ordered.column;
  const searched = filter.text === null ? null : searchedText(filter.text);
  const { facets, facetsAbsent } = facetsOf(filter);
  const values: PreparedSelection["values"] = {
    isChat: Number(filter.kind === "chat"),
    channelId: filter.channelId,
    min: filter.subscribersMin,
    max: filter.subscribersMax,
    ...boundValues(filter.metricsMin),
  };
  const tests: TextTest[] = [];
  const test = (term: string, sqlOf: (position: string) => string): void => {
    const name = `term${tests.length}`;
    values[name] = term;
    tests.push({ term, sql: `AND ${sqlOf(`instr(t.search_text, @${name})`)}` });
  };
  if (searched !== null) {
    const { text, words } = searched;
    test(text, (at) => (words === null ? `${at} > 0` : `(${at} > 0 OR ${HAS_WORDS})`));
    values["words"] = words;
    values["longest"] = longestOf(words);
  }
  for (const facet of facets) test(facet, (at) => `${at} > 0`);
  for (const facet of facetsAbsent) test(facet, (at) => `${at} = 0`);
  return {
    filter,
    ordering,
    ordered,
    value: `${ordered.by === "metrics" ? "m" : "c"}.${ordered.column}`,
    ownBounds: bounds.filter(isOwn),
    boundsApart: bounds.filter((one) => !isOwn(one)),
    metricsJoin:
      ordered.by === "metrics" || bounds.some(({ column }) => column !== "subscribers")
        ? METRICS
        : "",
    conditions: `${and(bounds)} ${ordered.by === "metrics" ? `AND ${isListedSql(ordered.column)}` : ""}`,
    tests,
    terms: [...facets, ...(searched?.trigrams ?? [])],
    after,
    values: {
      ...values,
      afterValue: after?.[0] ?? null,
      afterId: after?.[1] ?? null,
      afterStep: after?.[0] == null ? null : stepOf(after[0]),
    },
    limit: selection.limit + 1,
  };
}

/** SQL: the search text has the words; the longest one rejects most texts at once. */
const HAS_WORDS = "(instr(t.search_text, @longest) > 0 AND begins_words(t.search_text, @words))";

function longestOf(words: string | null): string | null {
  const [longest = null] = (words?.split(" ") ?? []).sort((a, b) => b.length - a.length);
  return longest;
}

function isSearch({ text, categoryId, territoryId, aPlus, verified }: CatalogFilter): boolean {
  return [text, categoryId, territoryId, aPlus, verified].some((condition) => condition !== null);
}

/**
 * Whether a page takes no more steps than it has channels, wherever in the list it begins. Orderings by a
 * metric do not qualify, because channels without it are found by scanning all; nor does that by last
 * posts, because whole steps are sorted.
 */
export function isShortWalk({ filter, ordering }: CatalogSelection): boolean {
  const { by, column } = ORDERED[ordering];
  return (
    by === "channels" &&
    !isSearch(filter) &&
    boundsOf(filter).every((bound) => bound.column === column)
  );
}

/** Whether it is a first page of the whole catalog, and changes only when a card does. */
export function isStart({ filter, ordering, after, hasMetrics }: CatalogSelection): boolean {
  return (
    after === null &&
    hasMetrics !== true &&
    ORDERED[ordering].by !== "metrics" &&
    filter.channelId === null &&
    !isSearch(filter) &&
    boundsOf(filter).length === 0
  );
}

/** Facets that every match has, and facets that none has. */
function facetsOf(filter: CatalogFilter) {
  const { kind, categoryId, territoryId, aPlus, verified } = filter;
  const facets: string[] = [];
  const facetsAbsent: string[] = [];
  if (categoryId !== null) facets.push(facet("category", categoryId));
  if (territoryId !== null) facets.push(facet("territory", territoryId));
  if (aPlus !== null) (aPlus ? facets : facetsAbsent).push(markFacet("aPlus"));
  if (verified !== null) (verified ? facets : facetsAbsent).push(markFacet("verified"));
  // Nearly all channels are of the default kind, so a facet of it would make no search cheaper. Where
  // nothing else is searched, the kind needs no facet either: it is the first column of every ordering's
  // index.
  if (kind === "chat" && isSearch(filter)) facets.push(markFacet("chat"));
  return { facets, facetsAbsent };
}
