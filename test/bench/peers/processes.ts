import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../../..");
const START_MAX_MS = 30_000;
const LOOK_MS = 2;

/** Processes of this run that have not ended. */
const running = new Set<Bun.Subprocess>();

interface SpawnOptions {
  env?: Record<string, string | undefined>;
  cwd?: string;
}

export function spawn(words: string[], { env = {}, cwd = ROOT }: SpawnOptions = {}) {
  const child = Bun.spawn(words, {
    cwd,
    env: { ...process.env, ...env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  running.add(child);
  void child.exited.then(() => running.delete(child));
  return child;
}

/** Ends all processes that are still running, after a failure. */
export async function endAll(): Promise<void> {
  for (const child of running) {
    child.kill("SIGKILL");
    await child.exited;
  }
}

/** Runs a command to its end. @returns what it printed @throws Error with its standard error */
export async function run(words: string[], options?: SpawnOptions): Promise<string> {
  const child = spawn(words, options);
  void child.stdin.end();
  const [out, notes, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (code !== 0)
    throw new Error(`${words.join(" ").slice(0, 300)}: exit ${code}: ${notes || out}`);
  return out;
}

export interface Server {
  address: string;
  pid: number;
  /** From the start of the process to the first successful answer. */
  readyMs: number;
  stop(): Promise<void>;
}

/** Starts a server and waits until a path is answered successfully. */
export async function startServer(
  words: (port: number) => string[],
  path: string,
  options: (port: number) => SpawnOptions = () => ({}),
): Promise<Server> {
  const port = freePort();
  const startedAt = performance.now();
  const child = spawn(words(port), options(port));
  // Read, because a full pipe would block the server.
  const printed = Promise.all([child.stdout.text(), child.stderr.text()]);
  const address = `http://127.0.0.1:${port}`;
  while (!(await answers(address + path))) {
    if (child.exitCode !== null || performance.now() - startedAt > START_MAX_MS) {
      child.kill("SIGKILL");
      throw new Error(`${words(port).join(" ")} does not serve: ${(await printed).join("")}`);
    }
    await Bun.sleep(LOOK_MS);
  }
  return {
    address,
    pid: child.pid,
    readyMs: performance.now() - startedAt,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

/** Resident memory in bytes; null once the process has ended. */
export async function residentBytes(pid: number): Promise<number | null> {
  const text = await Bun.spawn(["ps", "-o", "rss=", "-p", String(pid)]).stdout.text();
  return text.trim() === "" ? null : Number(text) * 1024;
}
