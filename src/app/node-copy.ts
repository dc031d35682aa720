import { hostname } from "node:os";
import { version } from "../../package.json";
import { derivedRows } from "../catalog/derived-rows.ts";
import { NOW_MS } from "../cluster/cluster-schema.ts";
import {
  findClusterState,
  findMark,
  raiseSchema,
  requireReadable,
} from "../cluster/cluster-state.ts";
import { copyFromCluster } from "../cluster/cluster-transaction.ts";
import type { Session } from "../cluster/connection.ts";
import { noteNode } from "../cluster/copy-newest.ts";
import { clusterOf, isOfHistory, requireCluster, requireCopy } from "../cluster/link.ts";
import { linkToCluster } from "../cluster/link-to-cluster.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { CLOCK_OFF_MS, findCopy, type NodeSettings } from "../db/shared-rows.ts";
import { AppError, isStorageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { message } from "../values/messages/messages.ts";

/** This node's settings; null on a standalone appliance. */
export function nodeSettings({ cluster, node }: Config): NodeSettings | null {
  return cluster === null ? null : { url: cluster, node: node ?? hostname() };
}

export interface NodeSecrets extends NodeSettings {
  secret: string;
}

/** This node's settings with the secret. @throws AppError `invalid` naming the missing setting */
export function requireNode(config: Config): NodeSecrets {
  const settings = nodeSettings(config);
  if (settings === null) throw new AppError("invalid", message("clusterNotSet"));
  if (config.secret === null) throw new AppError("invalid", message("clusterSecretNeeded"));
  return { ...settings, secret: config.secret };
}

/**
 * Makes a connection's writes go to all nodes of the configured cluster, if there is one, and copies the
 * rows it lacks. While PostgreSQL is unreachable the connection is linked all the same.
 * @throws AppError `conflict` if the file is not a copy of that cluster, or is a copy and none is
 * configured
 */
export async function linkCopy(db: Database, clock: Clock, config: Config): Promise<void> {
  const settings = nodeSettings(config);
  const copy = findCopy(db);
  const file = config.databasePath;
  if (settings === null) {
    if (copy !== undefined) throw new AppError("conflict", message("copyWithoutCluster", { file }));
    return;
  }
  if (copy === undefined) throw new AppError("conflict", message("noCopy", { file }));
  linkToCluster(db, settings, "commands", derivedRows);
  await unlessUnreachable(db, () => requireOfCluster(db, config));
  // PostgreSQL was unreachable at the start, so this node catches up later.
  if (requireCluster(db).postponed.length > 0) return;
  await unlessUnreachable(db, async () => void (await copyFromCluster(db, clock)));
}

/**
 * Runs a step of a node's start; while PostgreSQL is unreachable it is postponed, and the existing copy is
 * served meanwhile.
 */
async function unlessUnreachable(db: Database, work: () => Promise<void>): Promise<void> {
  const { postponed } = requireCluster(db);
  try {
    if (postponed.length === 0) return await work();
  } catch (error) {
    if (!(error instanceof AppError && isStorageUnavailable(error))) throw error;
  }
  postponed.push(work);
}

/**
 * Runs the postponed steps of the start, before anything is copied.
 * @throws AppError `unavailable` while PostgreSQL is still unreachable, `conflict` as at a start
 */
export async function finishStart(db: Database): Promise<void> {
  const { postponed } = requireCluster(db);
  for (; postponed[0] !== undefined; postponed.shift()) await postponed[0]();
}

/**
 * Compares this machine's clock with PostgreSQL's: sessions, billing periods and retries would be off by as
 * much.
 * @throws AppError `conflict` if they differ by more than five seconds
 */
export async function requireSameClock(db: Database, clock: Clock): Promise<void> {
  const cluster = clusterOf(db);
  if (cluster === null) return;
  await unlessUnreachable(db, async () => {
    const { query } = cluster.authority;
    // The answer may take seconds, so PostgreSQL's clock is compared with both ends of the wait.
    const before = clock.now();
    const [row] = await query<{ now_ms: string }>(`SELECT ${NOW_MS} AS now_ms`);
    const nowMs = Number(row?.now_ms);
    const offMs = before > nowMs ? before - nowMs : Math.min(0, clock.now() - nowMs);
    if (Math.abs(offMs) <= CLOCK_OFF_MS) return;
    const seconds = Math.abs(Math.round(offMs / 1000));
    throw new AppError("conflict", message("clocksDiffer", { seconds, isBehind: offMs < 0 }));
  });
}

/**
 * Registers this node with the cluster. @throws AppError `conflict` if another running node has this name
 */
export async function requireOwnName(db: Database, settings: NodeSettings | null): Promise<void> {
  if (settings === null) return;
  const { node } = settings;
  const { query } = requireCluster(db).authority;
  await unlessUnreachable(db, () =>
    noteNode(query, { ...requireCopy(db), node, program: version }),
  );
}

/**
 * Checks that the file is a copy of this cluster's history, and raises the cluster's schema to this
 * program's.
 * @throws AppError `conflict`; `unavailable` if PostgreSQL cannot be reached
 */
async function requireOfCluster(
  db: Database,
  { databasePath: file, secret }: Config,
): Promise<void> {
  const { query } = requireCluster(db).authority;
  const state = await findClusterState(query);
  requireReadable(state, secret);
  await requireCopyOf(query, db, file, () => raiseSchema(query, state));
}

/**
 * Checks that a file is a copy of the cluster's history, and not too old to catch up.
 * @param onceOfCluster called once it is known to be this cluster's
 * @throws AppError `conflict`
 */
export async function requireCopyOf(
  query: Session["query"],
  db: Database,
  file: string,
  onceOfCluster = async () => {},
): Promise<void> {
  const copy = findCopy(db);
  const state = await findClusterState(query);
  if (copy === undefined) throw new AppError("conflict", message("noCopy", { file }));
  if (state?.id !== copy.id) throw new AppError("conflict", message("otherCluster", { file }));
  await onceOfCluster();
  const history = { head: state.version, mark: await findMark(query, copy.version) };
  if (!isOfHistory(copy, history) || copy.version < state.forgottenUntil) {
    throw new AppError("conflict", message("copyAhead", { file }));
  }
}
