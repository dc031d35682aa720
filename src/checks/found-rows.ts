import { type Database, statement } from "../db/database.ts";

/** Named of each kind of fault; the number of all is told. */
const NAMED_MAX = 5;

/**
 * The sentence for rows that must not be there; none where there are none.
 * @param sql selects one column, what names the row
 */
export function foundRows(db: Database, what: string, sql: string): string[] {
  const rows = statement<{ name: unknown }>(db, sql).all();
  if (rows.length === 0) return [];
  const names = rows.slice(0, NAMED_MAX).map(({ name }) => String(name));
  const more = rows.length - names.length;
  return [`${what}: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`];
}
