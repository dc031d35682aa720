import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { serverPrograms } from "./postgres-programs.ts";
import { processorMsOfAll } from "./processor-time.ts";

export { hasPostgres } from "./postgres-programs.ts";

let started: Promise<number> | null = null;
let databases = 0;
let programs: string | null = null;

/**
 * The address of a new database of a PostgreSQL that runs while this process does.
 * @param template the name of a database that nobody is connected to, whose content it gets
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
  /** Of its first database. */
  url: string;
  /** Time of the processor that all its processes took so far. */
  processorMs(): number;
  /** Its folder of data. */
  data: string;
  /** As a loss of power would: all its processes at once. */
  kill(): Promise<void>;
  /** Starts it again over what it had. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @param isFlushed whether its commits reach the disk, as they must to survive a kill of the machine */
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
  let server: Bun.Subprocess<"ignore", "ignore", "pipe"> | null = null;

  async function start(): Promise<void> {
    server = Bun.spawn(
      [
        // It ends with this process, however that does.
        ...["setpriv", "--pdeathsig=QUIT", ...as.slice(1), join(bin, "postgres")],
        ...["-D", data, "-p", String(port), "-k", folder],
        ...["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=300"],
        ...["-c", `fsync=${isFlushed ? "on" : "off"}`],
      ],
      { cwd: folder, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
    );
    const reader = server.stderr.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; !text.includes("ready to accept connections"); ) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`PostgreSQL does not start: ${text}`);
      text += value;
    }
    // Read to its end, since a full pipe would hold the server up.
    void (async () => {
      while (!(await reader.read()).done);
    })();
  }

  async function end(signal: "SIGKILL" | "SIGQUIT"): Promise<void> {
    server?.kill(signal);
    await server?.exited;
    server = null;
  }

  await start();
  return {
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    processorMs: () => (server === null ? 0 : processorMsOfAll(server.pid)),
    data,
    kill: () => end("SIGKILL"),
    start,
    stop: () => end("SIGQUIT"),
  };
}

const FOLDERS = "kanalog-postgres-";

/** Test processes end without a last word, so the next one clears up: folders tell whose they are. */
function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(FOLDERS)) continue;
    const pid = name.slice(FOLDERS.length).split("-")[0];
    if (existsSync(`/proc/${pid}`)) continue;
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

/** Whom PostgreSQL runs as where this process is root's, and the words before its commands. */
export function postgresUser(): { uid: number; gid: number; as: string[] } | null {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = systemUser(["postgres", "nobody"]);
  return { uid, gid, as: ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"] };
}

/** The first of these users that this machine has. */
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
