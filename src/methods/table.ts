import {
  alertsCreate,
  alertsDestroy,
  alertsList,
  alertsPreview,
  alertsRetrieve,
  alertsUpdate,
} from "./alerts.ts";
import { channelsList, channelsResolveRetrieve, channelsRetrieve } from "./channels.ts";
import { dailyStatisticsList } from "./daily-statistics.ts";
import { categoriesList, territoriesList } from "./directories.ts";
import { meRetrieve } from "./me.ts";
import type { ApiMethod } from "./method.ts";
import { channelPostsRetrieve, postsRetrieve } from "./posts.ts";
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
 * All API methods, in the specification's order; usage by day and the webhooks' deliveries are
 * additions of ours.
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
  webhooksList,
  webhooksCreate,
  webhooksRetrieve,
  webhooksUpdate,
  webhooksDestroy,
  webhooksRotateSecret,
  webhooksTest,
  webhooksDeliveriesList,
  webhooksResend,
  alertsList,
  alertsCreate,
  alertsRetrieve,
  alertsUpdate,
  alertsDestroy,
  alertsPreview,
];

/** The methods that are MCP tools, in the specification's order of tools: reading only. */
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
];
