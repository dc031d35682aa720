import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Entries, type Entry, isPlan, needsWord } from "./compare.ts";
import type { Recorded } from "./recorder.ts";

/*
 * The recorded plans as text, for people to read its differences. Below the name of each call site stand its
 * statements: the rows that each visits at most and its shape, its plan, and why that is right.
 */

export const PLANS_FILE = join(import.meta.dir, "plans.txt");

/** A statement of any shape, and rows that could not be counted. */
const ANY = "*";
const UNCOUNTED = "?";

export function readEntries(): Entries {
  const entries: Record<string, Entry[]> = {};
  let own: Entry[] = [];
  let plan: string[] = [];
  for (const line of readFileSync(PLANS_FILE, "utf8").split("\n")) {
    const [, rows = "", sql = ""] = /^ {2}(\S+) rows?: (.*)$/.exec(line) ?? [];
    if (rows !== "") {
      plan = [];
      const counted = rows === UNCOUNTED ? null : Number(rows);
      own.push({ ...(sql !== ANY && { sql }), plan, rows: counted });
    } else if (line.startsWith("    ")) plan.push(line.slice(4));
    else if (line.startsWith("  # ")) Object.assign(own.at(-1) as Entry, { why: line.slice(4) });
    else if (line !== "") {
      own = [];
      entries[line] = own;
    }
  }
  return entries;
}

export function entriesText(entries: Entries): string {
  const sites = Object.entries(entries).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = ({ sql = ANY, plan, rows, why }: Entry): string[] => [
    `  ${rows ?? UNCOUNTED} ${rows === 1 ? "row" : "rows"}: ${sql}`,
    ...plan.map((line) => `    ${line}`),
    ...(why === undefined ? [] : [`  # ${why}`]),
  ];
  return `${sites.map(([site, own]) => [site, ...own.flatMap(text)].join("\n")).join("\n\n")}\n`;
}

/**
 * Entries for statements as they are now. What people wrote is kept as long as something has it: reasons,
 * entries for any shape, plans with a `*`, and bounds of rows that are less than twice the count. A reason
 * that is missing is `?`, which the test refuses.
 */
export function recordedEntries(statements: readonly Recorded[], before: Entries): Entries {
  const now: Record<string, Entry[]> = {};
  for (const { site, shape, plan, rows } of statements) {
    if (plan.length === 0) continue;
    const fits = (one: Entry) => (one.sql ?? shape) === shape && isPlan(one.plan, plan);
    now[site] ??= [];
    const met = now[site].find(fits);
    if (met !== undefined) {
      met.rows = met.rows === null || rows === null ? null : Math.max(met.rows, rows);
      continue;
    }
    const known = before[site] ?? [];
    const { why } = known.find(fits) ?? known.find(({ sql }) => sql === shape) ?? {};
    const entry = known.find(fits) ?? { sql: shape, plan };
    now[site].push({ ...entry, rows, ...(why !== undefined && { why }) });
  }
  for (const [site, own] of Object.entries(now)) {
    const known = before[site] ?? [];
    const place = ({ sql, plan }: Entry) =>
      known.findIndex((one) => one.sql === sql && String(one.plan) === String(plan));
    for (const entry of own) {
      const bound = known[place(entry)]?.rows ?? 0;
      if (entry.rows !== null && entry.rows <= bound && bound < 2 * entry.rows) entry.rows = bound;
      if (entry.why === undefined && needsWord(entry)) entry.why = "?";
    }
    // New ones come last.
    const order = (entry: Entry) => (place(entry) < 0 ? known.length : place(entry));
    own.sort((one, other) => order(one) - order(other));
  }
  return now;
}
