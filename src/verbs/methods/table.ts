import type { ApiMethod } from "../method.ts";
import {
  alertsCreate,
  alertsDestroy,
  alertsList,
  alertsPreview,
  alertsRetrieve,
  alertsUpdate,
} from "./alerts.ts";
import { channelsList, channelsResolveRetrieve, channelsRetrieve } from "./channels.ts";
import { categoriesList, territoriesList } from "./directories.ts";
import { exportChannels, exportPosts, exportStats } from "./export.ts";
import {
  listsChannels,
  listsCreate,
  listsDestroy,
  listsList,
  listsRetrieve,
  listsUpdate,
} from "./lists.ts";
import { meRetrieve, meUsageList } from "./me.ts";
import { postsSearchStats } from "./over-time.ts";
import { postsSearchList } from "./post-search.ts";
import {
  channelMentionsList,
  channelPostsRetrieve,
  channelSimilarList,
  postsRetrieve,
} from "./posts.ts";
import { channelsCompareList, channelsStatsRetrieve, dailyStatisticsList } from "./statistics.ts";
import { trendsList } from "./trends.ts";
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
 * All API methods, in the specification's order. Daily usage, webhook deliveries, exports, alerts, saved
 * lists, and the methods across channels or posts (search, words over time, mentions, similar channels, comparison,
 * statistics of a selection, trending words) are our additions.
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
  postsSearchStats,
  channelMentionsList,
  channelSimilarList,
  exportChannels,
  exportStats,
  exportPosts,
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
  alertsList,
  alertsCreate,
  alertsRetrieve,
  alertsUpdate,
  alertsDestroy,
  alertsPreview,
  trendsList,
  listsList,
  listsCreate,
  listsRetrieve,
  listsUpdate,
  listsDestroy,
  listsChannels,
];

/** Filters that tools leave out: the catalog's orderings by the same figures answer who has most. */
const REACH_BY_AGE = ["reach_24h_min", "reach_48h_min", "ad_reach_24h_min", "ad_reach_48h_min"];

/** The specification's tools, in its order. */
const specifiedTools: readonly ApiMethod[] = [
  meRetrieve,
  channelsResolveRetrieve,
  without(channelsList, ...REACH_BY_AGE),
  channelsRetrieve,
  dailyStatisticsList,
  channelPostsRetrieve,
  postsRetrieve,
  categoriesList,
  territoriesList,
];

/** A method whose tool offers fewer filters: each of them costs every conversation a hundred characters. */
function without({ parameters, ...method }: ApiMethod, ...names: readonly string[]): ApiMethod {
  const offered = Object.entries(parameters).filter(([name]) => !names.includes(name));
  return { ...method, parameters: Object.fromEntries(offered) };
}

/** Methods that are MCP tools, all read-only: the specification's first, then ours. */
export const toolMethods: readonly ApiMethod[] = [
  ...specifiedTools,
  postsSearchList,
  channelsCompareList,
  without(channelsStatsRetrieve, ...REACH_BY_AGE),
  channelMentionsList,
  channelSimilarList,
  without(postsSearchStats, "is_ad", "media", "views_min"),
  trendsList,
];
