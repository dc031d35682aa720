import { type Database, statement } from "./database.ts";

/** A table, index, trigger or view of a schema. */
interface SchemaObject {
  type: "table" | "index" | "trigger" | "view";
  name: string;
  /** The statement that makes it. */
  sql: string;
}

/** A file's tables, indexes, triggers and views by name, but for those that SQLite and FTS5 make by themselves. */
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

/** Objects that a file lacks, or that another statement made; those that it has besides are left alone. */
export function differences(found: SchemaShape, expected: SchemaShape): SchemaObject[] {
  return [...expected.values()].filter(({ name, sql }) => {
    const other = found.get(name)?.sql;
    return other === undefined || plain(other) !== plain(sql);
  });
}

/** A statement without what means nothing: comments, quotes around names, and how it is broken into lines. */
function plain(sql: string): string {
  return sql
    .replaceAll(/--[^\n]*/g, " ")
    .replaceAll('"', "")
    .replaceAll(/\s+/g, "");
}

/**
 * Brings a file to the shape that its version should have: programs between two releases made tables of the same
 * version that were others. Rows stay, with the columns that both shapes have. What is derived is made anew.
 * Runs in a transaction, with foreign keys off.
 * @throws where a row lacks what its table must have now
 */
export function mendShape(db: Database, expected: SchemaShape): void {
  const differing = differences(shapeOf(db), expected);
  if (differing.length === 0) return;
  for (const { name, type } of shapeOf(db).values()) {
    // A trigger of the former shape would write what its tables have no more.
    if (type === "trigger") db.exec(`DROP TRIGGER ${name}`);
  }
  for (const object of differing) if (object.type === "table") mendTable(db, object);
  // With a table went its indexes.
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

/** Its rows only tell processes that run what to read again. */
const NOT_KEPT = new Set(["alert_changes"]);

/** SQL of what rows must have that their former table had not, by table and column. */
const ADDED: Record<string, Record<string, string>> = {
  cluster_copy: { copy_id: "lower(hex(randomblob(16)))" },
};

const isVirtual = (sql: string): boolean => /^\s*CREATE VIRTUAL/i.test(sql);

/** Rows that follow from other tables: lists of webhooks by their channels, the index of posts in the background. */
const DERIVED = `
INSERT INTO webhook_lists (webhook_id, channels)
  SELECT id, (SELECT json_group_array(channel_id) FROM (
    SELECT channel_id FROM webhook_channels WHERE webhook_id = webhooks.id ORDER BY rowid))
  FROM webhooks WHERE id NOT IN (SELECT webhook_id FROM webhook_lists);
INSERT INTO post_search_state (phase, after_id)
  SELECT 'building', 0 WHERE NOT EXISTS (SELECT 1 FROM post_search_state);
UPDATE post_search_state SET phase = 'clearing', after_id = 0 WHERE phase IN ('building', 'ready');
`;
