import pg from "pg";
import { SCHEMA_VERSION } from "../../db/schema-version.ts";
import { CLOCK_OFF_MS } from "../../db/shared-rows.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Network } from "../../ports/network.ts";
import type { Finding, Found } from "../../upkeep/checks/finding.ts";
import { judged, named, ok, unknown, wrong } from "../../upkeep/checks/finding.ts";
import { SILENT_MS } from "../../upkeep/lease/lease.ts";
import { NOW_MS } from "../cluster-schema.ts";
import { findClusterState, selectNodes } from "../cluster-state.ts";
import { hostsOf, OLDEST_VERSION, openConnection, type Session } from "../connection.ts";

interface Looks {
  url: string;
  node: string;
  /** Port of Patroni's REST interface on PostgreSQL's hosts. */
  patroniPort: number;
  /** Free bytes on the volume of this node's copy, and the copy's size. */
  disk: { free: number | null; file: number };
}

/** Looks at everything that a cluster rests on. */
export async function examineCluster(
  { url, node, patroniPort, disk }: Looks,
  { clock, network }: { clock: Clock; network: Pick<Network, "ask"> },
): Promise<Finding[]> {
  const hosts = hostsOf(url);
  const connection = openConnection(url, `kanalog ${node} doctor`);
  try {
    const servers = (await Promise.all(hosts.map((host) => examineServer(host)))).flat();
    const names = hosts.map((host) => new URL(host).hostname);
    const patroni = await examinePatroni(names, patroniPort, network);
    const cluster = await connection
      .use(({ query }) => examinePrimary(query, clock))
      .catch((error: Error) => {
        const reason = String((error.cause as Error | undefined)?.message ?? error);
        return named({ primary: wrong(reason, "see above") });
      });
    return [...servers, ...patroni, ...cluster, ...named({ disk: examineDisk(disk) })];
  } finally {
    await connection.close();
  }
}

const CONNECT_MS = 5_000;

/** A server of the address, whatever its role, and what stands between it and this machine. */
async function examineServer(connectionString: string): Promise<Finding[]> {
  const { host } = new URL(connectionString);
  const check = `server ${host}`;
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string; isStandby: boolean; pid: number }>(`
      SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS "isStandby",
        pg_backend_pid() AS pid`);
    const { version = "", isStandby, pid } = rows[0] ?? {};
    // The protocol tells a client its server process; a pooler gives a number of its own.
    const told = (client as unknown as { processID: number }).processID;
    return named({
      [check]: judged(
        `${isStandby ? "standby" : "primary"}, PostgreSQL ${version}`,
        Number.parseInt(version, 10) >= OLDEST_VERSION
          ? null
          : `upgrade to ${OLDEST_VERSION} or newer`,
      ),
      [`path to ${host}`]: judged(
        told === pid ? "direct" : "a connection pooler answers",
        told === pid ? null : "let KANALOG_CLUSTER name PostgreSQL itself: a pooler breaks locks",
      ),
    });
  } catch (error) {
    const reason = (error as Error).message;
    return named({ [check]: wrong(reason, "start it, or see that this machine may connect") });
  } finally {
    void client.end().catch(() => {});
  }
}

/** The first Patroni that takes a lock back from its successor no more when it is resumed, over `etcd3`. */
const PATRONI_SAFE = [3, 0, 3];

async function examinePatroni(
  hosts: readonly string[],
  port: number,
  { ask }: Pick<Network, "ask">,
): Promise<Finding[]> {
  const read = async <T>(host: string, path: string): Promise<T | null> => {
    const answer = await ask({ method: "GET", url: `http://${host}:${port}${path}` });
    try {
      return "body" in answer ? (JSON.parse(answer.body) as T) : null;
    } catch {
      return null;
    }
  };
  const findings: Finding[] = [];
  for (const host of hosts) {
    const status = await read<{ patroni?: { version?: string } }>(host, "/patroni");
    const version = status?.patroni?.version;
    if (version === undefined) continue;
    const advice =
      "upgrade to 3.0.3 or newer, or keep to `etcd:` in its file: with `etcd3:` it may lose commits";
    const found = isAtLeast(version, PATRONI_SAFE)
      ? ok(version)
      : unknown(`${version}; whether it uses etcd3 is not told`, advice);
    findings.push({ check: `patroni ${host}`, ...found });
  }
  if (findings.length === 0) {
    const found = `none answers at port ${port}`;
    const advice = "a managed PostgreSQL has none; else give --patroni-port";
    return named({ patroni: unknown(found, advice) });
  }
  const silent = hosts.length - findings.length;
  if (silent > 0) {
    const found = `${silent} of ${hosts.length} do not answer`;
    findings.push({ check: "patroni", ...wrong(found, "start them") });
  }
  for (const host of hosts) {
    const config = await read<Record<string, unknown>>(host, "/config");
    if (config === null) continue;
    for (const name of ["synchronous_mode", "failsafe_mode"]) {
      const isOn = config[name] === true;
      const fault = isOn ? null : `patronictl edit-config --set ${name}=true`;
      findings.push({ check: name, ...judged(isOn ? "on" : "off", fault) });
    }
    break;
  }
  return findings;
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  const at = least.findIndex((part, place) => (parts[place] ?? 0) !== part);
  return at === -1 || (parts[at] ?? 0) > (least[at] ?? 0);
}

