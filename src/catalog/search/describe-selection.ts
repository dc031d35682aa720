import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";
import { quantileOf } from "../../values/fields.ts";
import { type FacetKind, facetsSql, idsOfFacets } from "../channels/search-text.ts";
import type { CatalogFilter, SelectionView } from "./catalog.ts";
import { findByPlan, queryOf } from "./planner.ts";
import { textTests } from "./plans/sql-parts.ts";
import type { Query } from "./query.ts";

/** Up to so many matches are found like a page; for more, all channels are scanned. */
const FOUND_MAX = 20_000;

const DECILES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

interface Group {
  facets: string;
  subscribers: string;
}

const GROUPS = `${facetsSql("t.search_text")} AS facets,
  json_group_array(c.subscribers) AS subscribers`;

/**
 * Statistics of the channels that filters select. A few thousand take milliseconds; a whole catalog of a
 * million takes a reader thread one or two seconds, under its deadline.
 * @returns null if so many match that all channels must be scanned, and `mayTakeLong` is false
 */
export function describeSelection(
  db: Database,
  { filter, mayTakeLong }: { filter: CatalogFilter; mayTakeLong: boolean },
): SelectionView | null {
  const selection = { filter, ordering: "-subscribers", after: null, limit: FOUND_MAX } as const;
  const query = queryOf(db, selection);
  if (mayTakeLong) return describe(db, groupsOfAll(db, query));
  const { found } = findByPlan(db, query);
  if (found.length > FOUND_MAX) return null;
  const ids = JSON.stringify(found.map(({ id }) => id));
  const groups = statement<Group>(
    db,
    `SELECT ${GROUPS}
     FROM json_each(?) given CROSS JOIN channels c ON c.id = given.value
       CROSS JOIN channel_texts t ON t.id = c.id
     GROUP BY facets`,
  ).all(ids);
  return describe(db, groups);
}

function groupsOfAll(db: Database, query: Query): Group[] {
  const { where } = textTests(query.tests);
  return statement<Group>(
    db,
    `SELECT ${GROUPS}
     FROM channels c ${query.metricsJoin} CROSS JOIN channel_texts t ON t.id = c.id
     WHERE ${WITHIN_DEADLINE} AND c.is_public = 1 AND c.is_chat = @isChat
       ${query.conditions} ${where}
     GROUP BY facets`,
  ).all(query.values);
}

function describe(db: Database, groups: readonly Group[]): SelectionView {
  const counted: Counted[] = groups.map(({ facets, subscribers }) => {
    const values: number[] = JSON.parse(subscribers);
    return { facets, values, sum: values.reduce((all, one) => all + one, 0) };
  });
  const sorted = Float64Array.from(counted.flatMap(({ values }) => values)).sort();
  return {
    channels: sorted.length,
    subscribers: {
      sum: counted.reduce((all, { sum }) => all + sum, 0),
      median: quantileOf(sorted, 0.5),
      deciles: DECILES.flatMap((part) => quantileOf(sorted, part) ?? []),
    },
    categories: sharesOf(db, "categories", "category", counted),
    territories: sharesOf(db, "territories", "territory", counted),
  };
}

interface Counted {
  facets: string;
  values: readonly number[];
  sum: number;
}

/**
 * Directory entries that the channels belong to, those with most channels first, ties in the directory's
 * order.
 */
function sharesOf(
  db: Database,
  table: "categories" | "territories",
  kind: FacetKind,
  counted: readonly Counted[],
): SelectionView["categories"] {
  const shares = new Map<number, { channels: number; subscribers: number }>();
  for (const { facets, values, sum } of counted) {
    for (const id of idsOfFacets(facets, kind)) {
      const share = shares.get(id) ?? { channels: 0, subscribers: 0 };
      shares.set(id, {
        channels: share.channels + values.length,
        subscribers: share.subscribers + sum,
      });
    }
  }
  return statement<{ id: number; slug: string }>(
    db,
    `SELECT id, slug FROM ${table} ORDER BY position`,
  )
    .all()
    .flatMap(({ id, slug }) => {
      const share = shares.get(id);
      return share === undefined ? [] : [{ slug, ...share }];
    })
    .sort((one, other) => other.channels - one.channels);
}
