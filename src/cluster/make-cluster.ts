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
import { PARTS_SCHEMA, sendRows } from "./sent-parts.ts";
import { sharedTables } from "./shared-tables.ts";

/** Rows of usage per statement. */
const ROWS_PER_STATEMENT = 2_000;

/** Held while rows are sent: a second command waits for the first. */
const LOCK = "SELECT pg_advisory_lock(7363)";

/** The parts are there until the file knows of its cluster; a node may only exist afterwards. */
const BEGUN = `SELECT to_regclass('kanalog.parts') IS NOT NULL AS "isBegun"`;
const HAS_NODES = `SELECT EXISTS (SELECT FROM kanalog.nodes) AS "hasNodes"`;

/** Removes what an attempt left that was killed before the file knew of its cluster. */
const EMPTY = `
  TRUNCATE kanalog.state, kanalog.commits, kanalog.usage_periods, kanalog.usage_days, kanalog.key_uses`;

/** Records the mark of the first version that nodes copy. */
const FIRST_COMMIT =
  "INSERT INTO kanalog.commits SELECT version FROM kanalog.state RETURNING mark::text";

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
 * Sends a file's rows to where a cluster is to be made of it, in parts, while others read and write it. May be
 * repeated; `makeCluster` sends what has changed since.
 * @returns number of shared rows
 * @throws AppError `conflict` as `makeCluster`
 */
export function sendAhead(db: Database, settings: NodeSettings): Promise<number> {
  return whileMaking(db, settings, async (session) => (await sendRows(db, session)).rows);
}

/**
 * Creates a cluster from a file's contents; the file becomes its first copy. If it is killed, nothing has
 * changed for the file, and it can be started again.
 * @param db a writing connection; no other process may use the file meanwhile
 * @param id UUID for the cluster
 * @param copyId UUID for the file
 * @returns number of shared rows
 * @throws AppError `conflict` if a cluster already exists, or the file is a copy of one
 */
export function makeCluster(
  db: Database,
  clock: Clock,
  {
    secret,
    id,
    copyId,
    ...settings
  }: NodeSettings & { secret: string; id: string; copyId: string },
): Promise<number> {
  return whileMaking(db, settings, async (session) => {
    const made = await inFileTransaction(db, clock, "make-cluster", async (tx) => {
      const { rows, version } = await sendRows(tx, session);
      await session.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0");
      await session.query(EMPTY);
      await session.query({
        text: "INSERT INTO kanalog.state (id, version, schema_version, secret_check) VALUES ($1, $2, $3, $4)",
        values: [id, version, SCHEMA_VERSION, secretCheck(secret, id)],
      });
      await sendUsage(tx, session);
      const [sent] = await session.query<{ usage: string }>(SENT);
      const [first] = await session.query<{ mark: string }>(FIRST_COMMIT);
      await session.query("COMMIT");
      const copy = [id, version, sent?.usage ?? "{}", copyId, first?.mark ?? null];
      tx.prepare("INSERT INTO cluster_copy VALUES (?, ?, ?, 0, ?, ?)").run(...copy);
      return rows;
    });
    await session.query("DROP TABLE kanalog.parts");
    return made;
  });
}

/** @throws AppError `conflict` if a cluster already exists, or the file is a copy of one */
async function whileMaking<T>(
  db: Database,
  { url, node }: NodeSettings,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  if (findCopy(db) !== undefined) throw new AppError("conflict", message("fileIsCopy"));
  const connection = openConnection(url, `kanalog ${node} commands`);
  try {
    return await connection.use(async (session) => {
      await session.query(LOCK);
      const state = await findClusterState(session.query);
      const [begun] = await session.query<{ isBegun: boolean }>(BEGUN);
      if (begun?.isBegun !== true) {
        if (state !== undefined) throw clusterExists();
        await session.query(`${CLUSTER_SCHEMA}; ${PARTS_SCHEMA}`);
      }
      const [used] = await session.query<{ hasNodes: boolean }>(HAS_NODES);
      if (used?.hasNodes === true) throw clusterExists();
      return await work(session);
    });
  } finally {
    await connection.close();
  }
}

function clusterExists(): AppError {
  return new AppError("conflict", message("clusterExists"));
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
