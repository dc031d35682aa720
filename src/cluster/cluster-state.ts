import { createHmac } from "node:crypto";
import { requireKnownVersion, SCHEMA_VERSION } from "../db/schema-version.ts";
import { AppError } from "../errors.ts";
import type { Ports } from "../ports/ports.ts";
import { createLease, SILENT_MS, type UpkeepLease } from "../upkeep/lease/lease.ts";
import { message } from "../values/messages/messages.ts";
import { openConnection, type Session } from "./connection.ts";

/** A cluster's description of itself. */
interface ClusterState {
  id: string;
  /** Version of the newest shared rows. */
  version: number;
  schemaVersion: number;
  /** Version up to which deletions are no longer recorded. */
  forgottenUntil: number;
  secretCheck: string;
}

const FOUND = `
  SELECT to_regnamespace('kanalog') IS NOT NULL AS has_schema,
    to_regclass('kanalog.state') IS NOT NULL AS has_state`;

const STATE = `
  SELECT id::text, version::text, schema_version, forgotten_until::text, secret_check
  FROM kanalog.state`;

/**
 * @returns undefined if this database has no cluster
 * @throws AppError `conflict` if it has a schema of our name that is not a cluster's
 */
export async function findClusterState(query: Session["query"]): Promise<ClusterState | undefined> {
  const [found] = await query<{ has_schema: boolean; has_state: boolean }>(FOUND);
  if (found?.has_schema !== true) return undefined;
  if (!found.has_state) throw new AppError("conflict", message("foreignSchema"));
  const [row] = await query<{
    id: string;
    version: string;
    schema_version: number;
    forgotten_until: string;
    secret_check: string;
  }>(STATE);
  return (
    row && {
      id: row.id,
      version: Number(row.version),
      schemaVersion: row.schema_version,
      forgottenUntil: Number(row.forgotten_until),
      secretCheck: row.secret_check,
    }
  );
}

/**
 * Refuses a node that could not read the cluster's rows.
 * @throws AppError `not_found` if there is no cluster, `invalid` without a secret, `conflict` if the secret
 * differs, or the schema is newer or of a program before the first release
 */
export function requireReadable(
  state: ClusterState | undefined,
  secret: string | null,
): asserts state is ClusterState {
  if (state === undefined) throw new AppError("not_found", message("noCluster"));
  if (secret === null) throw new AppError("invalid", message("clusterSecretNeeded"));
  if (state.secretCheck !== secretCheck(secret, state.id)) {
    throw new AppError("conflict", message("clusterSecretDiffers"));
  }
  requireKnownVersion("KANALOG_CLUSTER", state.schemaVersion);
}

/**
 * Raises the cluster's schema version: nodes of the previous program stop writing shared rows until they
 * are upgraded too.
 */
export async function raiseSchema(query: Session["query"], state: ClusterState): Promise<void> {
  if (state.schemaVersion === SCHEMA_VERSION) return;
  await query(
    `UPDATE kanalog.state SET schema_version = greatest(schema_version, ${SCHEMA_VERSION})`,
  );
}

/** Mark of a version's commit; null if it is not recorded. */
export async function findMark(query: Session["query"], version: number): Promise<string | null> {
  const text = "SELECT mark::text FROM kanalog.commits WHERE version = $1";
  const [row] = await query<{ mark: string }>({ text, values: [version] });
  return row?.mark ?? null;
}

/** A digest that shows whether two secrets are equal without revealing anything about them. */
export function secretCheck(secret: string, clusterId: string): string {
  return createHmac("sha256", secret).update(`kanalog cluster ${clusterId}`).digest("base64url");
}

/** A node as the others see it. */
export interface NodeState {
  node: string;
  /** Version of its copy. */
  version: number;
  versionsBehind: number;
  /** Seconds since it last looked for newer rows. */
  silentS: number;
  program: string;
}

const NODES = `
  SELECT name, n.version::text AS version, (s.version - n.version)::text AS behind,
    extract(epoch FROM now() - seen_at)::integer AS silent, program
  FROM kanalog.nodes n, kanalog.state s ORDER BY name`;

