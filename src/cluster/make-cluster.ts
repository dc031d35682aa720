import { computeMetrics } from "../catalog/metrics/compute-metrics.ts";
import { finishPostSearch } from "../catalog/post-search/catch-up.ts";
import { optimizeSearch } from "../catalog/search/search-terms.ts";
import type { Database } from "../db/database.ts";
import { SCHEMA_VERSION } from "../db/schema-version.ts";
import { findCopy, type NodeSettings } from "../db/shared-rows.ts";
import { inFileTransaction } from "../db/transaction.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { message } from "../values/messages/messages.ts";
import { CLUSTER_SCHEMA } from "./cluster-schema.ts";
import { findClusterState, secretCheck } from "./cluster-state.ts";
import { copyFromCluster } from "./cluster-transaction.ts";
import { openConnection, type Session } from "./connection.ts";
import { copyUsage } from "./copy-usage.ts";
import { allImagesSql, type RowImage, SEQUENCES, sharedTables } from "./shared-tables.ts";

/** Rows per statement: a few megabytes. */
const ROWS_PER_STATEMENT = 2_000;

const PUT = `
  INSERT INTO kanalog.rows ("table", key, version, row)
  SELECT given ->> 0, given ->> 1, $2::bigint, given ->> 2
  FROM json_array_elements($1::text::json) given`;

/** Records the mark of the first version that nodes copy. */
const BEGUN = "INSERT INTO kanalog.commits SELECT version FROM kanalog.state RETURNING mark::text";

/** Where the first copy, which has the usage just sent, continues. */
const SENT = `
  SELECT json_build_object('server', kanalog.server(), 'lanes', json_agg(commits ORDER BY lane))::text AS usage
  FROM kanalog.lanes`;

/** Rows are numbered as if each were a commit of the first lane, so that copies get them in pages. */
const NUMBERED = "json_array_elements($1::text::json) WITH ORDINALITY AS numbered (given, nth)";
const USAGE = [
  {
    of: "SELECT json_array(organization_id, started_at, used) AS row FROM usage_periods",
    put: `INSERT INTO kanalog.usage_periods
      SELECT (given ->> 0)::bigint, (given ->> 1)::bigint, 0, (given ->> 2)::bigint, $2 + nth
      FROM ${NUMBERED}`,
  },
  {
    of: `SELECT json_array(organization_id, day, method, key_id, status, requests, units) AS row
      FROM usage_days`,
    put: `INSERT INTO kanalog.usage_days
      SELECT (given ->> 0)::bigint, (given ->> 1)::bigint, given ->> 2, (given ->> 3)::bigint,
        (given ->> 4)::integer, 0, (given ->> 5)::bigint, (given ->> 6)::bigint, $2 + nth
      FROM ${NUMBERED}`,
  },
  {
    of: "SELECT json_array(id, last_used_at) AS row FROM keys WHERE last_used_at IS NOT NULL",
    put: `INSERT INTO kanalog.key_uses
      SELECT (given ->> 0)::bigint, 0, (given ->> 1)::bigint, $2 + nth
      FROM ${NUMBERED}`,
  },
];

/**
 * Creates a cluster from a file's contents, in one PostgreSQL transaction; the file becomes its first copy.
 * @param db a writing connection; nobody else may write meanwhile
 * @param id UUID for the cluster
 * @param copyId UUID for the file
 * @returns number of shared rows
 * @throws AppError `conflict` if a cluster already exists, or the file is a copy of one
 */
export async function makeCluster(
  db: Database,
  clock: Clock,
  { url, node, secret, id, copyId }: NodeSettings & { secret: string; id: string; copyId: string },
): Promise<number> {
  if (findCopy(db) !== undefined) throw new AppError("conflict", message("fileIsCopy"));
  const connection = openConnection(url, `kanalog ${node} commands`);
  try {
    return await inFileTransaction(db, clock, "make-cluster", (tx) =>
      connection.use(async (session) => {
        if ((await findClusterState(session.query)) !== undefined) {
          throw new AppError("conflict", message("clusterExists"));
        }
        await session.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0");
        try {
          await session.query(CLUSTER_SCHEMA);
          await session.query({
            text: `INSERT INTO kanalog.state (id, version, schema_version, secret_check)
              VALUES ($1, 1, $2, $3)`,
            values: [id, SCHEMA_VERSION, secretCheck(secret, id)],
          });
          const { rows, version } = await sendRows(tx, session);
          await session.query({ text: "UPDATE kanalog.state SET version = $1", values: [version] });
          await sendUsage(tx, session);
          const [sent] = await session.query<{ usage: string }>(SENT);
          const [begun] = await session.query<{ mark: string }>(BEGUN);
          await session.query("COMMIT");
          const copy = [id, version, sent?.usage ?? "{}", copyId, begun?.mark ?? null];
          tx.prepare("INSERT INTO cluster_copy VALUES (?, ?, ?, 0, ?, ?)").run(...copy);
          return rows;
        } catch (error) {
          await session.query("ROLLBACK").catch(() => {});
          throw error;
        }
      }),
    );
  } finally {
    await connection.close();
  }
}

