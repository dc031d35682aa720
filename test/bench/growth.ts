/**
 * Growth and engagement at a number of channels: `bun test/bench/growth.ts [channels] [folder]`. The nightly
 * computation after a day, and again with nothing new; each ordering of the catalog in turn, so that growth
 * can be compared with the others; a comparison of 20 channels over 366 days beside a bare loop of prepared
 * statements; statistics of the whole catalog. The data is that of `bun run bench`, migrated if an older version
 * created it. Times are processor time, except how long the lock is held.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareChannels } from "../../src/catalog/comparison/comparison.store.ts";
import { computeMetrics } from "../../src/catalog/metrics/compute-metrics.ts";
import { CATALOG_ORDERINGS, NO_FILTER } from "../../src/catalog/search/catalog.ts";
import { describeSelection } from "../../src/catalog/search/describe-selection.store.ts";
import { selectCatalog } from "../../src/catalog/search/select-catalog.ts";
import type { Database } from "../../src/db/database.ts";
import { onLockHeld } from "../../src/db/lock.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { type Clock, systemClock } from "../../src/ports/clock.ts";
import { DAY_MS, startOfDay } from "../../src/values/moscow-time.ts";
import { END_DAY } from "./peers/data/channels.ts";
import { ensureDatabase } from "./peers/data/generate.ts";

const COMPARED = 20;
const DAYS = 366;
const ROUNDS = 200;
const SLOW_ROUNDS = 20;

const channels = Number(process.argv[2] ?? 10_000);
const root = process.argv[3] ?? join(tmpdir(), "kanalog-bench");
const made = await ensureDatabase(root, channels, console.log);
const folder = mkdtempSync(join(tmpdir(), "kanalog-growth-"));
try {
  const file = join(folder, "kanalog.db");
  cpSync(made, file);
  const db = openDatabase(file, systemClock);
  await migrate(db, systemClock);
  await nights(db);
  orderings(db);
  comparisons(db);
  statistics(db);
  db.close();
} finally {
  rmSync(folder, { recursive: true });
}

async function nights(db: Database): Promise<void> {
  for (const [name, later] of [
    ["the first night", 0],
    ["the night after", 1],
    ["nothing new", 1],
  ] as const) {
    const now = startOfDay(END_DAY) + (1 + later) * DAY_MS;
    const clock: Clock = { ...systemClock, now: () => now };
    const heldMs: number[] = [];
    onLockHeld(db, (_work, ms) => heldMs.push(ms));
    console.log(`metrics, ${name}: ${await took(() => computeMetrics(db, clock))}`);
    if (heldMs.length > 0)
      console.log(`its ${heldMs.length} holds of the lock: ${describe(heldMs)}`);
  }
}

function orderings(db: Database): void {
  const category = db.prepare<{ id: number }>("SELECT id FROM categories LIMIT 1").get()?.id ?? 0;
  for (const [name, more] of [
    ["", {}],
    [" of a category", { categoryId: category }],
    [" with a text", { text: "канал" }],
    [" above 10,000", { subscribersMin: 10_000 }],
  ] as const) {
    for (const ordering of CATALOG_ORDERINGS) {
      const filter = { ...NO_FILTER, ...more };
      const selection = { filter, ordering, after: null, limit: 50 };
      const times = inTurns(ROUNDS, [() => selectCatalog(db, selection)]);
      console.log(`catalog${name} ${ordering}: ${times[0]}`);
    }
  }
}

function comparisons(db: Database): void {
  const busy = db
    .prepare<{ id: number }>(
      "SELECT channel_id AS id FROM posts GROUP BY 1 ORDER BY count(*) DESC LIMIT ?",
    )
    .all(COMPARED)
    .map(({ id }) => id);
  const [from, to] = [END_DAY - DAYS + 1, END_DAY];
  const [compared, bare] = inTurns(SLOW_ROUNDS, [
    () => compareChannels(db, { channelIds: busy, from, to, hasBestPost: true }),
    () => bareLoop(db, busy, from, to),
  ]);
  console.log(`compare ${COMPARED} x ${DAYS}: ${compared}; a bare loop: ${bare}`);
}

/** What a program without Kanalog would do: four prepared statements per channel, and sorting its posts' views. */
function bareLoop(db: Database, ids: readonly number[], from: number, to: number): unknown[] {
  const reading = (order: string) =>
    db.prepare<{ n: number }>(
      `SELECT subscribers AS n FROM daily_statistics WHERE channel_id = ? AND day BETWEEN ? AND ?
       ORDER BY day ${order} LIMIT 1`,
    );
  const [first, last] = [reading("ASC"), reading("DESC")];
  const posts = db.prepare<{ views: number; ad: number; id: number }>(
    `SELECT views, is_ad AS ad, id FROM posts
     WHERE channel_id = ? AND published_at >= ? AND published_at < ?`,
  );
  const post = db.prepare("SELECT * FROM posts WHERE id = ?");
  return ids.map((id) => {
    const own = posts.all(id, startOfDay(from), startOfDay(to + 1));
    const sorted = own.sort((one, other) => one.views - other.views);
    const sum = own.reduce((all, { views }) => all + views, 0);
    const ads = own.filter(({ ad }) => ad === 1).length;
    const best = post.get(sorted.at(-1)?.id ?? 0);
    const median = sorted[Math.floor(sorted.length / 2)]?.views;
    return { first: first.get(id, from, to), last: last.get(id, from, to), sum, ads, median, best };
  });
}

function statistics(db: Database): void {
  for (const [name, more] of [
    ["the whole catalog", {}],
    ["above 100,000", { subscribersMin: 100_000 }],
  ] as const) {
    const filter = { ...NO_FILTER, ...more };
    const [times] = inTurns(3, [() => describeSelection(db, filter)]);
    console.log(`statistics of ${name}: ${times}`);
  }
}

/** Runs the functions in turn, repeatedly. @returns a text with the processor time of each */
function inTurns(rounds: number, works: readonly (() => unknown)[]): string[] {
  const times = works.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, work] of works.entries()) {
      const usedMs = processorMs();
      work();
      times[at]?.push(processorMs() - usedMs);
    }
  }
  return times.map(describe);
}

function describe(timesMs: number[]): string {
  const sorted = timesMs.sort((one, other) => one - other);
  const at = (part: number) => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(2);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}

async function took(work: () => Promise<unknown>): Promise<string> {
  const [startedAt, usedMs] = [performance.now(), processorMs()];
  await work();
  const seconds = (ms: number) => (ms / 1000).toFixed(2);
  const paused = seconds(performance.now() - startedAt);
  return `${seconds(processorMs() - usedMs)} s of processor time, ${paused} s with pauses`;
}

/** Processor time so far, which other work on the machine does not change. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
