import BetterSqlite3 from "better-sqlite3";
import { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core";
import { BUILDERS, type CallSite, findCallSites, sourceFrame } from "./call-sites.ts";
import { countedSql, type RowNames, VISITED } from "./counted-sql.ts";
import { PART_OF_INDEX, shapeOf } from "./shape.ts";

/** A statement of the application that was prepared and run. */
export interface Recorded {
  /** Name of the call site. */
  site: string;
  shape: string;
  /** Lines of EXPLAIN QUERY PLAN, indented; empty for a statement that reads no table. */
  plan: string[];
  /** Most rows that one run visited; null if the counting copy has another plan. */
  rows: number | null;
  runs: number;
}

export interface Recorder {
  /** Statements that were prepared while the application ran, each once per call site. */
  statements: readonly Recorded[];
  /** Call sites that prepared nothing, unless another call site of their file prepares the same. */
  idleSites(): CallSite[];
  /** Statements prepared at a place that `findCallSites` did not find. */
  strays: ReadonlySet<string>;
  /** Restores the driver. */
  stop(): void;
}

/** Members of the driver that are missing in its types. */
interface Driver {
  prepare(sql: string): BetterSqlite3.Statement;
  exec(sql: string): BetterSqlite3.Database;
  /** Rows of EXPLAIN, for which parameters need no values. */
  explain(sql: string): unknown[];
}

type Begin = (this: unknown, ...values: unknown[]) => unknown;

const driver = BetterSqlite3.prototype as unknown as Driver;
const { prepare, exec, explain } = driver;

/** A run is aborted after this many rows: a bad plan may visit millions, and is reported anyway. */
const BROKEN_OFF = 2_000_000;

/**
 * Replaces every statement of every connection of this process, from now on, by a copy that counts the rows
 * it visits (counted-sql.ts), if the copy has the same plan. The results stay the same.
 */
export function startRecorder(): Recorder {
  const sites = findCallSites();
  const hit = new Set<CallSite>();
  const strays = new Set<string>();
  const statements: Recorded[] = [];
  const bySiteAndSql = new Map<string, Recorded>();
  /** Rows of the current run, by the statement's index in `statements`. */
  const visited: number[] = [];

  // A call in tail position leaves no trace on the stack, and most of drizzle's statements are prepared by
  // one. So the place is recorded when a builder is started.
  let builtAt = "";
  const builder = BaseSQLiteDatabase.prototype as unknown as Record<string, Begin>;
  const begins = BUILDERS.map((name) => [name, builder[name] as Begin] as const);
  for (const [name, begin] of begins) {
    builder[name] = function (...values) {
      builtAt = stackHere();
      return begin.apply(this, values);
    };
  }

  /** Name of the call site; null for a statement of a test. */
  function noteSite(sql: string): string | null {
    const stack = stackHere();
    const frame = sourceFrame(stack.includes("/drizzle-orm/") ? builtAt : stack);
    if (frame === null) return null;
    const { file, line } = frame;
    const length = ({ lines }: CallSite): number => lines[1] - lines[0];
    // Of nested calls, the innermost.
    const [site] = sites
      .filter((one) => one.file === file && one.lines[0] <= line && line <= one.lines[1])
      .sort((one, other) => length(one) - length(other));
    if (site === undefined) {
      strays.add(`${file}:${line} ${shapeOf(sql)}`);
      return file;
    }
    hit.add(site);
    return site.name;
  }

  function record(client: BetterSqlite3.Database, site: string, sql: string): number {
    const known = bySiteAndSql.get(`${site} ${sql}`);
    if (known !== undefined) return statements.indexOf(known);
    const made = { site, shape: shapeOf(sql), plan: planOf(client, sql), rows: 0, runs: 0 };
    bySiteAndSql.set(`${site} ${sql}`, made);
    return statements.push(made) - 1;
  }

  const armed = new WeakSet<BetterSqlite3.Database>();
  function arm(client: BetterSqlite3.Database): void {
    if (armed.has(client)) return;
    armed.add(client);
    client.function(VISITED, { deterministic: false }, (number, _row) => {
      const rows = (visited[number as number] ?? 0) + 1;
      visited[number as number] = rows;
      if (rows >= BROKEN_OFF) throw new Error(`a run visited ${rows} rows`);
      return 1;
    });
  }

  driver.prepare = function (this: BetterSqlite3.Database, sql) {
    const site = noteSite(sql);
    if (site === null) return prepare.call(this, sql);
    arm(this);
    const number = record(this, site, sql);
    const recorded = statements[number] as Recorded;
    if (recorded.plan.length === 0) return prepare.call(this, sql);
    const counted = countedSql(sql, number, rowNamesOf(this, sql));
    const isSame = planOf(this, counted).join() === recorded.plan.join();
    if (!isSame) recorded.rows = null;
    return noting(prepare.call(this, isSame ? counted : sql), () => {
      recorded.runs += 1;
      visited[number] = 0;
      return () => {
        const rows = visited[number] ?? 0;
        if (recorded.rows !== null) recorded.rows = Math.max(recorded.rows, rows);
      };
    });
  };
  driver.exec = function (this: BetterSqlite3.Database, sql) {
    noteSite(sql);
    return exec.call(this, sql);
  };

  return {
    statements,
    idleSites() {
      const hitTexts = new Set([...hit].map(({ file, text }) => `${file} ${text}`));
      return sites.filter(({ file, text }) => !hitTexts.has(`${file} ${text}`));
    },
    strays,
    stop() {
      Object.assign(driver, { prepare, exec });
      Object.assign(builder, Object.fromEntries(begins));
    },
  };
}

function stackHere(): string {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const stack = new Error("here").stack ?? "";
  Error.stackTraceLimit = before;
  return stack;
}

/**
 * @param begin called when the statement starts to run; the function it returns is called at the end of
 * that run
 */
function noting(statement: BetterSqlite3.Statement, begin: () => () => void) {
  for (const name of ["run", "get", "all"] as const) {
    const run = statement[name].bind(statement);
    const noted = (...values: unknown[]): unknown => {
      const end = begin();
      try {
        return run(...values);
      } finally {
        end();
      }
    };
    Object.assign(statement, { [name]: noted });
  }
  const iterate = statement.iterate.bind(statement);
  const noted = function* (...values: unknown[]): Generator<unknown> {
    const end = begin();
    try {
      yield* iterate(...values);
    } finally {
      end();
    }
  };
  return Object.assign(statement, { iterate: noted });
}

/** The plan of a statement, whatever its parameters are. */
export function planOf(client: BetterSqlite3.Database, sql: string): string[] {
  const rows = explain.call(client, `QUERY PLAN ${sql}`) as {
    id: number;
    parent: number;
    detail: string;
  }[];
  const depths = new Map<number, number>([[0, -1]]);
  return rows.map(({ id, parent, detail }) => {
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(id, depth);
    return "  ".repeat(depth) + detail.trim().replace(PART_OF_INDEX, "post_search_N");
  });
}

/** For each table the column that identifies a row: its rowid, or else the first column of its key. */
const ROW_NAMES = `
  SELECT t.name, iif(t.wr, (SELECT name FROM pragma_table_info(t.name) WHERE pk = 1), 'rowid') AS row
  FROM pragma_table_list t WHERE t.schema = 'main' AND t.type IN ('table', 'shadow', 'virtual')`;
const rowNames = new WeakMap<BetterSqlite3.Database, RowNames>();

/** Cached, because tables change only by migrations, before anything is served, but for parts of the index. */
function rowNamesOf(client: BetterSqlite3.Database, sql: string): RowNames {
  const known = rowNames.get(client);
  if (known !== undefined && !sql.includes("post_search_")) return known;
  const rows = prepare.call(client, ROW_NAMES).all() as { name: string; row: string }[];
  const names = new Map(rows.map(({ name, row }) => [name, row]));
  if (names.has("channels")) rowNames.set(client, names);
  return names;
}
