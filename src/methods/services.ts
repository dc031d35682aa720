import type { Channels } from "../channels/channels.ts";
import type { Directory } from "../directory/directory.ts";
import type { JsonText } from "../json-text.ts";
import type { Keys } from "../keys/keys.ts";
import type { Limits } from "../limits/limits.ts";
import type { UsageSelection, UsageView } from "../limits/usage.store.ts";
import type { Posts } from "../posts/posts.ts";
import type { Statistics } from "../statistics/statistics.ts";
import type { Cursors } from "./cursor.ts";

/** The domains that methods call. */
export interface Services {
  directory: Directory;
  channels: Channels;
  statistics: Statistics;
  posts: Posts;
  keys: Pick<Keys, "lastUsedAt">;
  limits: Limits;
  usageHistory: { days(selection: UsageSelection): Promise<JsonText<UsageView[]>> };
  cursors: Cursors;
}
