import { messengerIdColumn } from "../../../channels/messenger-id.ts";
import { flagColumn, nullable } from "../../../fields/columns.ts";
import { columnsOf } from "../../../fields/stored-field.ts";
import { POST_FIELDS } from "../../../posts/post.ts";
import type { ImportKind } from "../import-kind.ts";
import { exportedPosts } from "./exported-posts.ts";
import type { PostRow } from "./named-posts.ts";
import { createPostWriter } from "./write-posts.ts";

/** Posts are identified by `id`, or else by channel and `msgr_post_id`. */
export const postsImport: ImportKind<PostRow> = {
  columns: {
    ...columnsOf(POST_FIELDS),
    channel_msgr_id: nullable(messengerIdColumn()),
    deleted: flagColumn(),
  },
  requiredColumns: ["id", "channel", "channel_msgr_id", "msgr_post_id", "published_at", "deleted"],
  isDirectory: false,
  isMeasured: true,
  open: createPostWriter,
  exported: {
    columns: [...(Object.keys(POST_FIELDS) as (keyof typeof POST_FIELDS)[]), "deleted"],
    fields: POST_FIELDS,
    selectedBy: ["channel", "days"],
    rows: exportedPosts,
  },
};
