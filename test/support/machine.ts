import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { hostPlatform } from "../../src/packaging/executable.ts";
import { runHere } from "./command.ts";
import { processorMs } from "./processor-time.ts";

/** How a command ended and what it printed. */
export interface Finished {
  exitCode: number;
  out: string;
  /** Standard error. */
  notes: string;
}

export interface RunOptions {
  environment?: Record<string, string>;
  stdin?: string | Uint8Array;
  /** The words that start the program, where they are other ones than usual. */
  program?: readonly string[];
}

export interface Serving {
  address: string;
  pid: number;
  /** What it printed so far, both streams. */
  printed(): string;
  get(path: string, key?: string): Promise<Response>;
  /**
   * Time of the processor that it took so far, all its threads: a bound on it says how much work
   * something is, where the clock on the wall tells what else runs on the machine.
   */
  processorMs(): number;
  /** Ends it as an operator would. @returns the exit code */
  stop(): Promise<number>;
}

/** An operator's machine: a folder of its own and the real program over a real file in it. */
export interface Machine {
  folder: string;
  /** The database that commands are told to use. */
  readonly database: string;
  path(name: string): string;
  write(name: string, content: string | Uint8Array): string;
  read(name: string): string;
  exists(name: string): boolean;
  /** Runs a command to its end, within this process where it can. */
  run(words: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs a command to its end as people call it, in a process of its own. */
  runProgram(words: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs a command that prints one JSON document; fails where it does not. */
  json<T = Record<string, unknown>>(words: readonly string[]): Promise<T>;
  spawn(words: readonly string[], options?: RunOptions): Bun.Subprocess<Blob, "pipe", "pipe">;
  serve(words?: readonly string[], options?: RunOptions): Promise<Serving>;
  /** Makes an organization with a member and a key; its plan's rate is lifted. */
  customer(plan?: string): Promise<{ organization: number; member: number; key: string }>;
  /** Reads the database file beside the program. */
  query<Row>(sql: string, ...values: unknown[]): Row[];
  /** Opens the file to change it beside the program; the test closes it. */
  open(): BetterSqlite3.Database;
  /** Ends what still runs and removes the folder. */
  leave(): Promise<void>;
}

/** The executable that all commands are run by, those too that could run within this process. */
const EXECUTABLE = process.env["KANALOG_TEST_EXECUTABLE"];
/**
 * The folder with the executable that processes are started from, as `bun run test` builds it: it is
 * ready after 0.2 seconds of the processor, the sources are after 0.8.
 */
const BUILT = process.env["KANALOG_TEST_BUILT"];

/** The program as processes run it: the executable where there is one, else the sources. */
export const PROGRAM: readonly [string, ...string[]] =
  EXECUTABLE !== undefined
    ? [resolve(EXECUTABLE)]
    : BUILT !== undefined
      ? [resolve(BUILT, `kanalog-${hostPlatform()}`)]
      : [process.execPath, join(import.meta.dir, "../../src/main.ts")];
/** Commands that have a process of their own: they serve, or read standard input. */
const PROCESSES = ["start", "serve", "mcp"];
/**
 * For what only guards against hanging for ever: far above what a busy machine takes, and below a
 * test's own limit, so that what was waited for is told.
 */
export const HANGS_AFTER_MS = 240_000;

export function createMachine(): Machine {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  const database = join(folder, "kanalog.db");
  const running = new Set<Bun.Subprocess>();
  const settings = { KANALOG_DB: database, KANALOG_PORT: "0", KANALOG_LOG_LEVEL: "silent" };

  const machine: Machine = {
    folder,
    database,
    path: (name) => join(folder, name),
    write(name, content) {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    },
    read: (name) => readFileSync(join(folder, name), "utf8"),
    exists: (name) => existsSync(join(folder, name)),

    spawn(words, { environment = {}, stdin = "", program = PROGRAM } = {}) {
      const child = Bun.spawn([...program, ...words], {
        cwd: folder,
        env: { PATH: process.env["PATH"] ?? "", HOME: folder, ...settings, ...environment },
        stdin: new Blob([typeof stdin === "string" ? stdin : new Uint8Array(stdin)]),
        stdout: "pipe",
        stderr: "pipe",
      });
      running.add(child);
      void child.exited.then(() => running.delete(child));
      return child;
    },

    run(words, options) {
      const needsProcess =
        options?.stdin !== undefined ||
        options?.program !== undefined ||
        PROCESSES.includes(words[0] ?? "") ||
        EXECUTABLE !== undefined;
      return needsProcess
        ? machine.runProgram(words, options)
        : runHere(folder, { ...settings, ...options?.environment }, words);
    },

    async runProgram(words, options) {
      const child = machine.spawn(words, options);
      const [out, notes, exitCode] = await Promise.all([
        child.stdout.text(),
        child.stderr.text(),
        child.exited,
      ]);
      return { exitCode, out, notes };
    },

    async json<T>(words: readonly string[]) {
      const { exitCode, out, notes } = await machine.run([...words, "--json"]);
      if (exitCode !== 0) throw new Error(`${words.join(" ")}: exit ${exitCode}: ${notes}`);
      return JSON.parse(out) as T;
    },

    async serve(words = ["serve"], options) {
      const child = machine.spawn(words, options);
      let text = "";
      const address = await new Promise<string>((resolve, reject) => {
        const fail = () => reject(new Error(`it does not serve: ${text}`));
        const timer = setTimeout(fail, HANGS_AFTER_MS);
        void child.exited.then(fail);
        for (const stream of [child.stdout, child.stderr]) {
          void (async () => {
            const decoder = new TextDecoder();
            for await (const chunk of stream) {
              text += decoder.decode(chunk, { stream: true });
              // The line is whole once something follows the address.
              const found = /(http:\/\/[^\s,]+\d)\/docs\/\s/.exec(text)?.[1];
              if (found === undefined) continue;
              clearTimeout(timer);
              resolve(found);
            }
          })();
        }
      });
      return {
        address,
        pid: child.pid,
        printed: () => text,
        get: (path, key) => askOnce(address + path, key),
        processorMs: () => processorMs(child.pid),
        stop() {
          child.kill("SIGTERM");
          return child.exited;
        },
      };
    },

    async customer(plan = "profi") {
      await machine.json(["plan", "set", plan, "--rate", "1000000"]);
      const organization = await machine.json<{ id: number }>([
        ...["org", "create", "--name", "Acme", "--plan", plan],
      ]);
      const member = await machine.json<{ id: number }>([
        ...["member", "add", String(organization.id), "--email", "ada@example.com"],
        ...["--role", "owner"],
      ]);
      const { key } = await machine.json<{ key: string }>([
        ...["key", "create", "--member", String(member.id)],
      ]);
      return { organization: organization.id, member: member.id, key };
    },

    query<Row>(sql: string, ...values: unknown[]) {
      const db = new BetterSqlite3(database, { readonly: true });
      try {
        return db.prepare(sql).all(...values) as Row[];
      } finally {
        db.close();
      }
    },

    open: () => new BetterSqlite3(database),

    async leave() {
      for (const child of running) {
        child.kill("SIGKILL");
        await child.exited;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return machine;
}

/**
 * Asks by a connection of its own. Over one that was kept, `fetch` sends a request again that was not
 * answered, and it may be counted twice.
 */
export function askOnce(url: string, key?: string): Promise<Response> {
  const headers: Record<string, string> =
    key === undefined ? {} : { authorization: `Bearer ${key}` };
  return fetch(url, { headers, keepalive: false });
}

/** Between two looks; more often, and looking takes a core from what is waited for. */
const LOOK_AGAIN_MS = { first: 2, most: 25 };

/** Waits for a state that another process brings about. */
export async function until(holds: () => boolean | Promise<boolean>, what = "it"): Promise<void> {
  const giveUpAtMs = performance.now() + HANGS_AFTER_MS;
  let pauseMs = LOOK_AGAIN_MS.first;
  while (!(await holds())) {
    if (performance.now() > giveUpAtMs) throw new Error(`${what} did not come about`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(1.25 * pauseMs, LOOK_AGAIN_MS.most);
  }
}

/**
 * What SQLite says against the file, and where the search index differs from the table. On a
 * connection of its own: FTS5 keeps the index's structure between two integrity checks, and takes
 * what another process wrote since for corruption.
 */
export function faultsOf(path: string): unknown[] {
  const db = new BetterSqlite3(path);
  try {
    return readFaults(db);
  } finally {
    db.close();
  }
}

function readFaults(db: BetterSqlite3.Database): unknown[] {
  const integrity = db.pragma("integrity_check", { simple: true });
  const foreignKeys = db.pragma("foreign_key_check") as unknown[];
  db.exec("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, channel_search, instance)");
  const indexed = new Map<number, Set<string>>();
  for (const { term, doc } of db.prepare("SELECT term, doc FROM temp.terms").all() as {
    term: string;
    doc: number;
  }[]) {
    let terms = indexed.get(doc);
    if (terms === undefined) {
      terms = new Set();
      indexed.set(doc, terms);
    }
    terms.add(term);
  }
  const differing: number[] = [];
  const rows = db
    .prepare(
      `SELECT t.id, t.search_text FROM channel_texts t JOIN channels c ON c.id = t.id
       WHERE c.is_public = 1`,
    )
    .all() as { id: number; search_text: string }[];
  for (const { id, search_text } of rows) {
    const points = [...search_text];
    const wanted = new Set(points.slice(2).map((_, at) => points.slice(at, at + 3).join("")));
    const found = indexed.get(id) ?? new Set();
    if (wanted.size !== found.size || [...wanted].some((term) => !found.has(term))) {
      differing.push(id);
    }
    indexed.delete(id);
  }
  return [
    ...(integrity === "ok" ? [] : [integrity]),
    ...foreignKeys,
    ...differing,
    ...indexed.keys(),
  ];
}
