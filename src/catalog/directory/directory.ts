import type { Database } from "../../db/database.ts";
import { foldText } from "../../values/fold-text.ts";
import {
  choiceSchema,
  countSchema,
  integerSchema,
  nullable,
  objectSchema,
  textSchema,
} from "../../values/schema.ts";
import { createDirectoryStore } from "./directory.store.ts";
import {
  type Category,
  TERRITORY_KINDS,
  type Territory,
  type TerritoryKind,
} from "./directory.table.ts";

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

    /** Codes of categories with a name, in any case; or of those with it as a word of their name. */
    categoriesNamed: (name: string): string[] => codesOrWord(store.categories(), name),
    territoriesNamed: (name: string): string[] => codesOrWord(store.territories(), name, outermost),
  };
}

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

/** Codes of the entries that have a name, or else of those whose name or code has it as a word. */
function codesOrWord<Entry extends { slug: string; name: string }>(
  entries: readonly Entry[],
  name: string,
  choose?: (namesakes: Entry[]) => Entry[],
): string[] {
  const whole = namesOf(() => entries, choose)(name);
  if (whole.length > 0) return whole;
  const word = foldText(name);
  const having = entries.filter(
    (entry) =>
      entry.slug === word ||
      foldText(entry.name)
        .split(/[\s()—]+/)
        .includes(word),
  );
  return (choose?.(having) ?? having).map(({ slug }) => slug);
}

/** Without territories inside another one: Moscow is a region, and the city in it. */
function outermost(namesakes: Territory[]): Territory[] {
  return namesakes.filter(
    ({ path }) => !namesakes.some((other) => path.startsWith(`${other.path}/`)),
  );
}

export const categorySchema = objectSchema(
  {
    id: integerSchema({ description: "Category number" }),
    slug: textSchema({ description: "Code, for the catalog's filter `category`" }),
    name: textSchema({ description: "Name in Russian" }),
    channels: countSchema("Public channels and chats in the category, recounted nightly"),
    image: nullable(textSchema({ description: "Address of a WebP image of up to 500 pixels" })),
  },
  "Category",
);

export const territorySchema = objectSchema(
  {
    id: integerSchema({ description: "Node number" }),
    slug: textSchema({ description: "Code, for the catalog's filter `territory`" }),
    name: textSchema({ description: "Name in Russian" }),
    kind: choiceSchema(TERRITORY_KINDS, {
      description: "Level of the tree; `district` is a federal district",
    }),
    parent: nullable(textSchema({ description: "Code of the parent; null for a country" })),
    path: textSchema({ description: "Codes from the country down to this node, separated by `/`" }),
    channels: countSchema("Public channels and chats in the node and below it, recounted nightly"),
  },
  "Territory",
);

interface Node {
  slug: string;
  kind: TerritoryKind;
  parent: string | null;
}

/** Whether `parent` may be above `child`: levels go from the country down. */
export function mayContain(parent: TerritoryKind, child: TerritoryKind): boolean {
  return TERRITORY_KINDS.indexOf(parent) < TERRITORY_KINDS.indexOf(child);
}

/**
 * Nodes in tree order with their paths: parents first, each followed by its branch, siblings in the given
 * order.
 */
export function inTreeOrder<T extends Node>(nodes: readonly T[]): (T & { path: string })[] {
  const children = Map.groupBy(nodes, ({ parent }) => parent);
  const ordered: (T & { path: string })[] = [];
  const visit = (parent: string | null, pathBefore: string): void => {
    for (const node of children.get(parent) ?? []) {
      const path = pathBefore + node.slug;
      ordered.push({ ...node, path });
      visit(node.slug, `${path}/`);
    }
  };
  visit(null, "");
  return ordered;
}

/** Counts by slug, each including all nodes below it. */
export function withDescendants(
  nodes: readonly { slug: string; path: string }[],
  own: ReadonlyMap<string, number>,
): Map<string, number> {
  const totals = new Map<string, number>();
  for (const { slug, path } of nodes) {
    const count = own.get(slug) ?? 0;
    for (const ancestor of path.split("/")) {
      totals.set(ancestor, (totals.get(ancestor) ?? 0) + count);
    }
  }
  return totals;
}
