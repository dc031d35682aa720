/**
 * Post search over posts whose words are drawn from the sample's by frequency:
 * `bun test/bench/post-search.ts [--posts N] [--days N] [--passes N] [--data DIR] [--again] [--peers]`. Prints the import's
 * speed with and without the index, the index's size compared with the texts', and the p99 of first pages by class of
 * query and filter, and the processor time of one on average, which other work on the machine changes less; with `--again` only these, of the file of an earlier run; with `--peers`, also of Fastify and
 * PocketBase with LIKE on the same rows.
 */

import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import BetterSqlite3 from "better-sqlite3";
import { processorMs } from "../support/processor-time.ts";
import type { Contender } from "./peers/contenders/contender.ts";
import { startFastify } from "./peers/contenders/fastify.ts";
import { kanalog, startKanalog } from "./peers/contenders/kanalog.ts";
import { startPocketbase } from "./peers/contenders/pocketbase.ts";
import { seededRandom } from "./peers/data/random.ts";
import { endAll, ROOT } from "./peers/processes.ts";
import { percentile } from "./peers/statistics.ts";
import { filtersOfSearch, kindsOfQuery, sampleWords, words } from "./sample-words.ts";

/** Seed of the generated posts. */
const PURPOSE = 61;
const P99_MAX_MS = 50;
const INDEX_PART_MAX = 0.45;
const IMPORT_PART_MIN = 0.6;
const WORDS_OF_POST = 130;
const POSTS_OF_CHANNEL = 50;
const LAST = Date.parse("2026-11-01T00:00:00Z");
const PEER_PASSES = 3;

const { values } = parseArgs({
  options: {
    posts: { type: "string", default: "1000000" },
    passes: { type: "string", default: "20" },
    // 1217 are forty months.
    days: { type: "string", default: "365" },
    data: { type: "string", default: join(ROOT, "data/bench/post-search") },
    again: { type: "boolean", default: false },
    peers: { type: "boolean", default: false },
  },
});
const posts = Number(values.posts);
const days = Number(values.days);
const passes = Number(values.passes);
const folder = join(values.data, `${posts}-${days}`);
const database = join(folder, "kanalog.db");

try {
  if (!values.again) {
    mkdirSync(folder, { recursive: true });
    await importBoth(await makeFiles());
    sizes();
  }
  await searches();
} finally {
  await endAll();
}

function report(name: string, value: string, isMet: boolean | null = null): void {
  console.log(`${name.padEnd(56)} ${value}${isMet === null ? "" : isMet ? "  met" : "  NOT MET"}`);
}

