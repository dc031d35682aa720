import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort, postgresUser } from "./postgres.ts";
import { debianPrograms } from "./postgres-programs.ts";
import { until } from "./until.ts";

const PYTHON = "/usr/bin/python3";
const PROGRAMS = { etcd: "/usr/bin/etcd", patroni: "/usr/bin/patroni" };

/** What this machine lacks to run Patroni, in words; null for nothing. */
export function missingForPatroni(): string | null {
  if (debianPrograms() === null) return "PostgreSQL 15 or newer (Debian: postgresql)";
  if (!existsSync(PROGRAMS.etcd)) return "etcd (Debian: etcd-server)";
  if (!existsSync(PROGRAMS.patroni)) return "Patroni (Debian: patroni)";
  const libraries = spawnSync(PYTHON, ["-c", "import etcd, psycopg2"]);
  if (libraries.status !== 0) return "Patroni's libraries (Debian: python3-etcd, python3-psycopg2)";
  return null;
}

/** A PostgreSQL with the Patroni that manages it. */
export interface PatroniMember {
  name: string;
  port: number;
  patroni: Bun.Subprocess;
  /** Kills Patroni and all processes of PostgreSQL at once, like a loss of power. */
  kill(): void;
  /** Starts its Patroni again, with the same data. */
  start(): void;
}

/** etcd and two PostgreSQL under Patroni with synchronous commits. They end at the latest with this process. */
export interface Patroni {
  members: [PatroniMember, PatroniMember];
  /** Creates a database. @returns its address, with both hosts, the primary first */
  newDatabase(): Promise<string>;
  /** Waits until the standby follows. @returns both members, by their roles according to Patroni */
  whole(): Promise<{ primary: PatroniMember; standby: PatroniMember }>;
  /** Waits until a member is the primary, which Patroni reports a little before its PostgreSQL is. */
  promoted(member: PatroniMember): Promise<void>;
  stop(): Promise<void>;
}

/** Seconds after which a primary with a silent Patroni is replaced; Patroni's minimum. */
const LEASE_S = 20;

