import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { createChannelRecords } from "../channels/channel-records.store.ts";
import { channelsInTerritories } from "../channels/channels.store.ts";
import { mergeSearch } from "../search/optimize-search.ts";
import { createDirectoryStore } from "./directory.store.ts";

/** Channels per transaction, which holds the write lock for some 5 ms. */
const CHANNELS_PER_TRANSACTION = 50;
const PAUSE_MS = 3;

/**
 * Rewrites search texts of channels in territories that moved in the tree, so that filters by the new
 * ancestors find them. The territories stay marked in the database until this is done: the nightly run
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
        if (record !== undefined) records.refreshText(record);
      }
      records.writeSearch();
    });
    afterId = last;
    await mergeSearch(db, clock);
    await clock.sleep(PAUSE_MS);
  }
  // By path: a territory that another import has moved on meanwhile stays marked.
  await inTransaction(db, clock, "refresh-facets", () => directory.markMoved(paths, false));
}
