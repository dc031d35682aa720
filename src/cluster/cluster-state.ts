import { createHmac } from "node:crypto";
import { requireKnownVersion, SCHEMA_VERSION } from "../db/schema-version.ts";
import { AppError } from "../errors.ts";
import { message } from "../values/messages/messages.ts";
import type { Session } from "./connection.ts";

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