interface PrimaryFacts {
  nowMs: string;
  fsync: string;
  fullPageWrites: string;
  commits: string;
  standbys: number;
  /** Those that a commit waits for; null if this user may not see it. */
  synchronous: number | null;
  connectionsMax: number;
  connections: number;
  idleSlots: number;
  size: string;
  owner: string | null;
  silentMs: number | null;
}

const FACTS = `
  SELECT ${NOW_MS}::text AS "nowMs", current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS "fullPageWrites",
    current_setting('synchronous_commit') AS commits, r.*,
    current_setting('max_connections')::integer AS "connectionsMax",
    (SELECT count(*)::integer FROM pg_stat_activity) AS connections,
    (SELECT count(*)::integer FROM pg_replication_slots WHERE NOT active) AS "idleSlots",
    pg_size_pretty(pg_database_size(current_database())) AS size,
    (SELECT owner FROM kanalog.leases) AS owner,
    (SELECT (extract(epoch FROM now() - beat_at) * 1000)::integer FROM kanalog.leases) AS "silentMs"
  FROM (
    SELECT count(*)::integer AS standbys, CASE WHEN count(*) = count(sync_state)
      THEN (count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')))::integer END AS synchronous
    FROM pg_stat_replication
  ) r`;

const CONNECTIONS_OF_NODE = 12;
/** A node that is silent for longer, or lacks more commits, does not follow. */
const SILENT_S = 30;
const BEHIND_MAX = 1_000;

async function examinePrimary(query: Session["query"], clock: Clock): Promise<Finding[]> {
  const state = await findClusterState(query);
  if (state === undefined) {
    return named({ cluster: wrong("none in this database", "kanalog cluster init --from FILE") });
  }
  const before = clock.now();
  const [facts] = await query<PrimaryFacts>(FACTS);
  const nodes = await selectNodes(query);
  if (facts === undefined) return [];
  const nowMs = Number(facts.nowMs);
  // How long the answer took is no difference of the clocks.
  const offMs = Math.max(0, before - nowMs, nowMs - clock.now());
  const { fsync, fullPageWrites, commits, standbys, synchronous } = facts;
  const isFlushed = fsync === "on" && fullPageWrites === "on" && commits !== "off";
  const free = facts.connectionsMax - facts.connections;
  const isKept = facts.owner !== null && (facts.silentMs ?? 0) < 2 * SILENT_MS;
  return named({
    commits: judged(
      `fsync ${fsync}, full_page_writes ${fullPageWrites}, synchronous_commit ${commits}`,
      isFlushed ? null : "set all three to on: a power cut loses what was acknowledged",
    ),
    standby:
      synchronous === null
        ? unknown(`${standbys}, state not visible`, "GRANT pg_monitor TO this user")
        : judged(
            `${standbys}, commits wait for ${synchronous}`,
            synchronous > 0
              ? null
              : "add a standby, and set synchronous_mode: else a lost primary takes commits with it",
          ),
    "replication slots": judged(
      `${facts.idleSlots} unused`,
      facts.idleSlots === 0
        ? null
        : "start their standbys, or drop them: they keep the write-ahead log until the disk is full",
    ),
    connections: judged(
      `${facts.connections} of ${facts.connectionsMax}`,
      free >= CONNECTIONS_OF_NODE ? null : "raise max_connections: a node takes up to a dozen",
    ),
    clock: judged(
      `${(offMs / 1000).toFixed(1)} s from PostgreSQL's`,
      offMs <= CLOCK_OFF_MS ? null : "synchronize both with a time server: this node bills nothing",
    ),
    schema: judged(
      `${state.schemaVersion}, this program's ${SCHEMA_VERSION}`,
      state.schemaVersion <= SCHEMA_VERSION ? null : "upgrade this node: it changes nothing",
    ),
    upkeep: judged(
      isKept ? `done by ${facts.owner}` : "done by nobody",
      isKept ? null : "start a node with the newest program: jobs, mails and webhooks wait",
    ),
    "PostgreSQL's disk": unknown(`the database has ${facts.size}`, "watch the room on its volume"),
    ...Object.fromEntries(
      nodes.map(({ node, silentS, versionsBehind, program }) => [
        `node ${node}`,
        judged(
          `program ${program}, silent for ${silentS} s, ${versionsBehind} commits behind`,
          silentS > SILENT_S
            ? "start it, or kanalog cluster forget"
            : versionsBehind > BEHIND_MAX
              ? "see its log; kanalog cluster rebuild if it stays so"
              : null,
        ),
      ]),
    ),
  });
}

function examineDisk({ free, file }: Looks["disk"]): Found {
  const gb = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
  if (free === null) return unknown("not told by the system", "watch the room on it");
  const found = `${gb(free)} free, the copy has ${gb(file)}`;
  return judged(found, free > file ? null : "free some room: a rebuild needs as much again");
}