export async function startPatroni(): Promise<Patroni> {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-patroni-"));
  const user = postgresUser();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const run = (command: string[], log: string): Bun.Subprocess => {
    const output = openSync(join(folder, log), "a");
    return Bun.spawn([...(user?.as ?? []), ...command], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, LANG: "C.UTF-8" },
      stdio: ["ignore", output, output],
    });
  };

  const [client, peer] = [await freePort(), await freePort()].map((port) => `127.0.0.1:${port}`);
  const etcd = run(
    [
      ...[PROGRAMS.etcd, "--name", "etcd", "--data-dir", join(folder, "etcd"), "--enable-v2"],
      ...[
        "--listen-client-urls",
        `http://${client}`,
        "--advertise-client-urls",
        `http://${client}`,
      ],
      ...[
        "--listen-peer-urls",
        `http://${peer}`,
        "--initial-advertise-peer-urls",
        `http://${peer}`,
      ],
      ...["--initial-cluster", `etcd=http://${peer}`],
    ],
    "etcd.log",
  );
  await until(() => answers(`http://${client}/health`), "etcd");

  const makeMember = async (name: string): Promise<PatroniMember & { rest: string }> => {
    const [port, rest] = [await freePort(), `127.0.0.1:${await freePort()}`];
    const data = join(folder, name);
    const settings = join(folder, `${name}.yml`);
    // JSON is also valid YAML.
    const content = settingsOf({ name, port, rest, etcd: client as string, data, folder });
    writeFileSync(settings, JSON.stringify(content));
    const start = () => run([PYTHON, PROGRAMS.patroni, settings], `${name}.log`);
    const member = {
      ...{ name, port, rest },
      patroni: start(),
      kill() {
        member.patroni.kill("SIGKILL");
        killPostgres(data);
      },
      start() {
        member.patroni = start();
      },
    };
    return member;
  };

  const first = await makeMember("one");
  await until(async () => (await rolesBy([first])).get("one") === "leader", "a primary");
  const members: [typeof first, typeof first] = [first, await makeMember("two")];
  let databases = 0;

  const patroni: Patroni = {
    members,
    async newDatabase() {
      const { primary, standby } = await patroni.whole();
      databases += 1;
      const name = `campaign_${databases}`;
      const connection = await connectToMember(primary);
      await connection.query(`CREATE DATABASE ${name}`);
      await connection.end();
      const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(",");
      return `postgres://postgres@${hosts}/${name}`;
    },

    async whole() {
      let primary: PatroniMember | undefined;
      await until(async () => {
        const roles = await rolesBy(members);
        primary = members.find(({ name }) => roles.get(name) === "leader");
        return primary !== undefined && [...roles.values()].includes("sync_standby");
      }, "a primary with its standby");
      const standby = members.find((one) => one !== primary) as PatroniMember;
      return { primary: primary as PatroniMember, standby };
    },

    async promoted(member) {
      await until(async () => (await rolesBy(members)).get(member.name) === "leader", "a leader");
      const client = await connectToMember(member);
      const recovering = "SELECT pg_is_in_recovery() AS still";
      await until(async () => !(await client.query(recovering)).rows[0].still, "a primary");
      await client.end();
    },

    async stop() {
      for (const member of members) member.kill();
      etcd.kill("SIGKILL");
      await Promise.all([etcd.exited, ...members.map(({ patroni: { exited } }) => exited)]);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  process.on("exit", () => {
    if (!existsSync(folder)) return;
    for (const member of members) member.kill();
    etcd.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  await patroni.whole();
  return patroni;
}

/** Connects to one server, whatever its present role. */
export async function connectToMember(
  { port }: PatroniMember,
  database = "postgres",
): Promise<pg.Client> {
  const connectionString = `postgres://postgres@127.0.0.1:${port}/${database}`;
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Settings as the guide to several machines recommends them: commits wait for the standby. */
function settingsOf({
  name,
  port,
  rest,
  etcd,
  data,
  folder,
}: Record<"name" | "rest" | "etcd" | "data" | "folder", string> & { port: number }) {
  return {
    ...{ scope: "kanalog", name },
    restapi: { listen: rest, connect_address: rest },
    // Over `etcd3`, a Patroni before 3.0.3, such as Debian 12's, takes the lock from its successor when it
    // is resumed, and everything that the successor had acknowledged is lost.
    etcd: { host: etcd },
    bootstrap: {
      dcs: {
        ...{ ttl: LEASE_S, loop_wait: 2, retry_timeout: 5, maximum_lag_on_failover: 1_048_576 },
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: { max_connections: 100, wal_log_hints: "on", wal_keep_size: "512MB" },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"],
      pg_hba: [
        "host replication all 127.0.0.1/32 trust",
        "host all all 127.0.0.1/32 trust",
        "local all all trust",
      ],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: debianPrograms(),
      authentication: {
        superuser: { username: "postgres" },
        replication: { username: "postgres" },
        rewind: { username: "postgres" },
      },
      parameters: { unix_socket_directories: folder },
    },
  };
}

async function answers(address: string): Promise<boolean> {
  const response = await fetch(address).catch(() => null);
  await response?.body?.cancel();
  return response?.ok ?? false;
}

/** Role of each running member, according to the first Patroni that answers. */
async function rolesBy(members: readonly { rest: string }[]): Promise<Map<string, string>> {
  for (const { rest } of members) {
    // A suspended Patroni accepts the connection but never answers, or not completely.
    const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    const cluster = await fetch(`http://${rest}/cluster`, { signal })
      .then((response) => (response.ok ? (response.json() as Promise<PatroniCluster>) : null))
      .catch(() => null);
    if (cluster === null) continue;
    const running = cluster.members.filter(({ state }) => /^(running|streaming)$/.test(state));
    return new Map(running.map(({ name, role }) => [name, role]));
  }
  return new Map();
}

const ANSWERS_WITHIN_MS = 1_000;

interface PatroniCluster {
  members: { name: string; role: string; state: string }[];
}

/** Kills all processes of a PostgreSQL; the parent is stopped first, so that it starts no others meanwhile. */
function killPostgres(data: string): void {
  const file = join(data, "postmaster.pid");
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
  // The file of a killed server remains, and another process may have its id by now.
  if (!isPostgres(pid, data)) return;
  process.kill(pid, "SIGSTOP");
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  for (const child of children === "" ? [] : children.split(" ")) {
    try {
      process.kill(Number(child), "SIGKILL");
    } catch {
      // The process ended meanwhile.
    }
  }
  process.kill(pid, "SIGKILL");
}

function isPostgres(pid: number, data: string): boolean {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) && readFileSync(file, "utf8").split("\0").includes(data);
}
