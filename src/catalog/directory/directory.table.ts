import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const categories = sqliteTable("categories", {
  id: integer("id").primaryKey(),
  slug: text("slug").notNull(),
  name: text("name").notNull(),
  image: text("image"),
  position: integer("position").notNull(),
  channels: integer("channels").notNull().default(0),
});

/** Levels of the tree, from the top (specification, section 2). */
export const TERRITORY_KINDS = ["country", "district", "region", "city"] as const;
export type TerritoryKind = (typeof TERRITORY_KINDS)[number];

export const territories = sqliteTable("territories", {
  id: integer("id").primaryKey(),
  slug: text("slug").notNull(),
  name: text("name").notNull(),
  kind: text("kind").$type<TerritoryKind>().notNull(),
  /** Slug of the parent; null for a country. */
  parent: text("parent"),
  /** Slugs from the country down to this node, separated by `/`. */
  path: text("path").notNull(),
  /** Position in the tree's order, parents first. */
  position: integer("position").notNull(),
  channels: integer("channels").notNull().default(0),
  /** Whether the path changed, so that the search texts of its channels still have the old ancestors. */
  isMoved: integer("is_moved", { mode: "boolean" }).notNull().default(false),
});

export type Category = typeof categories.$inferSelect;
export type Territory = typeof territories.$inferSelect;
