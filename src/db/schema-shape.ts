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

/**
 * Brings a file to the shape of its version: programs between two releases created different tables under
 * the same version. Rows are kept, with the columns that both shapes share; derived data is rebuilt. Runs
 * in a transaction, with foreign keys off.
 * @throws Error of SQLite if a row lacks what its table now requires
 */
export function mendShape(db: Database, expected: SchemaShape): void {
  const differing = differences(shapeOf(db), expected);
  if (differing.length === 0) return;
  for (const { name, type } of shapeOf(db).values()) {
    // A trigger of the old shape would write to columns that no longer exist.
    if (type === "trigger") db.exec(`DROP TRIGGER ${name}`);
  }
  for (const object of differing) if (object.type === "table") mendTable(db, object);
  // Dropping a table also dropped its indexes.
  for (const { type, name, sql } of differences(shapeOf(db), expected)) {
    db.exec(`DROP ${type} IF EXISTS ${name}`);
    db.exec(sql);
  }
  db.exec(DERIVED);
}

function mendTable(db: Database, { name, sql }: SchemaObject): void {
  const former = shapeOf(db).get(name);
  const isKept = former !== undefined && !NOT_KEPT.has(name) && ![former.sql, sql].some(isVirtual);
  if (isKept) db.exec(`CREATE TEMP TABLE kept AS SELECT * FROM main.${name}`);
  const sequence = statement<{ seq: number }>(db, "SELECT seq FROM sqlite_sequence WHERE name = ?");
  const highest = sequence.get(name)?.seq;
  db.exec(`DROP TABLE IF EXISTS main.${name}`);
  db.exec(sql);
  if (!isKept) return;
  const columns = statement<{ name: string }>(
    db,
    `SELECT n.name FROM pragma_table_info(?, 'main') n JOIN pragma_table_info('kept', 'temp') f
     ON f.name = n.name`,
  ).all(name);
  const kept = Object.fromEntries(columns.map((column) => [column.name, column.name]));
  const values = { ...ADDED[name], ...kept };
  db.exec(`
    INSERT INTO main.${name} (${Object.keys(values).join(", ")})
      SELECT ${Object.values(values).join(", ")} FROM temp.kept;
    DROP TABLE temp.kept`);
  if (highest === undefined) return;
  statement(db, "DELETE FROM sqlite_sequence WHERE name = ?").run(name);
  statement(db, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(name, highest);
}

/** Tables whose rows need not be kept: they only tell running processes what to reload. */
const NOT_KEPT = new Set(["alert_changes"]);

/** SQL for required columns that the old table did not have, by table and column. */
const ADDED: Record<string, Record<string, string>> = {
  cluster_copy: { copy_id: "lower(hex(randomblob(16)))" },
};

const isVirtual = (sql: string): boolean => /^\s*CREATE VIRTUAL/i.test(sql);

/** Rebuilds rows derived from other tables: webhooks by channel, and the post index in the background. */
const DERIVED = `
INSERT INTO webhook_lists (webhook_id, channels)
  SELECT id, (SELECT json_group_array(channel_id) FROM (
    SELECT channel_id FROM webhook_channels WHERE webhook_id = webhooks.id ORDER BY rowid))
  FROM webhooks WHERE id NOT IN (SELECT webhook_id FROM webhook_lists);
INSERT INTO post_search_state (phase, after_id)
  SELECT 'building', 0 WHERE NOT EXISTS (SELECT 1 FROM post_search_state);
UPDATE post_search_state SET phase = 'clearing', after_id = 0 WHERE phase IN ('building', 'ready');
`;
