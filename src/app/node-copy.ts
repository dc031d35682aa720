import { hostname } from "node:os";
import { derivedRows } from "../catalog/derived-rows.ts";
import type { Config } from "../config.ts";
import { findClusterState, requireReadable } from "../db/cluster/cluster-state.ts";
import type { Session } from "../db/cluster/connection.ts";
import { findCopy, linkToCluster, type NodeSettings, requireCluster } from "../db/cluster/link.ts";
import type { Database } from "../db/database.ts";
import { SCHEMA_VERSION } from "../db/migrate.ts";
import { AppError } from "../errors.ts";
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

/** Nodes of the former program write no shared rows from now on, until theirs is this one too. */
async function raiseSchema(query: Session["query"]): Promise<void> {
  const text = "UPDATE kanalog.state SET schema_version = greatest(schema_version, $1)";
  await query({ text, values: [SCHEMA_VERSION] });
}

/**
 * Has a connection write for all nodes of the cluster that the settings name, if they name one.
 * @throws AppError `conflict` where the file is no copy of it, `unavailable` where PostgreSQL cannot be
 *   asked
 */
export async function linkCopy(db: Database, config: Config): Promise<void> {
  const settings = nodeSettings(config);
  const copy = findCopy(db);
  const file = config.databasePath;
  if (settings === null) {
    if (copy !== undefined) throw new AppError("conflict", message("copyWithoutCluster", { file }));
    return;
  }
  if (copy === undefined) throw new AppError("conflict", message("noCopy", { file }));
  linkToCluster(db, settings, "commands", derivedRows);
  const { query } = requireCluster(db).authority;
  const state = await findClusterState(query);
  requireReadable(state, config.secret);
  if (state.id !== copy.id) throw new AppError("conflict", message("otherCluster", { file }));
  if (copy.version > state.version || copy.version < state.forgottenUntil) {
    throw new AppError("conflict", message("copyAhead", { file }));
  }
  if (state.schemaVersion < SCHEMA_VERSION) await raiseSchema(query);
}
