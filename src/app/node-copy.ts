import { hostname } from "node:os";
import { version } from "../../package.json";
import { derivedRows } from "../catalog/derived-rows.ts";
import type { Config } from "../config.ts";
import {
  findClusterState,
  findMark,
  raiseSchema,
  requireReadable,
} from "../db/cluster/cluster-state.ts";
import { copyFromCluster } from "../db/cluster/cluster-transaction.ts";
import {
  clusterOf,
  findCopy,
  giveMark,
  isOfHistory,
  linkToCluster,
  type NodeSettings,
  requireCluster,
  requireCopy,
} from "../db/cluster/link.ts";
import type { Database } from "../db/database.ts";
import { inFileTransaction } from "../db/file-transaction.ts";
import { AppError, isStorageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { noteNode } from "../upkeep/cluster/copy-newest.ts";
import { message } from "../values/messages/messages.ts";

/** Null where the appliance is no node of a cluster. */
export function nodeSettings({ cluster, node }: Config): NodeSettings | null {
  return cluster === null ? null : { url: cluster, node: node ?? hostname() };
}

export interface NodeSecrets extends NodeSettings {
  secret: string;
}

/** @throws AppError `invalid` naming the setting that is missing */
export function requireNode(config: Config): NodeSecrets {
  const settings = nodeSettings(config);
  if (settings === null) throw new AppError("invalid", message("clusterNotSet"));
  if (config.secret === null) throw new AppError("invalid", message("clusterSecretNeeded"));
  return { ...settings, secret: config.secret };
}

/**
 * Has a connection write for all nodes of the cluster that the settings name, if they name one, and copies
 * what it lacks. While PostgreSQL is away it is linked all the same.
 * @throws AppError `conflict` where the file is no copy of it
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
  await unlessAway(db, () => requireOfCluster(db, clock, config));
  // A node that PostgreSQL was away for copies later what it lacks.
  if (requireCluster(db).left.length > 0) return;
  await unlessAway(db, async () => void (await copyFromCluster(db, clock)));
}

/** Work at a node's start that is left where PostgreSQL is away: what the node has can be read. */
async function unlessAway(db: Database, work: () => Promise<void>): Promise<void> {
  const { left } = requireCluster(db);
  try {
    if (left.length === 0) return await work();
  } catch (error) {
    if (!(error instanceof AppError && isStorageUnavailable(error))) throw error;
  }
  left.push(work);
}

/**
 * Does what the start left since PostgreSQL was away, before anything is copied.
 * @throws AppError `unavailable` while it is away, `conflict` as a start
 */
export async function finishStart(db: Database): Promise<void> {
  const { left } = requireCluster(db);
  for (; left[0] !== undefined; left.shift()) await left[0]();
}

/** Clocks that differ by this much are refused: sessions, quotas' periods and retries would be off by it. */
const CLOCKS_DIFFER_MS = 60_000;

/** @throws AppError `conflict` where this machine's clock is a minute or more off PostgreSQL's */
export async function requireSameClock(db: Database, clock: Clock): Promise<void> {
  const cluster = clusterOf(db);
  if (cluster === null) return;
  await unlessAway(db, async () => {
    const [row] = await cluster.authority.query<{ now_ms: string }>(
      "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS now_ms",
    );
    const offMs = clock.now() - Number(row?.now_ms);
    if (Math.abs(offMs) < CLOCKS_DIFFER_MS) return;
    throw new AppError("conflict", message("clocksDiffer", { seconds: Math.round(offMs / 1000) }));
  });
}

/** @throws AppError `conflict` where another node by this one's name runs */
export async function requireOwnName(db: Database, settings: NodeSettings | null): Promise<void> {
  if (settings === null) return;
  const { node } = settings;
  const { query } = requireCluster(db).authority;
  await unlessAway(db, () => noteNode(query, { ...requireCopy(db), node, program: version }));
}

/**
 * Looks whether the file is a copy of this cluster's history, and brings PostgreSQL to this program's schema.
 * @throws AppError `conflict`; `unavailable` where PostgreSQL cannot be asked
 */
async function requireOfCluster(
  db: Database,
  clock: Clock,
  { databasePath: file, secret }: Config,
): Promise<void> {
  const { query } = requireCluster(db).authority;
  const copy = requireCopy(db);
  const state = await findClusterState(query);
  requireReadable(state, secret);
  if (state.id !== copy.id) throw new AppError("conflict", message("otherCluster", { file }));
  await raiseSchema(query, state);
  const known = { head: state.version, mark: await findMark(query, copy.version) };
  if (!isOfHistory(copy, known) || copy.version < state.forgottenUntil) {
    throw new AppError("conflict", message("copyAhead", { file }));
  }
  const { mark } = known;
  if (copy.mark !== null || mark === null) return;
  await inFileTransaction(db, clock, "copy-cluster", (tx) => giveMark(tx, { ...copy, mark }));
}