async function makeFiles(): Promise<{ channels: string; posts: string }> {
  const made = { channels: join(folder, "channels.csv"), posts: join(folder, "posts.ndjson") };
  if (existsSync(made.posts)) return made;
  const { next: draw } = seededRandom(PURPOSE);
  const drawn = sampleWords();
  const channels = Math.ceil(posts / POSTS_OF_CHANNEL);
  const categories = ["news", "science", "business", "auto", "blogs"];
  const places = ["moskva", "kazan", "sankt-peterburg", ""];
  await Bun.write(
    made.channels,
    ["id,title,subscribers,category,territory"]
      .concat(
        Array.from({ length: channels }, (_, at) =>
          [at + 1, `Channel ${at + 1}`, 1000, categories[at % 5], places[at % 4]].join(","),
        ),
      )
      .join("\n"),
  );
  const out = createWriteStream(`${made.posts}.unfinished`);
  for (let id = 1; id <= posts; id += 1) {
    const text = Array.from(
      { length: Math.ceil(WORDS_OF_POST * 2 * draw()) },
      () => drawn[Math.floor(draw() * drawn.length)],
    ).join(" ");
    const line = JSON.stringify({
      ...{ id, channel: 1 + Math.floor(draw() * channels), text, is_ad: draw() < 0.1 },
      ...{ views: Math.floor(50 / (draw() + 1e-5)), media: draw() < 0.4 ? "photo" : null },
      published_at: new Date(LAST - ((posts - id) / posts) * days * 86_400_000).toISOString(),
    });
    if (!out.write(`${line}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
  await Bun.$`mv ${made.posts}.unfinished ${made.posts}`;
  return made;
}

/** Imports the posts without the index, then with it, each time into a new file. */
async function importBoth(files: { channels: string; posts: string }): Promise<void> {
  const without = join(folder, "without.db");
  const seconds: number[] = [];
  for (const file of [without, database]) {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    await kanalog(file, "import", "channels", files.channels);
    if (file === without) {
      const db = new BetterSqlite3(file);
      db.exec("UPDATE post_search_state SET phase = 'off'");
      db.close();
    }
    const printed = await kanalog(file, "import", "posts", files.posts, "--json");
    seconds.push((JSON.parse(printed) as { seconds: number }).seconds);
  }
  for (const suffix of ["", "-wal", "-shm"]) rmSync(without + suffix, { force: true });
  const [plain = 0, indexed = 0] = seconds;
  const part = plain / indexed;
  const rates = seconds.map((one) => Math.round(posts / one)).join(" and ");
  report("import, posts a second without and with the index", rates);
  report("import, part of its speed", part.toFixed(2), part >= IMPORT_PART_MIN);
}

function sizes(): void {
  const db = new BetterSqlite3(database, { readonly: true });
  const bytes = (sql: string): number => db.prepare(sql).pluck().get() as number;
  const index = bytes(
    "SELECT sum(pgsize) FROM dbstat WHERE name GLOB 'post_search*' OR name GLOB '*searched_posts*'",
  );
  const texts = bytes("SELECT sum(octet_length(text)) FROM posts");
  db.close();
  const part = index / texts;
  report("index, MB, and texts, MB", `${Math.round(index / 1e6)} and ${Math.round(texts / 1e6)}`);
  report("index, part of the texts", part.toFixed(2), part <= INDEX_PART_MAX);
}

async function searches(): Promise<void> {
  const own = await startKanalog(database);
  try {
    const all: number[] = [];
    for (const [name, queries] of Object.entries(kindsOfQuery)) {
      for (const [filter, parameters] of Object.entries(filtersOfSearch)) {
        const paths = queries.map(
          (q) => `/v1/msgr/posts/search/?${new URLSearchParams({ q, ...parameters })}`,
        );
        const usedBefore = processorMs(own.server.pid);
        const times = await ask(own, paths, passes);
        const used = (processorMs(own.server.pid) - usedBefore) / (paths.length * (passes + 1));
        all.push(...times);
        const p99 = percentile(times, 0.99);
        const figure = `${figures(times)}, ${used.toFixed(0)} ms`;
        report(`${name}, ${filter}: p50, p99, processor`, figure, p99 < P99_MAX_MS);
      }
    }
    report("all of them: p50, p99", figures(all), percentile(all, 0.99) < P99_MAX_MS);
    if (values.peers) await beside(own);
  } finally {
    await own.server.stop();
  }
}

async function beside(own: Contender): Promise<void> {
  const like: Record<string, (word: string) => string> = {
    Kanalog: (word) => `/v1/msgr/posts/search/?${new URLSearchParams({ q: word })}`,
    Fastify: (word) => `/posts?${new URLSearchParams({ q: word })}`,
    PocketBase: (word) =>
      `/api/collections/posts/records?${new URLSearchParams({ filter: `text ~ "${word}"`, sort: "-published_at", perPage: "50", skipTotal: "1" })}`,
  };
  for (const contender of [own, await startFastify(database), await startPocketbase(database)]) {
    const paths = words.map((word) => like[contender.name]?.(word) ?? "");
    const times = await ask(contender, paths, PEER_PASSES);
    report(`${contender.name}, words: p50, p99`, figures(times));
    if (contender !== own) await contender.server.stop();
  }
}

/** Requests each path once per pass, one after another; the first pass is not counted. */
async function ask({ server, headers }: Contender, paths: readonly string[], passes: number) {
  const times: number[] = [];
  for (let pass = 0; pass <= passes; pass += 1) {
    for (const path of paths) {
      const begunAt = performance.now();
      const response = await fetch(server.address + path, { headers });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
      if (pass > 0) times.push(performance.now() - begunAt);
    }
  }
  return times;
}

function figures(times: readonly number[]): string {
  return [0.5, 0.99].map((part) => `${percentile([...times], part).toFixed(1)} ms`).join(", ");
}
