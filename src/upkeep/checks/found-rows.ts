import { type Database, statement } from "../../db/database.ts";

/** Named of each kind of fault; the number of all is told. */
const NAMED_MAX = 5;

/**
 * Sentences for rows that must not be there.
 * @param checks what such rows are called, each with the SQL that selects one column, what names the row
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

/** The sentence for things that must not be; none where there are none. */
export function faultOf(what: string, all: readonly unknown[]): string[] {
  if (all.length === 0) return [];
  const names = all.slice(0, NAMED_MAX).map(String);
  const more = all.length - names.length;
  return [`${what}: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`];
}

/** The sentence for texts that must not be, of which there may be many. */
export function countOf(what: string, all: readonly string[]): string[] {
  const [first] = all;
  return first === undefined ? [] : [`${what}: ${all.length}, such as ${JSON.stringify(first)}.`];
}
