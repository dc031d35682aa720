import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { deploymentFiles } from "../../src/cluster/setup/deployment-files.ts";
import { postgresUser } from "./postgres.ts";
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
  /** An address of this machine, as Patroni's files name it. */
  host: string;
  patroni: Bun.Subprocess;
  /** Kills Patroni and all processes of PostgreSQL at once, like a loss of power. */
  kill(): void;
  /** Starts its Patroni again, with the same data. */
  start(): void;
}

/**
 * Three etcd and three PostgreSQL under Patroni, on what `kanalog cluster files` writes for three addresses of
 * this machine. They end at the latest with this process.
 */
export interface Patroni {
  members: readonly PatroniMember[];
  /** Creates a database. @returns its address, with all hosts */
  newDatabase(): Promise<string>;
  /** Waits until a standby follows synchronously. @returns both, by their roles according to Patroni */
  whole(): Promise<{ primary: PatroniMember; standby: PatroniMember }>;
  /** Waits until a member is the primary, which Patroni reports a little before its PostgreSQL is. */
  promoted(member: PatroniMember): Promise<void>;
  stop(): Promise<void>;
}

const PASSWORDS = { superuser: "superuser", replication: "replication", kanalog: "kanalog" };

export async function startPatroni(): Promise<Patroni> {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-patroni-"));
  const user = postgresUser();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const run = (command: string[], log: string, more = {}): Bun.Subprocess => {
    const output = openSync(join(folder, log), "a");
    return Bun.spawn([...(user?.as ?? []), ...command], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, LANG: "C.UTF-8", ...more },
      stdio: ["ignore", output, output],
    });
  };

  const bin = debianPrograms() as string;
  const postgres = Number(bin.split("/").at(-2));
  // Addresses that nothing else on this machine uses, because the files' ports are fixed.
  const net = `127.${1 + Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`;
  const hosts = [1, 2, 3].map((last) => `${net}.${last}`);
  const files = deploymentFiles({ hosts, postgres, passwords: PASSWORDS, secret: "" });
  for (const [path, content] of files) {
    const own = join(folder, path.split("/")[0] as string);
    const target = join(folder, path);
    for (const made of [own, dirname(target)]) {
      mkdirSync(made, { recursive: true });
      if (user !== null) chownSync(made, user.uid, user.gid);
    }
    // All three run on one machine: each gets a root of its own.
    const rooted = content
      .replaceAll("/var/lib/", `${own}/`)
      .replaceAll("/var/run/postgresql", own)
      .replaceAll("/etc/patroni/", `${own}/etc/patroni/`);
    writeFileSync(target, rooted);
  }

  const etcd = hosts.map((host) => {
    const settings = readFileSync(join(folder, host, "etc/default/etcd"), "utf8");
    const lines = settings.split("\n").filter((line) => line.startsWith("ETCD_"));
    const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
    mkdirSync(join(folder, host, "etcd"), { recursive: true });
    if (user !== null) chownSync(join(folder, host, "etcd"), user.uid, user.gid);
    return run([PROGRAMS.etcd], `${host}-etcd.log`, environment);
  });
  for (const host of hosts) await until(() => answers(`http://${host}:2379/health`), "etcd");

  const makeMember = (host: string): PatroniMember => {
    const settings = join(folder, host, "etc/patroni/kanalog.yml");
    const data = join(folder, host, `postgresql/${postgres}/kanalog`);
    mkdirSync(dirname(data), { recursive: true });
    if (user !== null) {
      for (const made of [dirname(data), dirname(dirname(data))]) {
        chownSync(made, user.uid, user.gid);
      }
    }
    const start = () => run([PYTHON, PROGRAMS.patroni, settings], `${host}-patroni.log`);
    const member = {
      host,
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

  const first = makeMember(hosts[0] as string);
  await until(async () => [...(await rolesBy([first])).values()].includes("leader"), "a primary");
  const members = [first, ...hosts.slice(1).map(makeMember)];
  let databases = 0;

  const patroni: Patroni = {
    members,
    async newDatabase() {
      const { primary } = await patroni.whole();
      databases += 1;
      const name = `campaign_${databases}`;
      const connection = await connectToMember(primary);
      await connection.query(`CREATE DATABASE ${name} OWNER kanalog`);
      await connection.end();
      const servers = hosts.map((host) => `${host}:5432`).join(",");
      return `postgres://kanalog:${PASSWORDS.kanalog}@${servers}/${name}`;
    },

    async whole() {
      let primary: PatroniMember | undefined;
      let standby: PatroniMember | undefined;
      await until(async () => {
        const roles = await rolesBy(members);
        primary = members.find(({ host }) => roles.get(host) === "leader");
        standby = members.find(({ host }) => roles.get(host) === "sync_standby");
        return primary !== undefined && standby !== undefined;
      }, "a primary with its standby");
      return { primary: primary as PatroniMember, standby: standby as PatroniMember };
    },

    async promoted(member) {
      await until(async () => (await rolesBy(members)).get(member.host) === "leader", "a leader");
      const client = await connectToMember(member);
      const recovering = "SELECT pg_is_in_recovery() AS still";
      await until(async () => !(await client.query(recovering)).rows[0].still, "a primary");
      await client.end();
    },

    async stop() {
      for (const member of members) member.kill();
      for (const one of etcd) one.kill("SIGKILL");
      await Promise.all(
        [...etcd, ...members.map(({ patroni: one }) => one)].map(({ exited }) => exited),
      );
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  process.on("exit", () => {
    if (!existsSync(folder)) return;
    for (const member of members) member.kill();
    for (const one of etcd) one.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  await patroni.whole();
  return patroni;
}

/** Connects to one server, whatever its present role. */
export async function connectToMember(
  { host }: PatroniMember,
  database = "postgres",
): Promise<pg.Client> {
  const connectionString = `postgres://postgres:${PASSWORDS.superuser}@${host}:5432/${database}`;
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  return client;
}

async function answers(address: string): Promise<boolean> {
  const response = await fetch(address).catch(() => null);
  await response?.body?.cancel();
  return response?.ok ?? false;
}

/** Role of each running member by its host, according to the first Patroni that answers. */
async function rolesBy(members: readonly PatroniMember[]): Promise<Map<string, string>> {
  for (const { host } of members) {
    // A suspended Patroni accepts the connection but never answers, or not completely.
    const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    const cluster = await fetch(`http://${host}:8008/cluster`, { signal })
      .then((response) => (response.ok ? (response.json() as Promise<PatroniCluster>) : null))
      .catch(() => null);
    if (cluster === null) continue;
    const running = cluster.members.filter(({ state }) => /^(running|streaming)$/.test(state));
    return new Map(running.map((one) => [one.host, one.role]));
  }
  return new Map();
}

const ANSWERS_WITHIN_MS = 1_000;

interface PatroniCluster {
  members: { host: string; role: string; state: string }[];
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
