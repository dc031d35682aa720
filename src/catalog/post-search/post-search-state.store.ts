import { type Database, statement, type Transaction } from "../../db/database.ts";
import { dictionaryName } from "./dictionary/lemmas.ts";

/**
 * Phases of the index:
 *
 * - `off`: nothing is indexed.
 * - `clearing`: nothing is indexed, and the index is being emptied; `off` follows.
 * - `building`: posts being written are indexed, and earlier ones are being added.
 * - `ready`: the index contains all posts.
 */
type Phase = "off" | "clearing" | "building" | "ready";

/** Whether posts being written are indexed. */
export function isIndexed(phase: Phase): boolean {
  return phase === "building" || phase === "ready";
}

export interface State {
  phase: Phase;
  /** While building: posts up to this number are in the index. */
  after_id: number;
  /** Greatest distance of a post's row from the first row of its minute (index-rows.ts). */
  spill: number;
  /** Changes whenever the index is emptied. */
  edition: number;
  /** Names the dictionary that it was made with (dictionary/lemmas.ts); empty before its first post. */
  dictionary: string;
}

/** Whether it was made with another dictionary, or none, so that queries would not find its words. */
export function isOutdated({ phase, dictionary }: State): boolean {
  return isIndexed(phase) && dictionary !== "" && dictionary !== dictionaryName();
}

export function selectState(db: Database): State {
  const state = statement<State>(
    db,
    "SELECT phase, after_id, spill, edition, dictionary FROM post_search_state",
  ).get();
  if (state === undefined) throw new Error("the state of post search has no row");
  return state;
}

export function updateDictionary(db: Database): void {
  statement(db, "UPDATE post_search_state SET dictionary = ?").run(dictionaryName());
}

export function updateSpill(db: Database, spill: number): void {
  statement(db, "UPDATE post_search_state SET spill = ?").run(spill);
}

export function updateState(tx: Transaction, phase: Phase, afterId: number): void {
  statement(tx, "UPDATE post_search_state SET phase = ?, after_id = ?").run(phase, afterId);
}

export interface PostSearchProgress {
  phase: Phase;
  /** Indexed posts in whole percent; 100 only if all are. */
  percent: number;
}

/** Progress is derived from numbers, because posts are processed by number. */
export function selectProgress(db: Database): PostSearchProgress {
  const state = selectState(db);
  if (isOutdated(state)) return { phase: "clearing", percent: 0 };
  const { phase, after_id } = state;
  if (phase !== "building") return { phase, percent: phase === "ready" ? 100 : 0 };
  const last =
    statement<{ id: number | null }>(db, "SELECT max(id) AS id FROM posts").get()?.id ?? 0;
  const percent = last === 0 ? 0 : Math.floor((100 * after_id) / last);
  return { phase, percent: Math.min(99, percent) };
}

export function countSearched(db: Database): number {
  return statement<{ n: number }>(db, "SELECT count(*) AS n FROM searched_posts").get()?.n ?? 0;
}
