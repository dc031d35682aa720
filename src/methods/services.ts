import type { Channels } from "../channels/channels.ts";
import type { Directory } from "../directory/directory.ts";
import type { JsonText } from "../json-text.ts";
import type { KeyUse } from "../keys/key-use.ts";
import type { Limits } from "../limits/limits.ts";
import type { UsageSelection, UsageView } from "../limits/usage.store.ts";
import type { Posts } from "../posts/posts.ts";
import type { Statistics } from "../statistics/statistics.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { Cursors } from "./cursor.ts";

/** The domains that methods call. */
export interface Services {
  directory: Directory;
  channels: Channels;
  statistics: Statistics;
  posts: Posts;
  keyUse: Pick<KeyUse, "lastUsedAt">;
  limits: Limits;
  usageHistory: { days(selection: UsageSelection): Promise<JsonText<UsageView[]>> };
  webhooks: Webhooks;
  cursors: Cursors;
}
