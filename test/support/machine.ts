import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { hostPlatform } from "../../src/packaging/executable.ts";
import { runHere } from "./command.ts";
import { fetchOnce } from "./fetch-once.ts";
import { processorMs } from "./processor-time.ts";
import { HANGS_AFTER_MS } from "./until.ts";

/** The exit code and output of a command. */
export interface Finished {
  exitCode: number;
  out: string;
  /** Standard error. */
  notes: string;
}

export interface RunOptions {
  environment?: Record<string, string>;
  stdin?: string | Uint8Array;
  /** Words that start the program; by default `PROGRAM`. */
  program?: readonly string[];
}

export interface Serving {
  address: string;
  pid: number;
  /** Output so far, of both streams. */
  printed(): string;
  get(path: string, key?: string): Promise<Response>;
  /**
   * Processor time of all its threads so far. A limit on it bounds the work, whereas elapsed time also
   * depends on what else runs on the machine.
   */
  processorMs(): number;
  /** Stops it as an operator would. @returns the exit code */
  stop(): Promise<number>;
}

/** An operator's machine: a folder with a real database file, and the real program. */
export interface Machine {
  folder: string;
  /** Path of the database that commands use. */
  readonly database: string;
  path(name: string): string;
  write(name: string, content: string | Uint8Array): string;
  read(name: string): string;
  exists(name: string): boolean;
  /** Runs a command to its end, within this process if possible. */
  run(words: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs a command to its end in a process of its own, as people run it. */
  runProgram(words: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs a command with `--json`. @returns the document that it prints @throws Error if it fails */
  json<T = Record<string, unknown>>(words: readonly string[]): Promise<T>;
  spawn(words: readonly string[], options?: RunOptions): Bun.Subprocess<Blob, "pipe", "pipe">;
  serve(words?: readonly string[], options?: RunOptions): Promise<Serving>;
  /** Creates an organization with a member and a key, and lifts its plan's rate. */
  customer(plan?: string): Promise<{ organization: number; member: number; key: string }>;
  /** Reads the database file while the program may be running. */
  query<Row>(sql: string, ...values: unknown[]): Row[];
  /** Opens the file to change it while the program may be running; the test must close it. */
  open(): BetterSqlite3.Database;
  /** Kills all processes and removes the folder. */
  leave(): Promise<void>;
}

/** Executable for all commands, including those that could run within this process. */
const EXECUTABLE = process.env["KANALOG_TEST_EXECUTABLE"];
/**
 * Folder with the executable for processes, as `bun run test` builds it: it starts in 0.2 seconds of
 * processor time, the sources in 0.8.
 */
const BUILT = process.env["KANALOG_TEST_BUILT"];

/** The program that processes run: an executable if there is one, or else the sources. */
export const PROGRAM: readonly [string, ...string[]] =
  EXECUTABLE !== undefined
    ? [resolve(EXECUTABLE)]
    : BUILT !== undefined
      ? [resolve(BUILT, `kanalog-${hostPlatform()}`)]
      : [process.execPath, join(import.meta.dir, "../../src/main.ts")];
/** Commands that need a process of their own, because they serve or read standard input. */
const PROCESSES = ["start", "serve", "mcp"];

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
              // The address is complete once something follows it.
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
        get: (path, key) => fetchOnce(address + path, key),
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
        ...["org", "create", "--name", "Acme", "--plan", plan, "--same-name"],
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
