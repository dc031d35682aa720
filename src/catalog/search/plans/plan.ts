import type { Database } from "../../../db/database.ts";
import type { Query } from "../query.ts";
import type { Found } from "./found.ts";

export interface Plan {
  name: string;
  /** Conditions for trying it; all must hold. */
  applies: readonly Condition[];
  /** Finds the page; null if it gives up. */
  run(db: Database, query: Query): Found[] | null;
  /** Why it gives up, for `kanalog search explain`; absent if it never does. */
  givesUp?: string;
}

/** A condition of a plan, described for `kanalog search explain`. */
interface Condition {
  words: string;
  holds(query: Query): boolean;
  /** The numbers that decide whether it holds. */
  figures?(query: Query): string;
}

export const IS_SEARCH: Condition = {
  words: "the search index is asked for a text, a category, a territory or a mark",
  holds: ({ expression }) => expression !== null,
};

export function about(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}
