import type { Database } from "../../db/database.ts";
import { foldText, nearestCodes } from "../../values/fold-text.ts";
import * as shape from "../../values/schema.ts";
import { createDirectoryStore } from "./directory.store.ts";
import type { Category, Territory, TerritoryKind } from "./directory.table.ts";
import { TERRITORY_KINDS } from "./directory.table.ts";

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

    category: (slug: string): Category | null => store.category(slug) ?? null,
    territory: (slug: string): Territory | null => store.territory(slug) ?? null,
    categoryId: (slug: string): number | null => store.category(slug)?.id ?? null,
    territoryId: (slug: string): number | null => store.territory(slug)?.id ?? null,

    /** Codes of categories with a name, in any case; or of those with it as a word of their name. */
    categoriesNamed: (name: string): string[] => codesOrWord(store.categories(), name),
    territoriesNamed: (name: string): string[] => codesOrWord(store.territories(), name, outermost),
  };
}

/** Finds entries of a directory by the names that people write for them. */
interface EntryNames {
  /** Codes of those that have a name: none if there is no such entry, several if it is ambiguous. */
  codes(name: string): string[];
  /** Up to three codes of entries with names like it. */
  near(name: string): string[];
}

/** The names of both directories, which are read for the first name. */
export function createEntryNames(db: Database): { category: EntryNames; territory: EntryNames } {
  const store = createDirectoryStore(db);
  return {
    category: namesOf(store.categories),
    territory: namesOf(() => store.territories().flatMap(withOtherNames), outermost),
  };
}

/** @param choose those that a name stands for, of all that have it */
function namesOf<Entry extends { slug: string; name: string }>(
  entries: () => readonly Entry[],
  choose = (namesakes: Entry[]): Entry[] => namesakes,
): EntryNames {
  let byName: Map<string, Entry[]> | null = null;
  const read = (): Map<string, Entry[]> => {
    byName ??= Map.groupBy(entries(), (entry) => plainName(entry.name));
    return byName;
  };
  function find(name: string): string[] {
    const plain = plainName(name);
    const named = read().get(plain);
    const code = named ?? entries().filter(({ slug }) => slug === plain);
    const found = choose(code.length > 0 ? code : withWords(read(), plain));
    return [...new Set(found.map(({ slug }) => slug))];
  }
  return {
    codes: remembered(find),
    near: remembered((name) => [...new Set(nearestCodes(name, entries()))]),
  };
}

/** Names that are remembered: a column has the same few again and again. */
const NAMES_MAX = 10_000;

function remembered(find: (name: string) => string[]): (name: string) => string[] {
  const known = new Map<string, string[]>();
  return (name) => {
    const found = known.get(name) ?? find(name);
    if (known.size < NAMES_MAX) known.set(name, found);
    return found;
  };
}

/** Entries whose names have all words of a text, such as a republic without that word. */
function withWords<Entry>(byName: ReadonlyMap<string, Entry[]>, text: string): Entry[] {
  const wanted = text.split(" ");
  const found = [...byName].filter(([name]) => {
    const words = name.split(" ");
    return wanted.every((word) => words.includes(word));
  });
  return text === "" ? [] : found.flatMap(([, entries]) => entries);
}

/** Words that people shorten, or put before a city's name. */
const SHORTENED: readonly (readonly [RegExp, string])[] = [
  [/(?<!\S)обл\.?(?!\S)/g, "область"],
  [/(?<!\S)респ\.?(?!\S)/g, "республика"],
  [/(?<!\S)(?:г\.?|город|гор\.)\s+/g, ""],
];

function plainName(name: string): string {
  const folded = foldText(name.replace(/(?<=\p{L}\.)(?=\p{L})/gu, " "));
  return SHORTENED.reduce((text, [short, whole]) => text.replace(short, whole), folded).trim();
}

/** ISO codes of the countries that the directory may have. */
const COUNTRIES = ["RU", "AM", "AZ", "BY", "GE", "KZ", "KG", "MD", "TJ", "TM", "UZ", "UA"];
const [inRussian, inEnglish] = ["ru", "en"].map(
  (language) => new Intl.DisplayNames([language], { type: "region" }),
);

/** A country under its English name too. */
function withOtherNames(territory: Territory): Territory[] {
  if (territory.kind !== "country") return [territory];
  const code = COUNTRIES.find((one) => inRussian?.of(one) === territory.name);
  const other = code && inEnglish?.of(code);
  return other === undefined ? [territory] : [territory, { ...territory, name: other }];
}

/** Codes of the entries that have a name, or else of those whose name or code has it as a word. */
function codesOrWord<Entry extends { slug: string; name: string }>(
  entries: readonly Entry[],
  name: string,
  choose?: (namesakes: Entry[]) => Entry[],
): string[] {
  const whole = namesOf(() => entries, choose).codes(name);
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

export const categorySchema = shape.object(
  {
    id: shape.integer("Category number"),
    slug: shape.text("Code, for the catalog's filter `category`"),
    name: shape.text("Name in Russian"),
    channels: shape.count("Public channels and chats in the category, recounted nightly"),
    image: shape.nullable(shape.text("Address of a WebP image of up to 500 pixels")),
  },
  "Category",
);

export const territorySchema = shape.object(
  {
    id: shape.integer("Node number"),
    slug: shape.text("Code, for the catalog's filter `territory`"),
    name: shape.text("Name in Russian"),
    kind: shape.choice(TERRITORY_KINDS, "Level of the tree; `district` is a federal district"),
    parent: shape.nullable(shape.text("Code of the parent; null for a country")),
    path: shape.text("Codes from the country down to this node, separated by `/`"),
    channels: shape.count("Public channels and chats in the node and below it, recounted nightly"),
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
