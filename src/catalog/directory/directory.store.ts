import { asc, eq } from "drizzle-orm";
import { type Database, statement } from "../../db/database.ts";
import { query } from "../../db/statement.ts";
import { type Category, categories, type Territory, territories } from "./directory.table.ts";

const allCategories = query((db) =>
  db.select().from(categories).orderBy(asc(categories.position)),
).all;
const allTerritories = query((db) =>
  db.select().from(territories).orderBy(asc(territories.position)),
).all;
const movedTerritories = query((db) =>
  db
    .select({ slug: territories.slug, path: territories.path })
    .from(territories)
    .where(eq(territories.isMoved, true)),
).all;
const categoryBySlug = query((db, { slug }: { slug: string }) =>
  db.select().from(categories).where(eq(categories.slug, slug)),
).one;
const territoryBySlug = query((db, { slug }: { slug: string }) =>
  db.select().from(territories).where(eq(territories.slug, slug)),
).one;

export function createDirectoryStore(db: Database) {
  const saveCategory = statement(
    db,
    `INSERT INTO categories (id, slug, name, image, position)
     VALUES (@id, @slug, @name, @image, @position)
     ON CONFLICT (slug) DO UPDATE SET
       name = excluded.name, image = excluded.image, position = excluded.position`,
  );
  const saveTerritories = statement(
    db,
    `INSERT INTO territories (id, slug, name, kind, parent, path, position)
     SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
     FROM json_each(?) WHERE true
     ON CONFLICT (slug) DO UPDATE SET
       name = excluded.name, kind = excluded.kind, parent = excluded.parent,
       path = excluded.path, position = excluded.position`,
  );
  const setMoved = statement(
    db,
    "UPDATE territories SET is_moved = ? WHERE path IN (SELECT value FROM json_each(?))",
  );
  const removeCategory = statement(db, "DELETE FROM categories WHERE slug = ?");
  const removeTerritory = statement(db, "DELETE FROM territories WHERE slug = ?");
  const countCategory = statement(db, "UPDATE categories SET channels = ? WHERE slug = ?");
  const countTerritory = statement(db, "UPDATE territories SET channels = ? WHERE slug = ?");

  return {
    categories: (): Category[] => allCategories(db),
    territories: (): Territory[] => allTerritories(db),
    category: (slug: string): Category | undefined => categoryBySlug(db, { slug }),
    territory: (slug: string): Territory | undefined => territoryBySlug(db, { slug }),

    /** Inserts or updates by slug. @param row has an id if a new entry brings its own */
    saveCategory(row: Omit<Category, "id" | "channels"> & { id?: number }): void {
      saveCategory.run({ id: null, ...row });
    },

    /** Inserts or updates by slug. @param rows parents before their children */
    saveTerritories(rows: readonly Omit<Territory, "channels" | "isMoved">[]): void {
      if (rows.length === 0) return;
      const values = rows.map(({ id, slug, name, kind, parent, path, position }) => {
        return [id, slug, name, kind, parent, path, position];
      });
      saveTerritories.run(JSON.stringify(values));
    },

    movedTerritories: (): Pick<Territory, "slug" | "path">[] => movedTerritories(db),

    /** Sets or clears the mark of moved territories. @param paths those that are elsewhere stay as they are */
    markMoved(paths: readonly string[], isMoved: boolean): void {
      setMoved.run(Number(isMoved), JSON.stringify(paths));
    },

    removeCategory: (slug: string): void => void removeCategory.run(slug),
    removeTerritory: (slug: string): void => void removeTerritory.run(slug),

    countCategory: (slug: string, channels: number): void => void countCategory.run(channels, slug),
    countTerritory: (slug: string, channels: number): void =>
      void countTerritory.run(channels, slug),
  };
}
