import { type Database, statement } from "../../db/database.ts";

/** Named of each kind of fault; the number of all is told. */
const NAMED_MAX = 5;

/**
 * The sentence for rows that must not be there; none where there are none.
 * @param sql selects one column, what names the row
 */
export function foundRows(db: Database, what: string, sql: string): string[] {
  return faultOf(
    what,
    statement<{ name: unknown }>(db, sql)
      .all()
      .map(({ name }) => name),
  );
}

/** The sentence for things that must not be; none where there are none. */
export function faultOf(what: string, all: readonly unknown[]): string[] {
  if (all.length === 0) return [];
  const names = all.slice(0, NAMED_MAX).map(String);
  const more = all.length - names.length;
  return [`${what}: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`];
}
