import type { Recorded } from "./recorder.ts";

/** An entry for a statement: how SQLite finds its rows, and how many rows it visits at most. */
export interface Entry {
  /**
   * As `Recorded.shape`; without it, the entry is for each statement of the call site that has this plan.
   */
  sql?: string;
  /** Lines of EXPLAIN QUERY PLAN; `*` matches anything. */
  plan: readonly string[];
  /** At the limits of the plans; null if they could not be counted. */
  rows: number | null;
  /** Why the plan is right. Required if many rows are visited, or a table that grows is scanned. */
  why?: string;
}

/** Entries by call site. */
export type Entries = Readonly<Record<string, readonly Entry[]>>;

/** Visiting more rows than these needs a reason. */
const FEW = 200;
/** Tables that have a handful of rows, whatever customers do. */
const SMALL = [
  ...["accounts_version", "plans", "jobs", "categories", "territories", "webhook_look", "meta"],
  ...["sqlite_schema", "sqlite_sequence", "CONSTANT", "50-ROW", "search_trigrams"],
];

/** All differences between the statements and the entries, in sentences. */
export function faultsOf(statements: readonly Recorded[], entries: Entries): string[] {
  const faults: string[] = [];
  const met = new Set<Entry>();
  for (const one of statements) {
    // COMMIT, INSERT … VALUES and the like read nothing.
    if (one.plan.length === 0) continue;
    const own = (entries[one.site] ?? []).filter(
      ({ sql }) => sql === undefined || sql === one.shape,
    );
    const entry = own.find(({ plan }) => isPlan(plan, one.plan));
    if (one.runs === 0) {
      faults.push(`${one.site} prepares a statement that the exercises never run: ${one.shape}`);
    }
    if (entry === undefined) {
      const other = own.find(({ sql }) => sql !== undefined);
      const what =
        other === undefined ? "has no entry" : `has another plan: ${linesOf(other.plan)}`;
      faults.push(`${one.site} ${what}. As it is now: ${linesOf([one.shape, ...one.plan])}`);
      continue;
    }
    met.add(entry);
    if ((one.rows === null) !== (entry.rows === null) || (one.rows ?? 0) > (entry.rows ?? 0)) {
      faults.push(`${one.site} visits ${one.rows} rows, not ${entry.rows}: ${one.shape}`);
    }
  }
  for (const [site, own] of Object.entries(entries)) {
    for (const entry of own) {
      const { sql = "any statement", plan } = entry;
      if (!met.has(entry))
        faults.push(`${site}: nothing has this entry: ${linesOf([sql, ...plan])}`);
      if ((entry.why === undefined || entry.why === "?") && needsWord(entry)) {
        faults.push(`${site}: say why it is right: ${linesOf([sql, ...plan])}`);
      }
    }
  }
  return faults;
}

export function needsWord({ plan, rows }: Pick<Entry, "plan" | "rows">): boolean {
  return (
    rows === null ||
    rows > FEW ||
    plan.some((line) => {
      const [, scanned] = /^ *SCAN (\S+)/.exec(line) ?? [];
      const isTable =
        scanned !== undefined && !scanned.startsWith("(") && !line.includes("VIRTUAL");
      return line.includes("AUTOMATIC") || (isTable && !SMALL.includes(scanned));
    })
  );
}

export function isPlan(written: readonly string[], found: readonly string[]): boolean {
  return (
    written.length === found.length &&
    written.every((line, at) => {
      const parts = line.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
      return new RegExp(`^${parts.join(".*")}$`).test(found[at] ?? "");
    })
  );
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `\n    ${line}`).join("");
}
