/**
 * One file that grows to twenty million posts, with everything that is done with it measured at some sizes in
 * millions: `bun test/bench/many-posts.ts --folder DIR [--sizes 2,5,10,20] [--minutes 18]`. Stops after so many
 * minutes and goes on where it stopped when it is run again; prints the table of what it has. Months are imported
 * from the newest to the oldest, as a history is fetched, half a million posts each.
 */

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import BetterSqlite3 from "better-sqlite3";
import { openDatabase } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { scheduledJobs } from "../../src/upkeep/jobs/jobs.ts";
import { processorMs } from "../support/processor-time.ts";
import { kanalog, MAIN, startKanalog } from "./peers/contenders/kanalog.ts";
import { seededRandom } from "./peers/data/random.ts";
import { endAll, residentBytes, spawn } from "./peers/processes.ts";
import { percentile } from "./peers/statistics.ts";
import { kindsOfQuery, sampleWords, words } from "./sample-words.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    sizes: { type: "string", default: "2,5,10,20" },
    minutes: { type: "string", default: "18" },
  },
});
const { folder = "", minutes } = values;
const SIZES = values.sizes.split(",").map(Number);
const PART = 250_000;
const PARTS_OF_MONTH = 2;
const MONTH_MS = 30.4375 * 86_400_000;
const LAST = Date.parse("2026-11-28T00:00:00Z");
const CHANNELS = 100_000;
const WORDS_OF_POST = 32;
const PASSES = 10;
const SEED = 86;

const database = join(folder, "kanalog.db");
const results = join(folder, "figures.ndjson");
const checkedTo = join(folder, "checked-to.txt");
const endAtMs = performance.now() + Number(minutes) * 60_000;

const RELEVANCE = { ordering: "-relevance" };
const FILTERS = Object.entries({ category: "news", is_ad: "false", views_min: "1500" });
/** Queries that are asked with all filters. */
const FILTERED = { "word, filtered": words };

const SETTINGS = {
  ...{ backups: null, openDays: 2, isNode: false },
  keptMonths: { posts: null, statistics: null },
};
/** They have nothing to do here. */
const SKIPPED = ["silent-sources"];

/** What a step measured: figures by name. */
type Figures = Record<string, number>;
const done = new Map<string, Figures>();

class OutOfTime extends Error {}

try {
  if (folder === "") throw new Error("name a folder with --folder");
  mkdirSync(folder, { recursive: true });
  if (existsSync(results)) {
    for (const line of readFileSync(results, "utf8").trim().split("\n")) {
      const [name, figures] = JSON.parse(line) as [string, Figures];
      done.set(name, figures);
    }
  }
  await step("channels", importChannels);
  for (let part = 0; part * PART < Math.max(...SIZES) * 1e6; part += 1) {
    await step(`import ${part}`, () => importPart(part));
    const millions = ((part + 1) * PART) / 1e6;
    if (SIZES.includes(millions)) await measure(millions);
  }
  table();
} catch (error) {
  if (!(error instanceof OutOfTime)) throw error;
  table();
  console.log("Not finished: run it again.");
  process.exitCode = 2;
} finally {
  await endAll();
}

/** Does a step that no run before has done, and records what it measured. */
async function step(name: string, work: () => Promise<Figures>): Promise<void> {
  if (done.has(name)) return;
  if (performance.now() > endAtMs) throw new OutOfTime();
  const begunAt = performance.now();
  const figures = await work();
  const seconds = (performance.now() - begunAt) / 1000;
  done.set(name, { seconds, ...figures });
  appendFileSync(results, `${JSON.stringify([name, done.get(name)])}\n`);
  console.log(name, JSON.stringify(done.get(name)));
}

async function importChannels(): Promise<Figures> {
  const categories = ["news", "science", "business", "auto", "blogs"];
  const places = ["moskva", "kazan", "sankt-peterburg", ""];
  const file = join(folder, "channels.csv");
  const rows = Array.from({ length: CHANNELS }, (_, at) =>
    [at + 1, `Channel ${at + 1}`, 1000, categories[at % 5], places[at % 4]].join(","),
  );
  await Bun.write(file, ["id,title,subscribers,category,territory", ...rows].join("\n"));
  await kanalog(database, "import", "channels", file);
  return {};
}

