import type { Channels } from "../catalog/channels/channels.ts";
import type { ComparisonSelection, ComparisonView } from "../catalog/comparison/comparison.ts";
import type { Directory } from "../catalog/directory/directory.ts";
import type { Bulk } from "../catalog/exports/bulk.ts";
import type { Neighbours, SimilarChannel } from "../catalog/mentions/mention.ts";
import type { MentionPage, MentionSelection } from "../catalog/mentions/mentions.store.ts";
import type { PostSearch } from "../catalog/post-search/post-search.ts";
import type { Posts } from "../catalog/posts/posts.ts";
import type { Search } from "../catalog/search/search.ts";
import type { Statistics } from "../catalog/statistics/statistics.ts";
import type { TrendSelection } from "../catalog/trends/trends.store.ts";
import type { Trends } from "../catalog/trends/trends.ts";
import type { KeyUse } from "../customers/keys/keys.ts";
import type { Limits } from "../customers/limits/limits.ts";
import type {
  UsageDays,
  UsagePage,
  UsageSelection,
  UsageSummary,
} from "../customers/limits/usage-history.ts";
import type { SavedLists } from "../customers/saved-lists/saved-lists.ts";
import type { Alerts } from "../push/webhooks/alerts/alerts.ts";
import type { Webhooks } from "../push/webhooks/manage/webhooks.ts";
import type { Json, JsonText } from "../values/json-text.ts";
import type { Cursors } from "./paging.ts";

export interface Services {
  directory: Directory;
  search: Search;
  channels: Channels;
  statistics: Statistics;
  compare(selection: ComparisonSelection): Promise<Json<ComparisonView[]>>;
  posts: Posts;
  postSearch: PostSearch;
  mentions: {
    /** Posts that mention a channel, newest first. */
    page(selection: MentionSelection): Promise<MentionPage>;
    similar(channelId: number): Promise<JsonText<SimilarChannel[]>>;
    /** Who mentions a channel most, and whom it mentions. */
    neighbours(channelId: number): Promise<Neighbours>;
  };
  trends(selection: TrendSelection): Promise<Trends>;
  bulk: Bulk;
  keyUse: Pick<KeyUse, "lastUsedAt">;
  limits: Limits;
  usageHistory: {
    page(selection: UsageSelection): Promise<UsagePage>;
    summary(days: UsageDays): Promise<UsageSummary>;
  };
  webhooks: Webhooks;
  alerts: Alerts;
  savedLists: SavedLists;
  cursors: Cursors;
  /**
   * Updates this node's copy of the cluster's rows; false if it was already up to date, and on a standalone
   * appliance.
   */
  copyNewest(): Promise<boolean>;
}
