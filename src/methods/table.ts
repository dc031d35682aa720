import { channelsList, channelsResolveRetrieve, channelsRetrieve } from "./channels.ts";
import { channelsCompareList } from "./compare.ts";
import { dailyStatisticsList } from "./daily-statistics.ts";
import { categoriesList, territoriesList } from "./directories.ts";
import { meRetrieve } from "./me.ts";
import type { ApiMethod } from "./method.ts";
import { postsSearchList } from "./post-search.ts";
import { channelPostsRetrieve, postsRetrieve } from "./posts.ts";
import { channelsStatsRetrieve } from "./selection-statistics.ts";
import { meUsageList } from "./usage.ts";
import {
  webhooksCreate,
  webhooksDeliveriesList,
  webhooksDestroy,
  webhooksList,
  webhooksResend,
  webhooksRetrieve,
  webhooksRotateSecret,
  webhooksTest,
  webhooksUpdate,
} from "./webhooks.ts";

/**
 * All API methods, in the specification's order; usage by day, the webhooks' deliveries and the questions
 * that go across channels, post search among them, are additions of ours.
 */
export const apiMethods: readonly ApiMethod[] = [
  meRetrieve,
  meUsageList,
  categoriesList,
  territoriesList,
  channelsList,
  channelsRetrieve,
  channelsResolveRetrieve,
  dailyStatisticsList,
  channelPostsRetrieve,
  postsRetrieve,
  postsSearchList,
  webhooksList,
  webhooksCreate,
  webhooksRetrieve,
  webhooksUpdate,
  webhooksDestroy,
  webhooksRotateSecret,
  webhooksTest,
  webhooksDeliveriesList,
  webhooksResend,
  channelsCompareList,
  channelsStatsRetrieve,
];

/** The methods that are MCP tools, in the specification's order of tools, then ours: reading only. */
export const toolMethods: readonly ApiMethod[] = [
  meRetrieve,
  channelsResolveRetrieve,
  channelsList,
  channelsRetrieve,
  dailyStatisticsList,
  channelPostsRetrieve,
  postsRetrieve,
  categoriesList,
  territoriesList,
  postsSearchList,
  channelsCompareList,
  channelsStatsRetrieve,
];
