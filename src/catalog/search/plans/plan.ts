import type { Database } from "../../../db/database.ts";
import type { Query } from "../query.ts";
import type { Found } from "./found.ts";

/** One way to find a page. */
export interface Plan {
  name: string;
  /** It is tried where all of these hold. */
  applies: readonly Condition[];
  /** Null where it gives up. */
  run(db: Database, query: Query): Found[] | null;
  /** Why it gives up; left out where it never does. */
  givesUp?: string;
}

/** Something that a plan rests on, with its words for `kanalog search explain`. */
interface Condition {
  words: string;
  holds(query: Query): boolean;
  /** The numbers by which it holds, or does not. */
  figures?(query: Query): string;
}

export const IS_SEARCH: Condition = {
  words: "the search index is asked for a text, a category, a territory or a mark",
  holds: ({ expression }) => expression !== null,
};

/** About so many, as a person reads it. */
export function about(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}