/** All nodes, by name. @throws AppError `not_found` if there is no cluster */
export async function selectNodes(query: Session["query"]): Promise<NodeState[]> {
  if ((await findClusterState(query)) === undefined) {
    throw new AppError("not_found", message("noCluster"));
  }
  const rows = await query<{
    name: string;
    version: string;
    behind: string;
    silent: number;
    program: string;
  }>(NODES);
  return rows.map(({ name, version, behind, silent, program }) => ({
    node: name,
    version: Number(version),
    versionsBehind: Number(behind),
    silentS: silent,
    program,
  }));
}

/** Minimum interval between log lines about an unreachable PostgreSQL, which is tried every second. */
const LOG_AGAIN_AFTER_MS = 60_000;

/**
 * Silence is measured by PostgreSQL's clock. A node whose program is older than the cluster's schema can change
 * nothing: it gets no lease, and one of a newer program takes it over at once.
 */
const BEAT = `
  WITH current AS (
    SELECT FROM kanalog.state WHERE schema_version <= ${SCHEMA_VERSION}
  ), beat AS (
    INSERT INTO kanalog.leases AS l (name, owner, schema_version, beat_at)
    SELECT 'upkeep', $1, ${SCHEMA_VERSION}, now() FROM current
    ON CONFLICT (name) DO UPDATE
    SET owner = excluded.owner, schema_version = excluded.schema_version, beat_at = excluded.beat_at
    WHERE l.owner IS NULL OR l.owner = excluded.owner OR l.schema_version < excluded.schema_version
      OR l.beat_at < now() - make_interval(secs => ${SILENT_MS / 1000})
    RETURNING 1
  )
  SELECT EXISTS (SELECT FROM beat) AS "isOwn", EXISTS (SELECT FROM current) AS "isCurrent"`;

const LEAVE = "UPDATE kanalog.leases SET owner = NULL WHERE name = 'upkeep' AND owner = $1";

/**
 * Lease for work that one process does for all nodes. It only decides who works; that nothing is done twice
 * is guaranteed by the turn of each change.
 * @param node the lease among this node's workers: only its holder asks for this one
 */
export function createClusterLease(
  node: UpkeepLease,
  { url, owner }: { url: string; owner: string },
  { clock, log }: Pick<Ports, "clock" | "log">,
): UpkeepLease & {
  /** Whether this node's changes were welcome a moment ago: it does its part of the push. */
  mayChange(): boolean;
} {
  const connection = openConnection(url, `${owner} lease`);
  let loggedMs = Number.NEGATIVE_INFINITY;
  let currentMs = Number.NEGATIVE_INFINITY;

  const record = {
    async beat() {
      if (!node.isOwn()) return null;
      const [beat] = await connection.use((session) =>
        session.query<{ isOwn: boolean; isCurrent: boolean }>({
          name: "beat",
          text: BEAT,
          values: [owner],
        }),
      );
      loggedMs = Number.NEGATIVE_INFINITY;
      if (beat?.isCurrent === true) currentMs = clock.monotonic();
      return beat?.isOwn === true;
    },
    release: () => connection.use((session) => session.query({ text: LEAVE, values: [owner] })),
    noteFailure(error: unknown) {
      const nowMs = clock.monotonic();
      if (nowMs - loggedMs < LOG_AGAIN_AFTER_MS) return;
      loggedMs = nowMs;
      log.warn({ err: error }, "the cluster's upkeep lease could not be acquired or renewed");
    },
    takenText: "this node does the cluster's upkeep",
    lostText: "another node has taken over the upkeep",
  };
  const lease = createLease(record, { clock, log });
  return {
    isOwn: () => node.isOwn() && lease.isOwn(),
    mayChange: () => node.isOwn() && clock.monotonic() - currentMs < SILENT_MS,
    tick: lease.tick,
    async leave() {
      await lease.leave();
      await connection.close();
    },
  };
}
