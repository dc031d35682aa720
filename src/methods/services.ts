import type { Channels } from "../channels/channels.ts";
import type { Directory } from "../directory/directory.ts";
import type { Usage } from "../limits/usage.ts";
import type { Posts } from "../posts/posts.ts";
import type { Statistics } from "../statistics/statistics.ts";
import type { Cursors } from "./cursor.ts";

/** The domains that methods call. */
export interface Services {
  directory: Directory;
  channels: Channels;
  statistics: Statistics;
  posts: Posts;
  usage: Usage;
  cursors: Cursors;
}
