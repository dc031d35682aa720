import { type Database, statement, type Transaction } from "../../db/database.ts";
import { isToBeRenewed, selectParts } from "./parts.store.ts";

/**
 * Phases of the index:
 *
 * - `off`: nothing is indexed.
 * - `clearing`: nothing is indexed, and the index is being emptied; `off` follows.
 * - `building`: posts being written are indexed, and earlier ones are being added.
 * - `comparing`: as `ready`, while posts that are missing all the same are being added.
 * - `ready`: the index contains all posts.
 */
type Phase = "off" | "clearing" | "building" | "comparing" | "ready";

/** Whether posts being written are indexed. */
export function isIndexed(phase: Phase): boolean {
  return phase !== "off" && phase !== "clearing";
}

/** Whether searches are answered. */
export function isSearched(phase: Phase): boolean {
  return phase === "ready" || phase === "comparing";
}

export interface State {
  phase: Phase;
  /** While building or comparing: posts up to this number are in the index. */
  after_id: number;
  /** Greatest distance of a post's row from the first row of its minute (index-text.ts). */
  spill: number;
  /** Changes whenever the index is emptied. */
  edition: number;
}

export function selectState(db: Database): State {
  const state = statement<State>(
    db,
    "SELECT phase, after_id, spill, edition FROM post_search_state",
  ).get();
  if (state === undefined) throw new Error("the state of post search has no row");
  return state;
}

export function updateSpill(db: Database, spill: number): void {
  statement(db, "UPDATE post_search_state SET spill = ?").run(spill);
}

export function updateState(tx: Transaction, phase: Phase, afterId: number): void {
  statement(tx, "UPDATE post_search_state SET phase = ?, after_id = ?").run(phase, afterId);
}

export interface PostSearchProgress {
  phase: Phase;
  /** Indexed posts in whole percent, or parts that need not be renewed; 100 only if all are. */
  percent: number;
}

export function selectProgress(db: Database): PostSearchProgress {
  const { phase, after_id } = selectState(db);
  if (!isIndexed(phase)) return { phase, percent: 0 };
  const parts = selectParts(db).filter(({ state }) => state === "read");
  const renewed = parts.filter((part) => !isToBeRenewed(part)).length;
  if (phase === "ready" && renewed === parts.length) return { phase, percent: 100 };
  // Posts are processed by number.
  const last =
    statement<{ id: number | null }>(db, "SELECT max(id) AS id FROM posts").get()?.id ?? 0;
  const done = phase === "ready" ? renewed / parts.length : after_id / Math.max(1, last);
  return { phase, percent: Math.min(99, Math.floor(100 * done)) };
}

export function countSearched(db: Database): number {
  return statement<{ n: number }>(db, "SELECT count(*) AS n FROM searched_posts").get()?.n ?? 0;
}
