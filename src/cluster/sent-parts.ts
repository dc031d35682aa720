import { createHash } from "node:crypto";
import { type Database, statement } from "../db/database.ts";
import type { Session } from "./connection.ts";
import type { RowImage, SharedTable } from "./shared-tables.ts";
import { allImagesSql, fromJson, SEQUENCES, sharedTables } from "./shared-tables.ts";

/**
 * Parts of a file's shared rows that are in PostgreSQL: ranges of keys, which follow each other in each table.
 * The digest of a part shows whether its rows have changed since, so that sending can be repeated, and
 * continues after a kill. Rows have the number of their part as their version, because a copy takes all rows
 * of a version at once.
 */
export const PARTS_SCHEMA = `
  CREATE TABLE kanalog.parts (
    "table" text NOT NULL,
    -- Key of its first row; empty for the table's first part.
    first text NOT NULL,
    -- Beginning of the next part; null for the table's last one.
    next text,
    version bigint NOT NULL,
    digest text NOT NULL,
    PRIMARY KEY ("table", first)
  )`;

/** Rows of a part: a few megabytes. */
const ROWS_PER_PART = 2_000;

const NEWEST = "SELECT coalesce(max(version), 0)::integer AS version FROM kanalog.parts";
const OF_TABLE = `
  SELECT first, next, version::integer, digest FROM kanalog.parts WHERE "table" = $1`;

const REMOVE = "DELETE FROM kanalog.rows WHERE version = $1";
const PUT = `
  INSERT INTO kanalog.rows ("table", key, version, row)
  SELECT $1, given ->> 0, $2::bigint, given ->> 1
  FROM json_array_elements($3::text::json) given`;
const NOTE = `
  INSERT INTO kanalog.parts ("table", first, next, version, digest) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT ("table", first) DO UPDATE SET next = excluded.next, digest = excluded.digest`;

interface Part {
  first: string;
  next: string | null;
  version: number;
  digest: string;
}

/**
 * Makes PostgreSQL's shared rows equal to the file's: sends each part whose rows differ from those sent before,
 * in a transaction of its own.
 * @returns the number of rows, and the last version
 */
export async function sendRows(
  db: Database,
  session: Session,
): Promise<{ rows: number; version: number }> {
  const [newest] = await session.query<{ version: number }>(NEWEST);
  let version = newest?.version ?? 0;
  let rows = 0;

  async function sendTable(table: string, read: (part: Part) => RowImage[]): Promise<void> {
    const sent = await session.query<Part>({ text: OF_TABLE, values: [table] });
    const parts = new Map(sent.map((part) => [part.first, part]));
    for (let first: string | null = ""; first !== null; ) {
      const part: Part = parts.get(first) ?? newPart(first, null);
      const images: RowImage[] = read(part);
      // A part with too many rows is divided: its next one begins with the first row beyond.
      const beyond = images[ROWS_PER_PART];
      const rest: Part | undefined = beyond && newPart(beyond.key, part.next);
      if (rest !== undefined) parts.set(rest.first, rest);
      const some = images.slice(0, ROWS_PER_PART);
      const next: string | null = rest?.first ?? part.next;
      await sendPart(table, part, some, { next, rest });
      rows += some.length;
      first = next;
    }
  }

  function newPart(first: string, next: string | null): Part {
    version += 1;
    return { first, next, version, digest: "" };
  }

  async function sendPart(
    table: string,
    part: Part,
    images: readonly RowImage[],
    { next, rest }: { next: string | null; rest: Part | undefined },
  ): Promise<void> {
    const json = JSON.stringify(images.map(({ key, row }) => [key, row]));
    const digest = createHash("sha256").update(json).digest("base64url");
    if (digest === part.digest && next === part.next) return;
    const note = (one: Part): Promise<unknown> =>
      session.query({
        text: NOTE,
        values: [table, one.first, one.next, one.version, one.digest],
      });
    await session.query("BEGIN");
    await session.query({ text: REMOVE, values: [part.version] });
    await session.query({ name: "put", text: PUT, values: [table, part.version, json] });
    await note({ ...part, next, digest });
    if (rest !== undefined) await note(rest);
    await session.query("COMMIT");
  }

  for (const table of sharedTables(db)) {
    await sendTable(table.name, ({ first, next }) => readRows(db, table, first, next));
  }
  await sendTable(SEQUENCES, () => statement<RowImage>(db, SEQUENCE_IMAGES).all());
  return { rows, version };
}

const SEQUENCE_IMAGES = `
  SELECT '${SEQUENCES}' AS "table", json_array(name) AS key,
    json_object('name', name, 'seq', seq) AS row
  FROM sqlite_sequence ORDER BY name`;

/** Reads the rows of a range of keys, and the one after them if they are too many for a part. */
function readRows(
  db: Database,
  table: SharedTable,
  first: string,
  next: string | null,
): RowImage[] {
  const columns = table.key.map(({ name }) => `t.${name}`).join(", ");
  const bounds = [
    ...(first === "" ? [] : [{ sign: ">=", key: first }]),
    ...(next === null ? [] : [{ sign: "<", key: next }]),
  ];
  const value = table.key.map(({ isBlob }, at) => fromJson(`? ->> ${at}`, isBlob)).join(", ");
  const conditions = bounds.map(({ sign }) => `(${columns}) ${sign} (${value})`);
  const sql = `${allImagesSql(table)}
    ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
    ORDER BY ${columns} LIMIT ${ROWS_PER_PART + 1}`;
  const values = bounds.flatMap(({ key }) => table.key.map(() => key));
  return statement<RowImage>(db, sql).all(...values);
}
