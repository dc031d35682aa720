import { type Database, statement } from "../../db/database.ts";
import { beginsWords, foldText } from "../../values/fold-text.ts";

/**
 * A channel's search text is its folded title and handle, over which there is a trigram index. Its facets are
 * what filters ask for: categories, territories and marks.
 */

/** Facets use private-use characters, which are removed from titles and queries. */
const PRIVATE_USE = /[\uE000-\uF0FF]/g;
const REPLACEMENT = "\uFFFD";

/** Folds text for search: stored texts and queries alike. */
export function foldForSearch(text: string): string {
  return foldText(text).replace(PRIVATE_USE, REPLACEMENT);
}

export type FacetKind = "category" | "territory" | "mark";
const FACET_KINDS: Record<FacetKind, number> = {
  category: 0xe000,
  territory: 0xe001,
  mark: 0xe002,
};
const DIGIT_VALUES = 2048;
export const FACET_ID_MAX = DIGIT_VALUES * DIGIT_VALUES - 1;

/**
 * A facet is three characters, its kind and two digits, and so a token of the index of posts. Each of the three
 * positions uses different characters, so that three characters spanning two facets never look like a third.
 */
export function facet(kind: FacetKind, id: number): string {
  return String.fromCharCode(
    FACET_KINDS[kind],
    0xe100 + Math.floor(id / DIGIT_VALUES),
    0xe900 + (id % DIGIT_VALUES),
  );
}

/** Numbers of the marks' facets. */
export const FACET_MARKS = { aPlus: 0, verified: 1 } as const;

const KINDS_BY_CODE = new Map(
  Object.entries(FACET_KINDS).map(([kind, code]) => [code, kind as FacetKind]),
);

/** Calls back for every facet, in order. */
export function eachFacet(facets: string, visit: (kind: FacetKind, id: number) => void): void {
  for (let at = 0; at < facets.length; at += 3) {
    const kind = KINDS_BY_CODE.get(facets.charCodeAt(at));
    if (kind !== undefined) visit(kind, idOfFacet(facets, at));
  }
}

function idOfFacet(facets: string, at = 0): number {
  return (facets.charCodeAt(at + 1) - 0xe100) * DIGIT_VALUES + facets.charCodeAt(at + 2) - 0xe900;
}

interface Faceted {
  /** Ids of the primary and additional categories. */
  categoryIds: readonly number[];
  /** Ids of the territory and all that contain it, itself last. */
  territoryIds: readonly number[];
  aPlus: boolean;
  verified: boolean;
}

export function facetsOf({ categoryIds, territoryIds, aPlus, verified }: Faceted): string {
  return [
    ...categoryIds.map((id) => facet("category", id)),
    ...territoryIds.map((id) => facet("territory", id)),
    ...(aPlus ? [facet("mark", FACET_MARKS.aPlus)] : []),
    ...(verified ? [facet("mark", FACET_MARKS.verified)] : []),
  ].join("");
}

/** Title and handle, each on a line: folded text has no line breaks, so no query matches across them. */
export function searchTextOf(title: string, handle: string | null): string {
  return `${foldForSearch(title)}\n${foldForSearch(handle ?? "")}`;
}

/**
 * Limit for the characters of a word or text that are looked up in the index: so many already leave few
 * candidates.
 */
const POINTS_MAX = 60;

/** A folded text that is searched in titles and handles. */
export interface SearchedText {
  text: string;
  /** Its words, joined by spaces, which are found in any order as well; null if they are found as they stand only. */
  words: string | null;
  /** Trigrams that every match contains, in their order: of each word, or of the text as it stands. */
  pieces: readonly (readonly string[])[];
}

/**
 * Words are what stands between spaces, so that signs are searched as they are. All must fit the index: beside a
 * word of two letters a frequent one took 300 ms among 300,000 channels.
 */
export function searchedText(given: string): SearchedText {
  const text = foldForSearch(given);
  const all = text.split(" ");
  const words = [...new Set(all)];
  const ofWords = words.map(trigramsOf);
  return all.length < 2 || ofWords.some(({ length }) => length === 0)
    ? { text, words: null, pieces: [trigramsOf(text)] }
    : { text, words: words.join(" "), pieces: ofWords };
}

/** Whether a title and a handle, folded, contain the text, or its words in any order. */
export function isFoundIn({ text, words }: SearchedText, title: string, handle: string): boolean {
  return (
    title.includes(text) ||
    handle.includes(text) ||
    (words !== null && beginsWords(`${title}\n${handle}`, words))
  );
}

/** Trigrams of a text of at least three characters; counted in code points, as FTS5 does. */
export function trigramsOf(text: string): string[] {
  const points = [...text].slice(0, POINTS_MAX);
  return points.slice(2).map((_, at) => points.slice(at, at + 3).join(""));
}

/**
 * Search texts and the index over them, which contains public channels by number. `write` updates the index, in
 * the same transaction and in the order of the channels' numbers, because FTS5 starts a new segment whenever a
 * row's number is below the previous one.
 */
export function createSearchIndex(db: Database) {
  const isIndexed = statement(
    db,
    "SELECT 1 FROM channels c CROSS JOIN channel_texts t ON t.id = c.id WHERE c.id = ? AND c.is_public = 1",
  );
  const putText = statement(
    db,
    `INSERT INTO channel_texts (id, search_text, facets) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET search_text = excluded.search_text, facets = excluded.facets`,
  );
  const remove = statement(
    db,
    "DELETE FROM channel_search WHERE rowid IN (SELECT CAST(value AS INTEGER) FROM json_each(?))",
  );
  const add = statement(
    db,
    `INSERT INTO channel_search (rowid, search_text)
     SELECT t.id, t.search_text FROM channel_texts t CROSS JOIN channels c ON c.id = t.id
     WHERE c.is_public = 1 AND t.id IN (SELECT value FROM json_each(?)) ORDER BY t.id`,
  );
  /** Channels to be reindexed, each with whether the index contains it. */
  const changed = new Map<number, boolean>();

  return {
    /** Must be called before a channel is written that is new to the index. */
    adding(id: number): void {
      if (!changed.has(id)) changed.set(id, false);
    },

    /** Must be called before a channel is written whose title, handle or visibility changes. */
    changing(id: number): void {
      if (!changed.has(id)) changed.set(id, isIndexed.get(id) !== undefined);
    },

    /** Stores a channel's text and facets. */
    put(id: number, text: string, facets: string): void {
      putText.run(id, text, facets);
    },

    /** Updates the index for the channels noted since the last call. @returns their number */
    write(): number {
      const count = changed.size;
      if (count === 0) return 0;
      const indexed = [...changed].flatMap(([id, isThere]) => (isThere ? id : []));
      if (indexed.length > 0) remove.run(JSON.stringify(indexed));
      add.run(JSON.stringify([...changed.keys()]));
      changed.clear();
      return count;
    },
  };
}
