import { statement, type Transaction } from "../database.ts";
import { type RowImage, SEQUENCES } from "./changed-rows.ts";
import type { Column, SharedTable } from "./shared-tables.ts";

/**
 * Brings what a node fills by itself (indexes) to shared rows that are written into its file.
 * @param ids numbers of rows of `channels` and `posts` among those to be written or removed
 */
export interface Derived {
  /** Before the rows are written. @returns what is to be done after it, in the same transaction */
  begin(
    tx: Transaction,
    ids: { channels: readonly number[]; posts: readonly number[] },
  ): () => void;
}

/** Queues that triggers of the schema fill where posts are written: their rows come with the others. */
const FILLED_BY_TRIGGERS = ["read_posts", "alert_posts"];
/** The tables whose rows have derived ones: these are written before the queues above. */
const POSTS = "posts";

/**
 * Writes rows of other nodes into the file. Foreign keys are not checked meanwhile (`applying` of the
 * transaction): the rows of a commit come together, in any order.
 */
export function createApplyRows(tables: readonly SharedTable[], derived: Derived) {
  const byName = new Map(tables.map((table) => [table.name, table]));

  return (tx: Transaction, rows: readonly RowImage[]): void => {
    const byTable = Map.groupBy(rows, ({ table }) => table);
    const finish = derived.begin(tx, {
      channels: idsOf([
        ...(byTable.get("channels") ?? []),
        ...(byTable.get("channel_texts") ?? []),
      ]),
      posts: idsOf(byTable.get(POSTS) ?? []),
    });
    // Taken before rows are written, which would raise them: they are the same on all nodes.
    const numbered = (byTable.get(SEQUENCES) ?? []).map(({ row }) => {
      const { name, seq } = JSON.parse(row as string) as { name: string; seq: number };
      return { name, sequence: Math.max(seq, sequenceOf(tx, name)) };
    });
    const posts = byTable.get(POSTS) ?? [];
    if (posts.length > 0) {
      const before = FILLED_BY_TRIGGERS.map((name) => [name, sequenceOf(tx, name)] as const);
      write(tx, POSTS, posts);
      for (const [name, sequence] of before) {
        statement(tx, `DELETE FROM ${name} WHERE sequence > ?`).run(sequence);
        setSequence(tx, name, sequence);
      }
    }
    for (const [name, some] of byTable) {
      if (name !== POSTS && name !== SEQUENCES) write(tx, name, some);
    }
    for (const { name, sequence } of numbered) setSequence(tx, name, sequence);
    finish();
  };

  function write(tx: Transaction, name: string, rows: readonly RowImage[]): void {
    const table = byName.get(name);
    // A newer program's table: this one reads none of it.
    if (table === undefined) return;
    const keys = rows.flatMap(({ key, row }) => (row === null ? key : []));
    if (keys.length > 0) statement(tx, removeSql(table)).run(`[${keys.join(",")}]`);
    const images = rows.flatMap(({ row }) => row ?? []);
    if (images.length === 0) return;
    const given = `[${images.join(",")}]`;
    for (const group of table.unique) statement(tx, makeWaySql(table, group)).run(given);
    statement(tx, writeSql(table)).run(given);
  }
}

function idsOf(rows: readonly RowImage[]): number[] {
  return [...new Set(rows.map(({ key }) => (JSON.parse(key) as [number])[0]))];
}

function sequenceOf(tx: Transaction, name: string): number {
  const sql = "SELECT seq FROM sqlite_sequence WHERE name = ?";
  return statement<{ seq: number }>(tx, sql).get(name)?.seq ?? 0;
}

function setSequence(tx: Transaction, name: string, sequence: number): void {
  const { changes } = statement(tx, "UPDATE sqlite_sequence SET seq = ? WHERE name = ?").run(
    sequence,
    name,
  );
  if (changes > 0 || sequence === 0) return;
  statement(tx, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(name, sequence);
}

export function removeSql({ name, key }: SharedTable): string {
  const columns = key.map((column) => column.name).join(", ");
  const given = key.map(({ isBlob }, at) => fromJson(`k.value ->> ${at}`, isBlob)).join(", ");
  return `DELETE FROM ${name} WHERE (${columns}) IN (SELECT ${given} FROM json_each(?) k)`;
}

/** A value that two rows exchange stands in the way of the first: the second is written anew. */
export function makeWaySql({ name, key }: SharedTable, group: readonly Column[]): string {
  const same = group.map((column) => `t.${column.name} = ${givenValue(column)}`).join(" AND ");
  const other = key.map((column) => `t.${column.name} = ${givenValue(column)}`).join(" AND ");
  const row = key.map((column) => `t.${column.name}`).join(", ");
  const columns = key.map((column) => column.name).join(", ");
  return `
    DELETE FROM ${name} WHERE (${columns}) IN (
      SELECT ${row} FROM json_each(?) r JOIN ${name} t ON ${same} WHERE NOT (${other}))`;
}

export function writeSql({ name, key, columns }: SharedTable): string {
  const names = columns.map((column) => column.name);
  const rest = names.filter((column) => !key.some((one) => one.name === column));
  const change =
    rest.length === 0
      ? "NOTHING"
      : `UPDATE SET ${rest.map((column) => `${column} = excluded.${column}`).join(", ")}`;
  // Without a key of its own a table has one row number for each row, which is no conflict's target.
  const isKeyless = key.length === 1 && key[0]?.name === "rowid";
  return `
    INSERT ${isKeyless ? "OR REPLACE " : ""}INTO ${name} (${names.join(", ")})
    SELECT ${columns.map(givenValue).join(", ")} FROM json_each(?) r WHERE true
    ${isKeyless ? "" : `ON CONFLICT (${key.map((one) => one.name).join(", ")}) DO ${change}`}`;
}

/** SQL: a column's value in the row of `json_each(…) r`. */
function givenValue({ name, isBlob, fallback }: Column): string {
  const value = fromJson(`r.value ->> '${name}'`, isBlob);
  return fallback === null ? value : `ifnull(${value}, ${fallback})`;
}

function fromJson(value: string, isBlob: boolean): string {
  return isBlob ? `unhex(${value})` : `(${value})`;
}
