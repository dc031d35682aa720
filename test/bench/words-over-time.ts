/**
 * Words over time in a file that `test/bench/post-search.ts` made:
 * `bun test/bench/words-over-time.ts --db FILE [--until 2026-10-31] [--passes N] [--queries 1000]`. Prints the p99
 * by class of query and length of the period, and how far posts, views and channels that are estimated from a sample are
 * from those of all matches: of the file as it is, and of a copy whose posts have views and channels as skewed as a
 * messenger's, there also where earlier months are read in slices. Channels that an answer leaves open are counted.
 */

import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import BetterSqlite3 from "better-sqlite3";
import {
  indexQueryOf,
  partsIn,
  rowsOfPart,
} from "../../src/catalog/post-search/finding/matches.store.ts";
import { selectOverTime } from "../../src/catalog/post-search/finding/over-time.store.ts";
import { dayOfRow } from "../../src/catalog/post-search/index-text.ts";
import { type PostQuery, readPostQuery } from "../../src/catalog/post-search/post-query.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { type Day, formatDay, parseDay, startOfDay } from "../../src/values/moscow-time.ts";
import { processorMs } from "../support/processor-time.ts";
import { startKanalog } from "./peers/contenders/kanalog.ts";
import { seededRandom } from "./peers/data/random.ts";
import { endAll, ROOT } from "./peers/processes.ts";
import { percentile } from "./peers/statistics.ts";

const P99_MAX_MS = 200;
/** A tenth of what is read otherwise, so that months are read in slices in a file of a million posts. */
const SLICED = { lookedUp: 5_000, read: 90_000 };
/** Seed of the drawn queries. */
const PURPOSE = 47;
const { next: draw } = seededRandom(PURPOSE);

const { values } = parseArgs({
  options: {
    db: { type: "string", default: join(ROOT, "data/bench/post-search/1000000-365/kanalog.db") },
    until: { type: "string", default: "2026-10-31" },
    passes: { type: "string", default: "5" },
    queries: { type: "string", default: "1000" },
  },
});
const passes = Number(values.passes);
const until = parseDay(values.until) as Day;
const words = wordsByRank();
/** Filters of classes that ask for a single word. */
const FILTERED: Record<string, Record<string, string>> = {
  "word of a category": { category: "news" },
  "word of a territory": { territory: "moskva" },
  "word with all filters": {
    category: "news",
    territory: "russia",
    is_ad: "false",
    views_min: "1500",
  },
};
const NONE = { channelId: null, categoryId: null, territoryId: null, fromMs: null, untilMs: null };
const FILTER = { ...NONE, isAd: null, media: null, viewsMin: null };

try {
  if (passes > 0) await speed();
  if (Number(values.queries) > 0) {
    errors("as they are", values.db);
    const copy = `${values.db}.skewed`;
    copyFileSync(values.db, copy);
    skew(copy);
    errors("log-normal views, Zipf's channels", copy);
    errors("earlier months in slices", copy, SLICED);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(copy + suffix, { force: true });
  }
} finally {
  await endAll();
}

function report(name: string, value: string): void {
  console.log(`${name.padEnd(60)} ${value}`);
}

