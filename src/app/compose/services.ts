import { createChannels } from "../../catalog/channels/channels.ts";
import { createDirectory } from "../../catalog/directory/directory.ts";
import { createBulk } from "../../catalog/exports/bulk.ts";
import { createPostSearch } from "../../catalog/post-search/post-search.ts";
import { createPosts } from "../../catalog/posts/posts.ts";
import { createSearch } from "../../catalog/search/search.ts";
import {
  isShort,
  selectDailyStatistics,
  selectLatest,
  selectStatisticsSpan,
} from "../../catalog/statistics/statistics.store.ts";
import { readMeta } from "../../db/meta.ts";
import { createCursors } from "../../verbs/paging.ts";
import type { Services } from "../../verbs/services.ts";
import type { Base } from "./base.ts";

/**
 * Services that methods read from: potentially slow reads go to threads, everything else to the serving connection.
 */
export function composeReading({
  db,
  threads,
  config,
  ports,
  crew,
}: Pick<Base, "db" | "threads" | "config" | "ports" | "crew">) {
  const { read, bulk } = threads;
  const { messengerHosts, postSearch } = config;
  return {
    directory: createDirectory(db),
    search: createSearch(db, read),
    channels: createChannels(db, messengerHosts, read.selectIdsByHandle),
    statistics: {
      daily: async (selection) =>
        isShort(selection)
          ? selectDailyStatistics(db, selection)
          : read.selectDailyStatistics(selection),
      span: (channelId) => selectStatisticsSpan(db, channelId),
      latest: (selection) => selectLatest(db, selection),
    },
    compare: read.compareChannels,
    posts: createPosts(db, read),
    postSearch: createPostSearch(db, postSearch, read),
    mentions: {
      page: read.selectMentions,
      similar: read.selectSimilar,
      neighbours: read.selectNeighbours,
    },
    trends: read.selectTrends,
    bulk: createBulk(db, bulk.bulkPart, ports, crew?.memory.exports),
    usageHistory: { page: read.selectUsage, summary: read.summarizeUsage },
    cursors: createCursors(readMeta(db, "cursor_secret")),
  } satisfies Partial<Services>;
}
