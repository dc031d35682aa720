import { type Database, statement } from "./database.ts";

/** A table, index, trigger or view of a schema. */
interface SchemaObject {
  type: "table" | "index" | "trigger" | "view";
  name: string;
  /** Its CREATE statement. */
  sql: string;
}

/**
 * A file's tables, indexes, triggers and views by name, without those that SQLite and FTS5 create
 * themselves.
 */
export type SchemaShape = ReadonlyMap<string, SchemaObject>;

export function shapeOf(db: Database): SchemaShape {
  const objects = statement<SchemaObject>(
    db,
    `SELECT s.type, s.name, s.sql FROM sqlite_schema s
     WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       AND NOT EXISTS (SELECT 1 FROM pragma_table_list l WHERE l.name = s.name AND l.type = 'shadow')`,
  ).all();
  return new Map(objects.map((object) => [object.name, object]));
}

/** Objects that a file lacks or has in another form; additional ones are ignored. */
export function differences(found: SchemaShape, expected: SchemaShape): SchemaObject[] {
  return [...expected.values()].filter(({ name, sql }) => {
    const other = found.get(name)?.sql;
    return other === undefined || plain(other) !== plain(sql);
  });
}

/** A statement without insignificant parts: comments, quotes around names, and line breaks. */
function plain(sql: string): string {
  return sql
    .replaceAll(/--[^\n]*/g, " ")
    .replaceAll('"', "")
    .replaceAll(/\s+/g, "");
}
