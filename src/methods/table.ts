import { channelsList, channelsResolveRetrieve, channelsRetrieve } from "./channels.ts";
import { dailyStatisticsList } from "./daily-statistics.ts";
import { categoriesList, territoriesList } from "./directories.ts";
import { meRetrieve } from "./me.ts";
import type { ApiMethod } from "./method.ts";
import { channelPostsRetrieve, postsRetrieve } from "./posts.ts";

/** All API methods, in the specification's order. */
export const apiMethods: readonly ApiMethod[] = [
  meRetrieve,
  categoriesList,
  territoriesList,
  channelsList,
  channelsRetrieve,
  channelsResolveRetrieve,
  dailyStatisticsList,
  channelPostsRetrieve,
  postsRetrieve,
];
