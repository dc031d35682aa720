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
import { channelsCompareList } from "./compare.ts";
import { channelsStatsRetrieve, dailyStatisticsList } from "./daily-statistics.ts";
import { categoriesList, territoriesList } from "./directories.ts";
import { exportChannels, exportPosts, exportStats } from "./export.ts";
import { meRetrieve, meUsageList } from "./me.ts";
import { postsSearchList } from "./post-search.ts";
import {
  channelMentionsList,
  channelPostsRetrieve,
  channelSimilarList,
  postsRetrieve,
} from "./posts.ts";
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
 * All API methods, in the specification's order. Daily usage, webhook deliveries, exports, alerts, and the
 * methods across channels or posts (search, mentions, similar channels, comparison, statistics of a
 * selection) are our additions.
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
];

/** The specification's tools, in its order. Clients rely on them: their descriptions stay unchanged. */
export const specifiedTools: readonly ApiMethod[] = [
  meRetrieve,
  channelsResolveRetrieve,
  channelsList,
  channelsRetrieve,
  dailyStatisticsList,
  channelPostsRetrieve,
  postsRetrieve,
  categoriesList,
  territoriesList,
];

/** Methods that are MCP tools, all read-only: the specification's first, then ours. */
export const toolMethods: readonly ApiMethod[] = [
  ...specifiedTools,
  postsSearchList,
  channelsCompareList,
  channelsStatsRetrieve,
  channelMentionsList,
  channelSimilarList,
];
