import type { Database } from "../../db/database.ts";
import { foldText } from "../../values/fold-text.ts";
import { createDirectoryStore } from "./directory.store.ts";

/** Finds a category's code by its displayed name; undefined if no category has that name, or two do. */
export function createCategoryNames(db: Database): (name: string) => string | undefined {
  const byName = Map.groupBy(createDirectoryStore(db).categories(), ({ name }) => foldText(name));
  return (name) => {
    const [first, ...others] = byName.get(foldText(name)) ?? [];
    return others.length === 0 ? first?.slug : undefined;
  };
}
