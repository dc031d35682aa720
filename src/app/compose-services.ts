import { createChannels } from "../catalog/channels/channels.ts";
import { createDirectory } from "../catalog/directory/directory.ts";
import { createPosts } from "../catalog/posts/posts.ts";
import { createSearch } from "../catalog/search/search.ts";
import { selectLatest } from "../catalog/statistics/readings.store.ts";
import {
  isShort,
  selectDailyStatistics,
  selectStatisticsSpan,
} from "../catalog/statistics/statistics.store.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { readMeta } from "../db/meta.ts";
import { createCursors } from "../methods/cursor.ts";
import type { Services } from "../methods/services.ts";
import type { DatabaseThreads } from "./database-threads.ts";

/** The domains that methods call: threads read what may be slow, the serving connection all else. */
export function composeServices(
  db: Database,
  { readers }: DatabaseThreads,
  { messengerHosts }: Config,
  built: Pick<Services, "keyUse" | "limits" | "webhooks" | "alerts">,
): Services {
  return {
    ...built,
    directory: createDirectory(db),
    search: createSearch(db, readers),
    channels: createChannels(db, messengerHosts, readers.selectIdsByHandle),
    statistics: {
      daily: async (selection) =>
        isShort(selection)
          ? selectDailyStatistics(db, selection)
          : readers.selectDailyStatistics(selection),
      span: (channelId) => selectStatisticsSpan(db, channelId),
      latest: (selection) => selectLatest(db, selection),
    },
    posts: createPosts(db, readers),
    usageHistory: { days: readers.selectUsage },
    cursors: createCursors(readMeta(db, "cursor_secret")),
  };
}
