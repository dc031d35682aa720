import { type Database, statement } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { createChannelRecords } from "../channels/channel-records.store.ts";
import { categorySlugs, channelsInTerritories } from "../channels/channels.store.ts";
import { createDirectoryStore } from "./directory.store.ts";
import { withDescendants } from "./directory.ts";

const CATEGORY_COUNTS = `
  SELECT k.category, k.categories, count(*) AS channels
  FROM channels c JOIN channel_cards k ON k.id = c.id
  WHERE c.is_public = 1 GROUP BY k.category, k.categories`;

const TERRITORY_COUNTS = `
  SELECT k.territory AS slug, count(*) AS channels
  FROM channels c JOIN channel_cards k ON k.id = c.id
  WHERE c.is_public = 1 AND k.territory IS NOT NULL GROUP BY k.territory`;

/**
 * Counts public channels and chats for both directories: by primary or additional category, and by
 * territory including descendants. Counting reads a snapshot; only the short update holds the write lock.
 * @returns number of entries changed
 */
export async function recount(db: Database, clock: Clock): Promise<number> {
  const store = createDirectoryStore(db);
  const byCategory = new Map<string, number>();
  for (const row of statement<CategoryCount>(db, CATEGORY_COUNTS).all()) {
    for (const slug of categorySlugs(row)) {
      byCategory.set(slug, (byCategory.get(slug) ?? 0) + row.channels);
    }
  }
  const own = statement<{ slug: string; channels: number }>(db, TERRITORY_COUNTS).all();
  const byTerritory = withDescendants(
    store.territories(),
    new Map(own.map(({ slug, channels }) => [slug, channels])),
  );
  return inTransaction(db, clock, "recount", () => {
    let changed = 0;
    for (const { slug, channels } of store.categories()) {
      const counted = byCategory.get(slug) ?? 0;
      if (counted === channels) continue;
      store.countCategory(slug, counted);
      changed += 1;
    }
    for (const { slug, channels } of store.territories()) {
      const counted = byTerritory.get(slug) ?? 0;
      if (counted === channels) continue;
      store.countTerritory(slug, counted);
      changed += 1;
    }
    return changed;
  });
}

interface CategoryCount {
  category: string | null;
  categories: string;
  channels: number;
}

/** Channels per transaction, which holds the write lock for some 5 ms. */
const CHANNELS_PER_TRANSACTION = 50;
const PAUSE_MS = 3;

/**
 * Rewrites the facets of channels in territories that moved in the tree, so that searches of posts and
 * trends by the new ancestors find them. The territories stay marked in the database until this is done: the nightly run
 * continues an interrupted one.
 */
export async function refreshFacets(db: Database, clock: Clock): Promise<void> {
  const directory = createDirectoryStore(db);
  const moved = directory.movedTerritories();
  if (moved.length === 0) return;
  const slugs = moved.map(({ slug }) => slug);
  const paths = moved.map(({ path }) => path);
  let afterId = 0;
  for (;;) {
    const ids = channelsInTerritories(db, slugs, afterId, CHANNELS_PER_TRANSACTION);
    const last = ids.at(-1);
    if (last === undefined) break;
    await inTransaction(db, clock, "refresh-facets", () => {
      const records = createChannelRecords(db, clock);
      for (const id of ids) {
        const record = records.byId(id);
        if (record !== undefined) records.refreshFacets(record);
      }
    });
    afterId = last;
    await clock.sleep(PAUSE_MS);
  }
  // By path: a territory that another import has moved on meanwhile stays marked.
  await inTransaction(db, clock, "refresh-facets", () => directory.markMoved(paths, false));
}
