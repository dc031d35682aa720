import type { Database } from "../../db/database.ts";
import { foldText } from "../../values/fold-text.ts";
import { createDirectoryStore } from "./directory.store.ts";
import type { Territory } from "./directory.table.ts";

/** Codes of the entries that have a name: none if there is no such entry, several if it is ambiguous. */
type CodesNamed = (name: string) => string[];

/** Finds entries of the directories by their displayed names, which are read for the first name. */
export function createEntryNames(db: Database): { category: CodesNamed; territory: CodesNamed } {
  const store = createDirectoryStore(db);
  return {
    category: namesOf(store.categories),
    territory: namesOf(store.territories, outermost),
  };
}

/** @param choose those that a name stands for, of all that have it */
function namesOf<Entry extends { slug: string; name: string }>(
  entries: () => readonly Entry[],
  choose = (namesakes: Entry[]): Entry[] => namesakes,
): CodesNamed {
  let byName: Map<string, Entry[]> | null = null;
  return (name) => {
    byName ??= Map.groupBy(entries(), (entry) => foldText(entry.name));
    return choose(byName.get(foldText(name)) ?? []).map(({ slug }) => slug);
  };
}

/** Without territories inside another one: Moscow is a region, and the city in it. */
function outermost(namesakes: Territory[]): Territory[] {
  return namesakes.filter(
    ({ path }) => !namesakes.some((other) => path.startsWith(`${other.path}/`)),
  );
}
