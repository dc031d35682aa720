import BetterSqlite3 from "better-sqlite3";
import { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core";
import { BUILDERS, type CallSite, findCallSites, sourceFrame } from "./call-sites.ts";
import { countedSql, type RowNames, VISITED } from "./counted-sql.ts";

/** A statement of the application, as it was prepared and run. */
export interface Recorded {
  /** Name of the call site. */
  site: string;
  /** The statement, without what does not matter to its plan. */
  shape: string;
  sql: string;
  /** Lines of EXPLAIN QUERY PLAN, indented; none for a statement that reads no table. */
  plan: string[];
  /** The most that one run visited; null where the counted copy has another plan. */
  rows: number | null;
}

export interface Recorder {
  /** What was prepared while the application ran, each statement once a call site. */
  statements(): Recorded[];
  /** Call sites that prepared nothing. */
  idleSites(): CallSite[];
  /** Statements that were prepared where `findCallSites` saw none. */
  strays: Set<string>;
  stop(): void;
}

const { prepare, exec, explain } = BetterSqlite3.prototype as unknown as Driver;

/** What the driver's types do not know of it. */
interface Driver {
  prepare(sql: string): BetterSqlite3.Statement;
  exec(sql: string): BetterSqlite3.Database;
  /** The rows of EXPLAIN, for which parameters need no values. */
  explain(sql: string): unknown[];
}

/**
 * From now on every statement of every connection of this process is replaced by a copy that counts the
 * rows it visits (counted-sql.ts), if that has the same plan; its answers are the same.
 */
export function startRecorder(): Recorder {
  const sites = findCallSites();
  const hit = new Set<CallSite>();
  const strays = new Set<string>();
  const statements: Recorded[] = [];
  const bySiteAndSql = new Map<string, Recorded>();
  let visited = 0;

  // A call in tail position leaves no trace on the stack, and most of drizzle's statements are prepared
  // by one. So it is noted where each is begun.
  let builtAt = "";
  const builder = BaseSQLiteDatabase.prototype as unknown as Record<string, Begin>;
  const begins = BUILDERS.map((name) => [name, builder[name] as Begin] as const);
  for (const [name, begin] of begins) {
    builder[name] = function (this: unknown, ...given: unknown[]) {
      builtAt = stackHere();
      return begin.apply(this, given);
    };
  }

  const armed = new WeakSet<BetterSqlite3.Database>();
  const arm = (client: BetterSqlite3.Database): void => {
    if (armed.has(client)) return;
    armed.add(client);
    client.function(VISITED, { deterministic: false }, (_row) => {
      visited += 1;
      return 1;
    });
  };

  const noteSite = (sql: string): string => {
    const frame = frameHere(builtAt);
    // Made by a test.
    if (frame === null) return "";
    const { file, line } = frame;
    // The innermost call, where one stands within another.
    const site = sites
      .filter((one) => one.file === file && one.lines[0] <= line && line <= one.lines[1])
      .sort((one, other) => one.lines[1] - one.lines[0] - (other.lines[1] - other.lines[0]))[0];
    if (site === undefined) {
      strays.add(`${file}:${line} ${sql}`);
      return file;
    }
    hit.add(site);
    return site.name;
  };

  const record = (client: BetterSqlite3.Database, site: string, sql: string): Recorded => {
    const key = `${site} ${sql}`;
    const known = bySiteAndSql.get(key);
    if (known !== undefined) return known;
    const plan = planOf(client, sql);
    const made: Recorded = { site, shape: shapeOf(sql), sql, plan, rows: 0 };
    bySiteAndSql.set(key, made);
    statements.push(made);
    return made;
  };

  BetterSqlite3.prototype.prepare = function (this: BetterSqlite3.Database, sql: string) {
    const site = noteSite(sql);
    if (site === "") return prepare.call(this, sql);
    arm(this);
    const recorded = record(this, site, sql);
    if (recorded.plan.length === 0) return prepare.call(this, sql);
    const counted = countedSql(sql, rowNamesOf(this));
    if (planOf(this, counted).join("\n") !== recorded.plan.join("\n")) {
      recorded.rows = null;
      return prepare.call(this, sql);
    }
    return noting(prepare.call(this, counted), (run) => {
      // Statements of the application do not run within each other.
      visited = 0;
      const result = run();
      recorded.rows = Math.max(recorded.rows ?? 0, visited);
      return result;
    });
  } as typeof BetterSqlite3.prototype.prepare;

  BetterSqlite3.prototype.exec = function (this: BetterSqlite3.Database, sql: string) {
    noteSite(sql);
    return exec.call(this, sql);
  } as typeof BetterSqlite3.prototype.exec;

  return {
    statements: () => statements,
    idleSites: () => sites.filter((site) => !hit.has(site)),
    strays,
    stop: () => {
      Object.assign(BetterSqlite3.prototype, { prepare, exec });
      Object.assign(builder, Object.fromEntries(begins));
    },
  };
}

type Begin = (this: unknown, ...given: unknown[]) => unknown;

/** Where in src a statement is made at this moment. */
function frameHere(builtAt: string): ReturnType<typeof sourceFrame> {
  const stack = stackHere();
  return sourceFrame(stack.includes("/drizzle-orm/") ? builtAt : stack);
}

function stackHere(): string {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const stack = new Error().stack ?? "";
  Error.stackTraceLimit = before;
  return stack;
}

type Run = "run" | "get" | "all";

function noting(
  statement: BetterSqlite3.Statement,
  around: (run: () => unknown) => unknown,
): BetterSqlite3.Statement {
  for (const name of ["run", "get", "all"] as const satisfies Run[]) {
    const run = statement[name].bind(statement);
    Object.assign(statement, { [name]: (...values: unknown[]) => around(() => run(...values)) });
  }
  return statement;
}

function planOf(client: BetterSqlite3.Database, sql: string): string[] {
  const rows = explain.call(client, `QUERY PLAN ${sql}`) as {
    id: number;
    parent: number;
    detail: string;
  }[];
  const depths = new Map<number, number>([[0, -1]]);
  return rows.map(({ id, parent, detail }) => {
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(id, depth);
    return "  ".repeat(depth) + detail;
  });
}

/** The statement on one line, without its columns: they change, and its plan does not hang on them. */
export function shapeOf(sql: string): string {
  return sql
    .replace(/--[^\n]*/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

const rowNames = new WeakMap<BetterSqlite3.Database, RowNames>();

function rowNamesOf(client: BetterSqlite3.Database): RowNames {
  let names = rowNames.get(client);
  if (names === undefined) {
    const rows = prepare
      .call(
        client,
        `SELECT t.name, iif(t.wr, (SELECT name FROM pragma_table_info(t.name) WHERE pk = 1), 'rowid')
           AS row
         FROM pragma_table_list t WHERE t.schema = 'main' AND t.type IN ('table', 'virtual')`,
      )
      .all() as { name: string; row: string }[];
    names = new Map(rows.map(({ name, row }) => [name, row]));
    if (rows.length > 20) rowNames.set(client, names);
  }
  return names;
}
