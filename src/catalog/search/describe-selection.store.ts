import { type Database, statement } from "../../db/database.ts";
import { quantileOf } from "../../values/fields.ts";
import type { CatalogFilter, SelectionView } from "./catalog.ts";
import { type Columns, isSet, placeOfCategory } from "./columns/columns.ts";
import { eachMatching } from "./find-channels.store.ts";

const DECILES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

interface Share {
  channels: number;
  subscribers: number;
}

/** Statistics of the channels that a filter selects; 0.2 s for all of a million. */
export function describeSelection(db: Database, filter: CatalogFilter): SelectionView {
  const subscribers: number[] = [];
  const territories = new Map<number, Share>();
  const categories = new Map<number, Share>();
  const directory = statement<Entry>(db, "SELECT id, slug FROM categories ORDER BY position").all();
  eachMatching(db, filter, (columns, positions) => {
    for (const position of positions) {
      const own = columns.numbers.subscribers[position] ?? 0;
      subscribers.push(own);
      add(territories, columns.territory[position] ?? 0, own);
    }
    for (const { id } of directory) addCategory(columns, positions, id, categories);
  });
  const sorted = Float64Array.from(subscribers).sort();
  return {
    channels: sorted.length,
    subscribers: {
      sum: sorted.reduce((all, one) => all + one, 0),
      median: quantileOf(sorted, 0.5),
      deciles: DECILES.flatMap((part) => quantileOf(sorted, part) ?? []),
    },
    categories: listed(directory, categories),
    territories: territoryShares(db, territories),
  };
}

function add(shares: Map<number, Share>, id: number, subscribers: number, channels = 1): void {
  const share = shares.get(id) ?? { channels: 0, subscribers: 0 };
  share.channels += channels;
  share.subscribers += subscribers;
  shares.set(id, share);
}

function addCategory(
  columns: Columns,
  positions: Int32Array,
  id: number,
  shares: Map<number, Share>,
): void {
  const bitmap = columns.categories[placeOfCategory(columns, id)];
  if (bitmap === undefined) return;
  const { subscribers: of } = columns.numbers;
  let channels = 0;
  let subscribers = 0;
  // By index: an iterator takes several times as long, once for each category.
  for (let at = 0; at < positions.length; at++) {
    const position = positions[at] as number;
    if (!isSet(bitmap, position)) continue;
    channels += 1;
    subscribers += of[position] as number;
  }
  if (channels > 0) add(shares, id, subscribers, channels);
}

interface Entry {
  id: number;
  slug: string;
}

/** Shares of territories, each with those within it. */
function territoryShares(
  db: Database,
  own: ReadonlyMap<number, Share>,
): SelectionView["territories"] {
  const sql = "SELECT id, slug, path FROM territories ORDER BY position";
  const entries = statement<Entry & { path: string }>(db, sql).all();
  const ids = new Map(entries.map(({ id, slug }) => [slug, id]));
  const shares = new Map<number, Share>();
  for (const { id, path } of entries) {
    const share = own.get(id);
    if (share === undefined) continue;
    for (const slug of path.split("/")) {
      const above = ids.get(slug);
      if (above !== undefined) add(shares, above, share.subscribers, share.channels);
    }
  }
  return listed(entries, shares);
}

/** Those with channels, most first, ties in the directory's order. */
function listed(
  entries: readonly Entry[],
  shares: ReadonlyMap<number, Share>,
): SelectionView["categories"] {
  return entries
    .flatMap(({ id, slug }) => {
      const share = shares.get(id);
      return share === undefined ? [] : [{ slug, ...share }];
    })
    .sort((one, other) => other.channels - one.channels);
}
