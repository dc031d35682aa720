import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { serverPrograms } from "./postgres-programs.ts";
import { processorMsOfAll } from "./processor-time.ts";
import { until } from "./until.ts";

export { hasPostgres } from "./postgres-programs.ts";

let started: Promise<number> | null = null;
let databases = 0;
let programs: string | null = null;

/**
 * URL of a new database, on a PostgreSQL that runs as long as this process.
 * @param template name of a database to copy, to which nobody is connected
 */
export async function newPostgresDatabase(template = "template1"): Promise<string> {
  started ??= startServer();
  const port = await started;
  databases += 1;
  const name = `test_${process.pid}_${databases}`;
  const client = new pg.Client({
    connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
  });
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  await client.end();
  return `postgres://postgres@127.0.0.1:${port}/${name}`;
}

async function startServer(): Promise<number> {
  const server = await startPostgres({ isFlushed: false });
  return server.port;
}

/** A server that a test may kill; it ends with this process at the latest. */
export interface PostgresServer {
  port: number;
  /** URL of its first database. */
  url: string;
  /** Processor time that all its processes have used so far. */
  processorMs(): number;
  /** Its data folder. */
  data: string;
  /** Kills all its processes at once, as a power cut would. */
  kill(): Promise<void>;
  /** Restarts it with the existing data. */
  start(): Promise<void>;
  /**
   * Restarts it with a standby, for whose flush every commit waits.
   * @returns the standby, which must be stopped after its primary
   */
  startWithStandby(): Promise<{ processorMs(): number; stop(): Promise<void> }>;
  stop(): Promise<void>;
}

/** @param isFlushed whether it flushes commits to disk, which is needed if it is killed */
export async function startPostgres({
  isFlushed,
}: {
  isFlushed: boolean;
}): Promise<PostgresServer> {
  removeLeftFolders();
  const folder = mkdtempSync(join(tmpdir(), `${FOLDERS}${process.pid}-`));
  const bin = programs ?? serverPrograms(join(folder, "programs"));
  programs = bin;
  // PostgreSQL refuses to run as root.
  const user = postgresUser();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const as = user?.as ?? [];
  const data = join(folder, "data");
  const [initdb, ...rest] = [
    ...[...as, join(bin, "initdb"), "-D", data, "-U", "postgres"],
    ...["-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-N"],
  ];
  const made = spawnSync(initdb as string, rest, { cwd: folder, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const run = (of: string, on: number) =>
    runServer({ bin, as, folder, isFlushed, data: of, port: on });
  const server = run(data, port);
  await server.start();
  return {
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    processorMs: server.processorMs,
    data,
    kill: () => server.end("SIGKILL"),
    start: () => server.start(),
    async startWithStandby() {
      await server.end("SIGQUIT");
      const copy = join(folder, "standby");
      // Keeps the owner.
      spawnSync("cp", ["-a", data, copy]);
      writeFileSync(join(copy, "standby.signal"), "");
      const source = `host=127.0.0.1 port=${port} user=postgres application_name=standby`;
      const settings = (of: string) => join(of, "postgresql.auto.conf");
      appendFileSync(settings(copy), `primary_conninfo = '${source}'\n`);
      appendFileSync(settings(data), "synchronous_standby_names = 'standby'\n");
      await server.start();
      const standby = run(copy, await freePort());
      await standby.start(true);
      return { processorMs: standby.processorMs, stop: () => standby.end("SIGQUIT") };
    },
    stop: () => server.end("SIGQUIT"),
  };
}

interface ServerRun {
  /** Folder of the programs. */
  bin: string;
  /** Words before the program, to run it as another user. */
  as: readonly string[];
  folder: string;
  data: string;
  port: number;
  isFlushed: boolean;
}

function runServer({ bin, as, folder, data, port, isFlushed }: ServerRun) {
  let server: Bun.Subprocess<"ignore", "ignore", "pipe"> | null = null;
  /** @returns what it printed if it does not start */
  async function attempt(isStandby: boolean): Promise<string | null> {
    const ready = `ready to accept ${isStandby ? "read-only " : ""}connections`;
    server = Bun.spawn(
      [
        // Makes it end with this process, however that ends.
        ...["setpriv", "--pdeathsig=QUIT", ...as.slice(1), join(bin, "postgres")],
        ...["-D", data, "-p", String(port), "-k", folder],
        ...["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=300"],
        ...["-c", `fsync=${isFlushed ? "on" : "off"}`],
      ],
      { cwd: folder, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
    );
    const reader = server.stderr.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; !text.includes(ready); ) {
      const { value, done } = await reader.read();
      if (done) return `PostgreSQL does not start: ${text}`;
      text += value;
    }
    // Read continuously, because a full pipe would block the server.
    void (async () => {
      while (!(await reader.read()).done);
    })();
    return null;
  }

  return {
    /**
     * Starts it, once the processes of a killed server have released its memory.
     * @param isStandby whether it is ready once it accepts connections that only read
     */
    async start(isStandby = false): Promise<void> {
      let refused: string | null = null;
      await until(
        async () => {
          refused = await attempt(isStandby);
          if (refused?.includes("shared memory block") === false) throw new Error(refused);
          return refused === null;
        },
        () => `a start of PostgreSQL (${refused})`,
      );
    },

    async end(signal: "SIGKILL" | "SIGQUIT"): Promise<void> {
      server?.kill(signal);
      await server?.exited;
      server = null;
    },

    processorMs: () => (server === null ? 0 : processorMsOfAll(server.pid)),
  };
}

const FOLDERS = "kanalog-postgres-";

/**
 * Removes folders of processes that are gone: test processes cannot clean up when they end, so the next one
 * does. A folder's name contains its process id.
 */
function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(FOLDERS)) continue;
    const pid = name.slice(FOLDERS.length).split("-")[0];
    if (existsSync(`/proc/${pid}`)) continue;
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

/**
 * The user that PostgreSQL runs as if this process is root, and the command prefix for it; null otherwise.
 */
export function postgresUser(): { uid: number; gid: number; as: string[] } | null {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = systemUser(["postgres", "nobody"]);
  return { uid, gid, as: ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"] };
}

/** The first of these users that exists on this machine. */
function systemUser(names: readonly string[]): { uid: number; gid: number } {
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  const lines = names.flatMap((name) => users.find((one) => one.startsWith(`${name}:`)) ?? []);
  const [, , uid, gid] = lines[0]?.split(":") ?? [];
  if (uid === undefined) throw new Error(`there is no user ${names.join(" or ")}`);
  return { uid: Number(uid), gid: Number(gid) };
}

export function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address() as { port: number };
    probe.close(() => resolve(port));
  });
  return promise;
}
