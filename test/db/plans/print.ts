/**
 * Prints the current entries of the statements, for the given folders of src or for all: `bun
 * test/db/plans/print.ts webhooks mail`. They are to be read, and pasted with a reason where one is needed;
 * existing entries keep their `why`.
 */
import { type Entry, faultsOf, needsWord } from "./compare.ts";
import { exerciseAll } from "./exercise.ts";
import { ENTRIES, isOutside } from "./rooms.ts";

const folders = process.argv.slice(2);
const recorder = await exerciseAll();
const bySite = new Map<string, Entry[]>();
for (const { site, shape, plan, rows, runs } of recorder.statements) {
  const isAsked = folders.length === 0 || folders.some((folder) => site.startsWith(`${folder}/`));
  if (plan.length === 0 || !isAsked) continue;
  const known = (ENTRIES[site] ?? []).find(({ sql }) => sql === shape);
  const entry = { sql: shape, plan, rows, ...(known?.why !== undefined && { why: known.why }) };
  if (needsWord(entry) && entry.why === undefined) entry.why = runs === 0 ? "NEVER RUN" : "?";
  const entries = bySite.get(site) ?? [];
  const same = entries.find((one) => one.sql === shape && String(one.plan) === String(plan));
  if (same === undefined) entries.push(entry);
  else same.rows = Math.max(same.rows ?? 0, rows ?? 0);
  bySite.set(site, entries);
}
const sites = [...bySite].sort(([one], [other]) => one.localeCompare(other));
console.log(JSON.stringify(Object.fromEntries(sites), null, 2));
for (const fault of faultsOf(recorder.statements, ENTRIES)) console.error(fault);
for (const { name, lines } of recorder.idleSites()) {
  if (!isOutside(name)) console.error(`not run: ${name} ${lines[0]}`);
}
for (const stray of recorder.strays) console.error(`not seen in the sources: ${stray}`);
