import { type Database, statement } from "../../db/database.ts";

/** One thing that an appliance or a cluster needs, and how it is. */
export interface Finding {
  check: string;
  state: "ok" | "wrong" | "unknown";
  found: string;
  /** The remedy; empty if it is well. */
  advice: string;
}

/** How it is, before it is named. */
export type Found = Omit<Finding, "check">;

const as =
  (state: Finding["state"]) =>
  (found: string, advice: string): Found => ({ state, found, advice });

export const ok = (found: string): Found => as("ok")(found, "");
export const wrong = as("wrong");
export const unknown = as("unknown");
/** @param fault what to do if it is not well; null if it is */
export const judged = (found: string, fault: string | null): Found =>
  fault === null ? ok(found) : wrong(found, fault);

export const named = (all: Readonly<Record<string, Found>>): Finding[] =>
  Object.entries(all).map(([check, found]) => ({ check, ...found }));

/** Examples listed for each kind of fault, beside the total. */
const NAMED_MAX = 5;

/**
 * Sentences about rows that must not exist.
 * @param checks SQL by the kind of rows it finds; its one column, `name`, identifies the row
 */
export function foundRows(db: Database, checks: Readonly<Record<string, string>>): string[] {
  return Object.entries(checks).flatMap(([what, sql]) => {
    const found = statement<{ name: unknown }>(db, sql).all();
    return faultOf(
      what,
      found.map(({ name }) => name),
    );
  });
}

/** A sentence about things that must not exist; empty if there are none. */
export function faultOf(what: string, all: readonly unknown[]): string[] {
  if (all.length === 0) return [];
  const names = all.slice(0, NAMED_MAX).map(String);
  const more = all.length - names.length;
  return [`${what}: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`];
}

/**
 * A sentence that counts texts that must not exist, with one of them as an example; empty if there are
 * none.
 */
export function countOf(what: string, all: readonly string[]): string[] {
  const [first] = all;
  return first === undefined ? [] : [`${what}: ${all.length}, such as ${JSON.stringify(first)}.`];
}

/**
 * Makes an index's vocabulary readable as a temporary table of this connection: nothing is written to the
 * file.
 * @param of the index, and the type of vocabulary table (see FTS5's `fts5vocab`)
 */
export function openVocabulary(db: Database, name: string, of: string): void {
  db.pragma("query_only = OFF");
  try {
    db.exec(`DROP TABLE IF EXISTS temp.${name}`);
    db.exec(`CREATE VIRTUAL TABLE temp.${name} USING fts5vocab (main, ${of})`);
  } finally {
    db.pragma("query_only = ON");
  }
}