/**
 * Sends all shared rows, under many versions, because a copy takes all rows of a version at once.
 * @returns the number of rows, and the last version
 */
async function sendRows(
  db: Database,
  session: Session,
): Promise<{ rows: number; version: number }> {
  let rows = 0;
  let version = 0;
  const send = async (some: RowImage[]): Promise<void> => {
    const images = some.map(({ table, key, row }) => [table, key, row]);
    version += 1;
    await session.query({ name: "put", text: PUT, values: [JSON.stringify(images), version] });
    rows += some.length;
  };
  for (const table of sharedTables(db)) {
    let some: RowImage[] = [];
    for (const image of db.prepare<RowImage>(allImagesSql(table)).iterate()) {
      some.push(image);
      if (some.length < ROWS_PER_STATEMENT) continue;
      await send(some);
      some = [];
    }
    if (some.length > 0) await send(some);
  }
  const numbered = db
    .prepare<{ name: string; seq: number }>("SELECT name, seq FROM sqlite_sequence")
    .all();
  await send(
    numbered.map(({ name, seq }) => ({
      table: SEQUENCES,
      key: JSON.stringify([name]),
      row: JSON.stringify({ name, seq }),
    })),
  );
  return { rows, version };
}

/** Sends usage, and compares its sum on both sides. @throws AppError `conflict` if the sums differ */
async function sendUsage(db: Database, session: Session): Promise<void> {
  let sent = 0;
  for (const { of, put } of USAGE) {
    const rows = db.prepare<{ row: string }>(of).all();
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
      const some = rows.slice(at, at + ROWS_PER_STATEMENT).map(({ row }) => row);
      await session.query({ text: put, values: [`[${some.join(",")}]`, sent] });
      sent += some.length;
    }
  }
  await session.query({
    text: "UPDATE kanalog.lanes SET commits = $1 WHERE lane = 0",
    values: [sent],
  });
  const sum = "SELECT coalesce(sum(used), 0) AS units FROM";
  const file = db.prepare<{ units: number }>(`${sum} usage_periods`).get()?.units ?? 0;
  const [summed] = await session.query<{ units: string }>(`${sum} kanalog.usage_periods`);
  const cluster = Number(summed?.units);
  if (file !== cluster) throw new AppError("conflict", message("usageDiffers", { file, cluster }));
}

/** Starts a copy in a new file, which is emptied first: the rows of a new file are the cluster's too. */
export async function beginCopy(
  db: Database,
  clock: Clock,
  { clusterId, copyId }: { clusterId: string; copyId: string },
): Promise<void> {
  await inFileTransaction(
    db,
    clock,
    "begin-copy",
    (tx) => {
      for (const { name } of sharedTables(tx)) tx.exec(`DELETE FROM ${name}`);
      tx.prepare("INSERT INTO cluster_copy VALUES (?, 0, '{}', 0, ?, NULL)").run(clusterId, copyId);
    },
    { checksReferences: false },
  );
}

/** Rows that a node observes by itself; the usage that it also has comes from PostgreSQL. */
const OBSERVED = ["request_log", "hours", "hour_durations", "leases"];

/** Makes a backup of another node's copy a copy of its own. */
export async function takeOverCopy(db: Database, clock: Clock, copyId: string): Promise<void> {
  await inFileTransaction(db, clock, "begin-copy", (tx) => {
    for (const name of OBSERVED) tx.exec(`DELETE FROM ${name}`);
    tx.prepare("UPDATE cluster_copy SET copy_id = ?, newest_at = 0").run(copyId);
  });
}

/**
 * Copies everything and builds what each node derives for itself: the search indexes, and the metrics,
 * which the nightly job would not compute before the next night.
 * @param postSearch whether there is a post index
 * @returns version of the shared rows
 */
export async function copyAll(db: Database, clock: Clock, postSearch: boolean): Promise<number> {
  const version = await copyUsage(db, clock, () => copyFromCluster(db, clock), Infinity);
  await optimizeSearch(db, clock);
  await finishPostSearch(db, clock, postSearch);
  await computeMetrics(db, clock);
  return version;
}

/** Turns a copy into a standalone appliance; the cluster continues without it. */
export async function endCopy(db: Database, clock: Clock): Promise<void> {
  await inFileTransaction(db, clock, "end-copy", (tx) => tx.exec("DELETE FROM cluster_copy"));
}
