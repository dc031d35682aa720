import { AppError } from "../errors.ts";
import { message } from "../values/messages/messages.ts";
import { findClusterState } from "./cluster-state.ts";
import type { Session } from "./connection.ts";

/** A node as the others see it. */
export interface NodeState {
  node: string;
  /** Version of its copy. */
  version: number;
  /** How many versions its copy lacks. */
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
