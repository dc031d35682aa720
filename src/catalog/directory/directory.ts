import type { Database } from "../../db/database.ts";
import { createDirectoryStore } from "./directory.store.ts";
import type { Category, Territory, TerritoryKind } from "./directory.table.ts";

export type Directory = ReturnType<typeof createDirectory>;

/** Only imports change the directories. */
export function createDirectory(db: Database) {
  const store = createDirectoryStore(db);

  return {
    /** In directory order. */
    categories: (): Category[] => store.categories(),

    /** In tree order, parents first; `parent` selects direct children only. */
    territories(filter: { kind?: TerritoryKind; parent?: string }): Territory[] {
      return store
        .territories()
        .filter(({ kind }) => filter.kind === undefined || kind === filter.kind)
        .filter(({ parent }) => filter.parent === undefined || parent === filter.parent);
    },

    /** Codes of a node and everything below it; empty if there is no such node. */
    branch(slug: string): string[] {
      const all = store.territories();
      const path = all.find((one) => one.slug === slug)?.path;
      return all
        .filter((one) => one.path === path || one.path.startsWith(`${path}/`))
        .map((one) => one.slug);
    },

    categoryId: (slug: string): number | null => store.category(slug)?.id ?? null,
    territoryId: (slug: string): number | null => store.territory(slug)?.id ?? null,
  };
}
