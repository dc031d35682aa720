import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { channelsInTerritories, createChannelRecords } from "../channels/channels.store.ts";
import { mergeSearch } from "../search/optimize-search.ts";
import { createDirectoryStore } from "./directory.store.ts";

/** Channels a transaction: some 5 ms of the write lock. */
const CHANNELS_PER_TRANSACTION = 50;
const PAUSE_MS = 3;

/**
 * Rewrites the search texts of channels in territories that moved in the tree: a filter by the new
 * ancestors finds them after it. The territories are marked in the file, so that an interrupted run
 * is taken up by the nightly one.
 */
export async function refreshFacets(db: Database, clock: Clock): Promise<void> {
  const directory = createDirectoryStore(db);
  const moved = directory.movedTerritories();
  if (moved.length === 0) return;
  let afterId = 0;
  for (;;) {
    const ids = channelsInTerritories(db, moved, afterId, CHANNELS_PER_TRANSACTION);
    const last = ids.at(-1);
    if (last === undefined) break;
    await inTransaction(db, clock, "refresh-facets", () => {
      const records = createChannelRecords(db);
      for (const id of ids) {
        const record = records.byId(id);
        if (record !== undefined) records.update(record);
      }
      records.writeSearch();
    });
    afterId = last;
    await mergeSearch(db, clock);
    await clock.sleep(PAUSE_MS);
  }
  await inTransaction(db, clock, "refresh-facets", () => directory.markMoved(moved, false));
}
