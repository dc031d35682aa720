import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathOfNext } from "../support/expectations.ts";
import { createMachine, type Machine } from "../support/machine.ts";

/** Kills of each kind of work: three in CI, 30 by `bun run campaign crash`. */
const KILLS = Math.min(30, Number(process.env["KANALOG_TEST_KILLS"] ?? 3));
const TIMEOUT_MS = 300_000 + 60_000 * KILLS;
const POSTS = 900;
const MONTHS = 6;
/** Start of the months that are kept, in Moscow. */
const KEPT_FROM = Date.UTC(2026, 9, 1) - 3 * 3_600_000;
const PROGRAM = join(import.meta.dir, "../support/killed-work.ts");
const SUFFIXES = ["", "-wal", "-shm"];

let machine: Machine;
let key: string;
beforeEach(async () => {
  machine = createMachine();
  ({ key } = await machine.customer());
  machine.write("channels.csv", "id,kind,title,subscribers\n1,channel,News,5\n");
  const long = "Новые дома и дачи ".repeat(30);
  const rows = Array.from({ length: POSTS }, (_, at) => {
    const word = at % 3 === 0 ? "ипотеки" : at % 3 === 1 ? "рынок" : "гражданин";
    const month = Math.floor((at * MONTHS) / POSTS);
    const publishedAt = new Date(Date.UTC(2026, 5 + month, 1 + (at % 27), at % 24));
    return `${at + 1},1,${publishedAt.toISOString()},${long}${word} ${at}`;
  });
  machine.write("posts.csv", ["id,channel,published_at,text", ...rows].join("\n"));
  for (const kind of ["channels", "posts"]) await machine.json(["import", kind, `${kind}.csv`]);
});
afterEach(() => machine.leave());

async function work(name: string, killedAt: number): Promise<number> {
  const words = [PROGRAM, machine.database, name, String(killedAt)];
  const child = machine.spawn(words, { program: [process.execPath] });
  const [printed, notes] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  expect([child.signalCode, notes]).toEqual([killedAt === 0 ? null : "SIGKILL", ""]);
  return Number(printed);
}

function copy(from: string, to: string): void {
  for (const suffix of SUFFIXES) {
    rmSync(to + suffix, { force: true });
    const isThere = machine.exists(`${from.slice(machine.folder.length + 1)}${suffix}`);
    if (isThere) copyFileSync(from + suffix, to + suffix);
  }
}

/** Does the work, killed at many moments of it, each time on the same file, which is then as if it was never killed. */
async function killedAtEachStep(name: string): Promise<void> {
  const before = machine.path("before.db");
  copy(machine.database, before);
  const looks = await work(name, 0);
  expect(looks).toBeGreaterThan(KILLS);
  for (let kill = 0; kill < KILLS; kill += 1) {
    copy(before, machine.database);
    await work(name, 1 + Math.floor(((kill + Math.random()) * looks) / KILLS));
    await expectExact();
    await work(name, 0);
    await expectExact();
  }
}

/** After a start, search finds what a plain scan finds, and the check finds nothing. */
async function expectExact(): Promise<void> {
  const serving = await machine.serve();
  for (const [q, word] of [
    ["ипотека", "ипотеки"],
    ["=рынок", "рынок"],
    ["граж*", "гражданин"],
  ]) {
    const scanned = machine.query<{ id: number; at: number }>(
      "SELECT id, published_at AS at FROM posts WHERE instr(text, ?) ORDER BY at DESC, id DESC",
      word,
    );
    const found: number[] = [];
    let path: string | null =
      `/v1/msgr/posts/search/?${new URLSearchParams({ q: q ?? "", limit: "100" })}`;
    while (path !== null) {
      const answer = await serving.get(path, key);
      expect(answer.status).toBe(200);
      const page = (await answer.json()) as { results: { id: number }[]; next: string | null };
      found.push(...page.results.map(({ id }) => id));
      path = page.next === null ? null : pathOfNext(page.next);
    }
    // Months that are being dropped are found as a whole, or not at all.
    const kept = scanned.filter(({ at }) => at >= KEPT_FROM).map(({ id }) => id);
    const all = scanned.map(({ id }) => id);
    expect([kept, all]).toContainEqual(found);
  }
  expect(await serving.stop()).toBe(0);
  const { exitCode, out } = await machine.run(["check"]);
  expect([exitCode, out]).toEqual([0, expect.not.stringContaining("✗")]);
}

test(
  "a rebuild of the index of posts that is killed anywhere leaves a search that is exact",
  () => killedAtEachStep("rebuild"),
  TIMEOUT_MS,
);

test(
  "a removal of months that is killed anywhere leaves a search that is exact, and so does giving back",
  async () => {
    await killedAtEachStep("old-months");
    expect(machine.query("SELECT id FROM posts")).toHaveLength((POSTS * 2) / MONTHS);
    await killedAtEachStep("give-back");
  },
  2 * TIMEOUT_MS,
);
