import { storageUnavailable } from "../../errors.ts";
import type { RowImage } from "./changed-rows.ts";
import { type Connection, openConnection, type Session } from "./connection.ts";

/** Shared rows after a version. */
export interface Changes {
  rows: RowImage[];
  /** The version that a copy has with these rows. */
  until: number;
  /** The newest version there is. */
  head: number;
}

/** The right to change shared rows: one process of all nodes has it at a time. */
export interface Turn {
  head: number;
  changesAfter(version: number, rowsMax: number): Promise<Changes>;
  /** @returns the version under which the rows are committed */
  commit(rows: readonly RowImage[]): Promise<number>;
}

/** What is true for all nodes: shared rows in PostgreSQL, each with the version of its commit. */
export interface Authority {
  /**
   * Runs work in a turn, which is over when the work has committed or ends.
   * @throws AppError `unavailable`
   */
  inTurn<T>(work: (turn: Turn) => Promise<T>): Promise<T>;
  /** @param rowsMax about so many rows, always those of whole versions */
  changesAfter(version: number, rowsMax: number): Promise<Changes>;
  /** Runs work that has the connection for itself, without a turn. */
  use: Connection["use"];
  query: Session["query"];
  close(): Promise<void>;
}

const BEGIN = `
  BEGIN;
  SELECT version::text, schema_version FROM kanalog.state FOR UPDATE`;

const PUT = `
  INSERT INTO kanalog.rows ("table", key, version, row)
  SELECT given ->> 0, given ->> 1, $1::bigint, given ->> 2
  FROM json_array_elements($2::text::json) given
  ON CONFLICT ("table", key) DO UPDATE SET version = excluded.version, row = excluded.row`;

/** Nodes are woken by the notice; one that misses it looks every second. */
const COMMIT = `
  UPDATE kanalog.state SET version = version + 1;
  NOTIFY kanalog;
  COMMIT`;

/** Answers with one row at least, by which the newest version is that of the same instant. */
const CHANGES = `
  WITH until AS (
    SELECT max(version) AS version FROM (
      SELECT version FROM kanalog.rows WHERE version > $1 ORDER BY version LIMIT $2
    ) next
  )
  SELECT r."table", r.key, r.row, r.version::text AS version, s.version::text AS head
  FROM kanalog.state s LEFT JOIN kanalog.rows r
    ON r.version > $1 AND r.version <= (SELECT version FROM until)`;

/** @param schemaVersion of the file that is the copy */
export function openAuthority(url: string, name: string, schemaVersion: number): Authority {
  const connection = openConnection(url, name);
  return {
    inTurn: (work) =>
      connection.use(async (session) => {
        const [begun] = await session.query<{ version: string; schema_version: number }>(BEGIN);
        const head = Number(begun?.version);
        let isOver = false;
        try {
          requireSchema(begun?.schema_version ?? 0, schemaVersion);
          return await work({
            head,
            changesAfter: (version, rowsMax) => readChanges(session, version, rowsMax),
            async commit(rows) {
              const given = JSON.stringify(rows.map(({ table, key, row }) => [table, key, row]));
              await session.query({ name: "put", text: PUT, values: [head + 1, given] });
              await session.query(COMMIT);
              isOver = true;
              return head + 1;
            },
          });
        } finally {
          // A connection that is lost rolls back by itself.
          if (!isOver) await session.query("ROLLBACK").catch(() => {});
        }
      }),

    changesAfter: (version, rowsMax) =>
      connection.use((session) => readChanges(session, version, rowsMax)),
    use: connection.use,
    query: (asked) => connection.use((session) => session.query(asked)),
    close: connection.close,
  };
}

/** A node of an older program would write rows without the newer one's columns. */
function requireSchema(version: number, own: number): void {
  if (version <= own) return;
  const reason = `the cluster has schema ${version}, and this node's program ${own}`;
  throw storageUnavailable(new Error(reason));
}

async function readChanges(session: Session, version: number, rowsMax: number): Promise<Changes> {
  const answered = await session.query<RowImage & { version: string; head: string }>({
    name: "changes",
    text: CHANGES,
    values: [version, rowsMax],
  });
  const head = Number(answered[0]?.head);
  const rows = answered.filter(({ table }) => table !== null);
  const last = rows.reduce((max, row) => Math.max(max, Number(row.version)), version);
  return { rows, until: rows.length < rowsMax ? head : last, head };
}
