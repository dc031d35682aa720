import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** Posts of watched channels in the order they were read, until they are cut into events. */
export const readPosts = sqliteTable("read_posts", {
  sequence: integer("sequence").primaryKey(),
  postId: integer("post_id").notNull(),
});