/** All words of the sample, most frequent first. */
function wordsByRank(): string[] {
  const lines = readFileSync(join(ROOT, "data/sample/posts.ndjson"), "utf8").trim().split("\n");
  const counts = new Map<string, number>();
  for (const line of lines) {
    for (const [word] of (JSON.parse(line).text ?? "").toLowerCase().matchAll(/\p{L}{2,}/gu)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts].sort((one, other) => other[1] - one[1]).map(([word]) => word);
}

async function speed(): Promise<void> {
  const asked = [0, 1, 3, 10, 30, 100, 300, 1000].flatMap((rank) => words[rank] ?? []);
  const pairs = asked.map((word, at) => [word, asked[(at + 3) % asked.length] ?? word] as const);
  const classes: Record<string, readonly string[]> = {
    word: asked,
    "two words": pairs.map((pair) => pair.join(" ")),
    phrase: pairs.map((pair) => `"${pair.join(" ")}"`),
    "either word": pairs.map((pair) => pair.join(" | ")),
    "word without another": pairs.map(([one, other]) => `${one} -${other}`),
    prefix: asked.map((word) => `${word.slice(0, 3)}*`),
    "exact form": asked.map((word) => `=${word}`),
    everywhere: ['"и"', '"в"'],
    ...Object.fromEntries(Object.keys(FILTERED).map((name) => [name, asked])),
  };
  const { server, headers } = await startKanalog(values.db);
  try {
    for (const days of [30, 90, 366]) {
      const all: number[] = [];
      const processorBefore = processorMs(server.pid);
      for (const [name, queries] of Object.entries(classes)) {
        const times: number[] = [];
        const before = processorMs(server.pid);
        for (let pass = 0; pass <= passes; pass += 1) {
          for (const q of queries) {
            const period = { from: formatDay(until - days + 1), to: formatDay(until) };
            const asked = new URLSearchParams({ q, ...period, ...FILTERED[name] });
            const path = `/v1/msgr/posts/search/stats/?${asked}`;
            const begunAt = performance.now();
            const response = await fetch(server.address + path, { headers });
            const text = await response.text();
            if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
            if (pass > 0) times.push(performance.now() - begunAt);
          }
        }
        all.push(...times);
        report(`${days} days, ${name}: p50, p99, processor time each`, taken(times, before));
      }
      const isMet = percentile(all, 0.99) < P99_MAX_MS;
      report(
        `${days} days, all of them: p50, p99, processor time each`,
        `${taken(all, processorBefore)}${isMet ? "  met" : "  NOT MET"}`,
      );
    }
  } finally {
    await server.stop();
  }

  /** Processor time is the same on a busy machine; the first pass counts in it too. */
  function taken(times: readonly number[], before: number): string {
    const each = (processorMs(server.pid) - before) / (times.length * (1 + 1 / passes));
    return `${figures(times)}, ${each.toFixed(1)} ms`;
  }
}

function figures(times: readonly number[]): string {
  return [0.5, 0.99].map((part) => `${percentile([...times], part).toFixed(1)} ms`).join(", ");
}

/** Compares samples with all matches, for drawn queries that have more matches than are looked up. */
function errors(name: string, path: string, limits?: typeof SLICED): void {
  const db = openDatabase(path, systemClock, "reader");
  const exactOf = plainCount(db);
  const found: Record<string, number[]> = {
    posts: [],
    views: [],
    channels: [],
    "views of a day": [],
    "channels of a day": [],
  };
  const untold = new Map<string, number>();
  const note = (kind: string, estimate: number | null, exact: number): void => {
    if (estimate === null) untold.set(kind, (untold.get(kind) ?? 0) + 1);
    else if (exact > 0) found[kind]?.push(Math.abs(estimate / exact - 1));
  };
  let queries = 0;
  let sampled = 0;
  while (queries < Number(values.queries)) {
    const [one, other] = [drawn(), drawn()];
    const q = draw() < 0.5 ? `${one} | ${other}` : `${one} -${other}`;
    const query = readPostQuery(q);
    // Months before the last one are read in slices.
    const days = (limits === undefined ? 7 : 35) + Math.floor(draw() * 24);
    const from = until - days + 1;
    const selection = { query, filter: FILTER, group: "day" as const, from, to: until };
    if (query === null) continue;
    const sample = selectOverTime(db, { ...selection, query }, limits);
    if (limits === undefined ? sample.sampled === 1 : sample.note === null) continue;
    const exact = exactOf(query, from);
    queries += 1;
    sampled += sample.sampled;
    note("posts", sample.posts, exact.whole.posts);
    note("views", sample.views, exact.whole.views);
    note("channels", sample.channels, exact.whole.channels.size);
    for (const [at, { views, channels }] of sample.periods.entries()) {
      const day = exact.days.get(from + at);
      if (day === undefined) continue;
      note("views of a day", views, day.views);
      note("channels of a day", channels, day.channels.size);
    }
  }
  db.close();
  report(`${name}: queries, mean of n`, `${queries}, ${(sampled / queries).toFixed(1)}`);
  for (const [kind, all] of Object.entries(found)) {
    const left = untold.get(kind) ?? 0;
    const parts = [0.5, 0.95, 0.99, 1].map((part) =>
      all.length === 0 ? "-" : `${(100 * percentile(all, part)).toFixed(1)} %`,
    );
    const toldPart = `${((100 * all.length) / (all.length + left)).toFixed(0)} % told`;
    report(`${name}, ${kind}: error p50, p95, p99, max`, `${parts.join(", ")}, ${toldPart}`);
  }
}

/** Counts all matches of a query that no texts decide about, from the plain columns of all posts. */
function plainCount(db: Database) {
  const posts = db.prepare("SELECT row, channel_id, views FROM searched_posts ORDER BY row").raw();
  const all = posts.all() as [number, number, number][];
  const [rows, channels, views] = [0, 1, 2].map((column) =>
    Float64Array.from(all, (post) => post[column] ?? 0),
  ) as [Float64Array, Float64Array, Float64Array];
  const empty = () => ({ posts: 0, views: 0, channels: new Set<number>() });
  return (query: PostQuery, from: Day) => {
    const range = { fromMs: startOfDay(from), untilMs: startOfDay(until + 1) };
    const indexQuery = indexQueryOf(db, { query, filter: { ...FILTER, ...range } });
    const whole = empty();
    const days = new Map<Day, typeof whole>();
    for (const part of partsIn(indexQuery)) {
      let at = 0;
      for (const row of rowsOfPart(db, indexQuery, part)) {
        while ((rows[at] ?? row) < row) at += 1;
        const day = days.get(dayOfRow(row)) ?? empty();
        days.set(dayOfRow(row), day);
        for (const tally of [whole, day]) {
          tally.posts += 1;
          tally.views += views[at] ?? 0;
          tally.channels.add(channels[at] ?? 0);
        }
      }
    }
    return { whole, days };
  };
}

/** One of the fifty most frequent words. */
function drawn(): string {
  return words[Math.floor(draw() * 50)] ?? "год";
}

/** Views that are log-normal around those of a channel, and channels by Zipf's law. */
function skew(path: string): void {
  const db = new BetterSqlite3(path);
  const channels = db.prepare("SELECT max(channel_id) FROM searched_posts").pluck().get() as number;
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
  const sizes = Array.from({ length: channels + 1 }, () => Math.exp(5 + 1.5 * normal()));
  const update = db.prepare("UPDATE searched_posts SET views = ?, channel_id = ? WHERE row = ?");
  const rows = db.prepare("SELECT row FROM searched_posts").pluck().all();
  db.transaction(() => {
    for (const row of rows) {
      // Of weights 1 / rank, by the inverse of their sum.
      const channel = Math.min(channels, Math.floor(channels ** draw()));
      const views = Math.ceil((sizes[channel] ?? 1) * Math.exp(0.7 * normal()));
      update.run(views, channel, row);
    }
  })();
  db.close();
}