/** A command as a process of its own. @returns what it took, its memory at the most in MB */
async function timed(
  command: readonly string[],
  { env = {}, input }: { env?: Record<string, string>; input?: () => Iterable<string> } = {},
): Promise<{ figures: Figures; printed: string }> {
  const begunAt = performance.now();
  const child = spawn([...MAIN, ...command], { env: { KANALOG_DB: database, ...env } });
  const printed = child.stdout.text();
  const notes = child.stderr.text();
  for (const lines of input?.() ?? []) {
    void child.stdin.write(lines);
    await child.stdin.flush();
  }
  await child.stdin.end();
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${await notes}`);
  const usage = child.resourceUsage();
  const figures = {
    seconds: (performance.now() - begunAt) / 1000,
    processorSeconds: Number(usage?.cpuTime.total ?? 0) / 1e6,
    memoryMb: Number(usage?.maxRSS ?? 0) / 1e6,
  };
  return { figures, printed: await printed };
}

async function importPart(part: number): Promise<Figures> {
  const command = ["import", "posts", "-", "--format", "ndjson", "--json"];
  const { figures } = await timed(command, { input: () => postLines(part) });
  return { ...figures, fileMb: statSync(database).size / 1e6 };
}

function* postLines(part: number): Iterable<string> {
  const { next: draw } = seededRandom(SEED, part);
  const drawn = sampleWords();
  const month = Math.floor(part / PARTS_OF_MONTH);
  const from = LAST - (month + 1) * MONTH_MS;
  let lines = "";
  for (let at = 0; at < PART; at += 1) {
    const through = ((part % PARTS_OF_MONTH) + at / PART) / PARTS_OF_MONTH;
    const text = Array.from(
      { length: Math.ceil(WORDS_OF_POST * 2 * draw()) },
      () => drawn[Math.floor(draw() * drawn.length)],
    ).join(" ");
    lines += `${JSON.stringify({
      ...{ id: part * PART + at + 1, channel: 1 + Math.floor(draw() * CHANNELS), text },
      ...{ views: Math.floor(50 / (draw() + 1e-5)), is_ad: draw() < 0.1 },
      ...{ media: draw() < 0.4 ? "photo" : null },
      published_at: new Date(from + through * MONTH_MS).toISOString(),
    })}\n`;
    if (at % 1000 === 999) {
      yield lines;
      lines = "";
    }
  }
}

async function measure(millions: number): Promise<void> {
  await step(`${millions} size`, sizes);
  await step(`${millions} search`, searches);
  for (const { name, run } of scheduledJobs(SETTINGS)) {
    if (SKIPPED.includes(name)) continue;
    await step(`${millions} job ${name}`, async () => {
      using db = openDatabase(database, systemClock);
      await run(db, systemClock, systemClock.now());
      return {};
    });
  }
  const to = join(folder, "backups");
  await step(`${millions} backup`, () => backup(to));
  await step(`${millions} restore`, () => restore(to));
  for (let part = 1; !done.get(`${millions} check part ${part - 1}`)?.["isWhole"]; part += 1) {
    await step(`${millions} check part ${part}`, checkPart);
  }
}

async function sizes(): Promise<Figures> {
  const db = new BetterSqlite3(database, { readonly: true });
  const bytes = (sql: string): number => Number(db.prepare(sql).pluck().get()) / 1e6;
  const figures = {
    fileMb: statSync(database).size / 1e6,
    textsMb: bytes("SELECT sum(octet_length(text)) FROM posts"),
    indexMb: bytes(
      "SELECT sum(pgsize) FROM dbstat WHERE aggregate = 1 AND (name GLOB 'post_search*' OR name GLOB '*searched_posts*')",
    ),
  };
  db.close();
  return figures;
}

async function searches(): Promise<Figures> {
  const figures: Figures = {};
  const orderings = { newest: {}, views: { ordering: "-views" }, relevance: RELEVANCE };
  const { server, headers } = await startKanalog(database);
  try {
    for (const [ordering, parameters] of Object.entries(orderings)) {
      for (const [kind, queries] of Object.entries({ ...kindsOfQuery, ...FILTERED })) {
        const times: number[] = [];
        const processorBefore = processorMs(server.pid);
        for (let pass = 0; pass <= PASSES; pass += 1) {
          for (const q of queries) {
            const asked = new URLSearchParams({ q, ...parameters });
            if (kind in FILTERED) for (const [name, value] of FILTERS) asked.set(name, value);
            const begunAt = performance.now();
            const response = await fetch(`${server.address}/v1/msgr/posts/search/?${asked}`, {
              headers,
            });
            const text = await response.text();
            if (!response.ok && response.status !== 400) throw new Error(`${q}: ${text}`);
            if (pass > 0 && response.ok) times.push(performance.now() - begunAt);
          }
        }
        if (times.length === 0) continue;
        const name = `${ordering}, ${kind}`;
        figures[`${name}, p50`] = percentile(times, 0.5);
        figures[`${name}, p99`] = percentile(times, 0.99);
        // The same on a busy machine.
        const usedMs = processorMs(server.pid) - processorBefore;
        figures[`${name}, processor`] = usedMs / (queries.length * (PASSES + 1));
      }
    }
    figures["memoryMb"] = Number(await residentBytes(server.pid)) / 1e6;
  } finally {
    await server.stop();
  }
  return figures;
}

/** Checks the file, from what a part before was at, until the time is over. */
async function checkPart(): Promise<Figures> {
  const from = existsSync(checkedTo) ? readFileSync(checkedTo, "utf8") : "schema";
  const child = spawn([...MAIN, "check", "--from", from], { env: { KANALOG_DB: database } });
  const printed = child.stdout.text();
  const ending = setTimeout(() => child.kill(), endAtMs - performance.now());
  let notes = "";
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) notes += text;
  const code = await child.exited;
  clearTimeout(ending);
  const last = notes.trim().split("\n").at(-1) ?? "";
  writeFileSync(checkedTo, code === 0 ? "schema" : last.replace(/ \(\d+ of \d+\)$/, ""));
  if (code === 1) throw new Error(await printed);
  const { cpuTime, maxRSS } = child.resourceUsage() ?? {};
  return {
    isWhole: Number(code === 0),
    processorSeconds: Number(cpuTime?.total ?? 0) / 1e6,
    memoryMb: Number(maxRSS ?? 0) / 1e6,
  };
}

async function backup(to: string): Promise<Figures> {
  const { figures, printed } = await timed(["backup", "--to", to, "--json"]);
  const { added_bytes } = JSON.parse(printed) as { added_bytes: number };
  return { ...figures, addedMb: added_bytes / 1e6 };
}

/** Restores the newest backup beside the file, and counts its posts. */
async function restore(to: string): Promise<Figures> {
  const restored = join(folder, "restored.db");
  const [newest = ""] = [...new Bun.Glob("*.backup").scanSync(to)].sort().reverse();
  const { figures } = await timed(["restore", join(to, newest)], { env: { KANALOG_DB: restored } });
  const count = (path: string): unknown => {
    const db = new BetterSqlite3(path, { readonly: true });
    const counted = db.prepare("SELECT count(*), sum(views) FROM posts").raw().get();
    db.close();
    return counted;
  };
  const isSame = Bun.deepEquals(count(database), count(restored));
  for (const suffix of ["", "-wal", "-shm"]) rmSync(restored + suffix, { force: true });
  if (!isSame) throw new Error("the restored file has other posts");
  return figures;
}

/** All figures by size. */
function table(): void {
  const sizes = SIZES.filter((size) => done.has(`${size} size`));
  const names = new Set<string>();
  for (const [name] of done) {
    const [, of] = /^\d+ (.*)$/.exec(name) ?? [];
    for (const figure of Object.keys(done.get(name) ?? {})) if (of) names.add(`${of}: ${figure}`);
  }
  console.log(["".padEnd(44), ...sizes.map((size) => `${size} million`.padStart(12))].join(""));
  for (const name of names) {
    const [of = "", figure = ""] = name.split(": ");
    const cells = sizes.map((size) => done.get(`${size} ${of}`)?.[figure]?.toFixed(1) ?? "");
    console.log([name.padEnd(44), ...cells.map((cell) => cell.padStart(12))].join(""));
  }
  const imports = [...done].filter(([name]) => name.startsWith("import "));
  for (const [at, [, { seconds = 0, processorSeconds = 0, memoryMb = 0 }]] of imports.entries()) {
    if (at % 4 > 0) continue;
    console.log(
      `import, from ${(at * PART) / 1e6} million: ${Math.round(PART / seconds)} a second, ` +
        `${Math.round((processorSeconds / PART) * 1e6)} us of processor time each, ${Math.round(memoryMb)} MB`,
    );
  }
}
