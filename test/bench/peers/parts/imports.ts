import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { writeImportFiles } from "../data/import-files.ts";
import type { Figure } from "../figures.ts";
import { ROOT, residentBytes, run as runCommand, spawn } from "../processes.ts";
import type { Part } from "../run.ts";
import { median, medianRatio } from "../statistics.ts";
import { importSchema } from "./import-schema.ts";

const CHANNELS_MOST = 60_000;
const DAYS_PER_CHANNEL = 64;
const LEAST = { channels: 0.6, stats: 0.55 };
/** Memory of the second half of an import divided by the first; a leak per row would grow much more. */
const GROWTH_MOST = 1.25;
const LOOK_MS = 100;
const MEGABYTE = 1_000_000;

interface Import {
  seconds: number;
  /** Samples of resident memory. */
  bytes: number[];
}

/**
 * Imports into an empty database, compared with `.import` of `sqlite3` into the same tables and indexes, which gets
 * the rows as they are stored, with search texts and stored cards prepared. It writes the search index by a trigger,
 * and in another database afterwards, in one statement.
 */
export const imports: Part = async ({ options, report }) => {
  if (Bun.which("sqlite3") === null) {
    report("imports: skipped, because sqlite3 is not installed");
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), "kanalog-bench-"));
  try {
    const count = Math.min(CHANNELS_MOST, options.channels);
    const empty = join(folder, "empty.db");
    await runCommand([process.execPath, join(ROOT, "src/main.ts"), "recount"], {
      env: { KANALOG_DB: empty },
    });
    const files = writeImportFiles(folder, empty, count, DAYS_PER_CHANNEL);
    const schema = await importSchema(empty);
    const own = { channels: [] as Import[], stats: [] as Import[] };
    const other = {
      channels: [] as number[],
      channelsAfterwards: [] as number[],
      stats: [] as number[],
    };
    const loadChannels = [
      load(files.channelRows, "channels"),
      load(files.cardRows, "channel_cards"),
      load(files.textRows, "channel_texts"),
      load(files.publicCardRows, "public_cards"),
    ];
    for (let round = 0; round < options.rounds; round++) {
      const database = join(folder, `kanalog-${round}.db`);
      const along = join(folder, `along-${round}.db`);
      const afterwards = join(folder, `afterwards-${round}.db`);
      copyFileSync(empty, database);
      await sqlite(along, schema.tables, schema.searchAlong);
      await sqlite(afterwards, schema.tables);
      own.channels.push(await kanalogImport(database, "channels", files.channels));
      other.channels.push(await sqlite(along, ...loadChannels));
      other.channelsAfterwards.push(
        await sqlite(afterwards, ...loadChannels, schema.searchAfterwards),
      );
      own.stats.push(await kanalogImport(database, "stats", files.stats));
      other.stats.push(await sqlite(along, load(files.statsRows, "daily_statistics")));
      requireSameCounts(database, along);
      requireSameCounts(database, afterwards, CHANNEL_TABLES);
      for (const path of [database, along, afterwards]) rmSync(path);
    }
    const figures = (["channels", "stats"] as const).flatMap((kind): Figure[] => {
      const rows = kind === "channels" ? count : count * DAYS_PER_CHANNEL;
      const megabytes = (statSync(files[kind]).size / MEGABYTE).toFixed(0);
      const figure = beside(`${kind} / sqlite3 .import`, own[kind], other[kind]);
      const peak = Math.max(...own[kind].flatMap(({ bytes }) => bytes)) / MEGABYTE;
      return [
        {
          ...figure,
          least: LEAST[kind],
          perSecond: rows / median(own[kind].map(({ seconds }) => seconds)),
          note: `${rows} rows, ${megabytes} MB; ${figure.note}`,
        },
        {
          part: "imports",
          name: `memory of importing ${kind}, second half / first`,
          value: median(own[kind].map(({ bytes }) => memoryGrowth(bytes))),
          unit: "",
          most: GROWTH_MOST,
          note: `at most ${peak.toFixed(0)} MB`,
        },
      ];
    });
    const name = "channels / sqlite3 .import, search index afterwards";
    return [...figures, beside(name, own.channels, other.channelsAfterwards)];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** The other's seconds divided by ours. */
function beside(name: string, own: readonly Import[], others: readonly number[]): Figure {
  const seconds = own.map((one) => one.seconds);
  return {
    part: "imports",
    name,
    value: medianRatio(others, seconds),
    unit: "",
    note: `${median(seconds).toFixed(1)} s to ${median(others).toFixed(1)} s`,
  };
}

function load(file: string, table: string): string {
  return `.import ${file} ${table}\n`;
}

/** Runs SQL and commands in `sqlite3`. @returns seconds */
async function sqlite(path: string, ...text: string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(["sqlite3", "-bail", path]);
  child.stdin.write(
    ["PRAGMA journal_mode = WAL;", "PRAGMA foreign_keys = ON;", ".mode csv", ...text, ""].join(
      "\n",
    ),
  );
  await child.stdin.end();
  const [, notes, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (code !== 0 || notes !== "") throw new Error(`sqlite3: ${notes.slice(0, 1000)}`);
  return (performance.now() - startedAt) / 1000;
}

/** Imports by Kanalog's command, including its start and reading the file. */
async function kanalogImport(
  database: string,
  kind: "channels" | "stats",
  file: string,
): Promise<Import> {
  const startedAt = performance.now();
  const child = spawn(
    [process.execPath, join(ROOT, "src/main.ts"), "import", kind, file, "--json"],
    { env: { KANALOG_DB: database } },
  );
  const printed = Promise.all([child.stdout.text(), child.stderr.text()]);
  const bytes: number[] = [];
  while (child.exitCode === null) {
    const resident = await residentBytes(child.pid);
    if (resident !== null && resident > 0) bytes.push(resident);
    await Promise.race([child.exited, Bun.sleep(LOOK_MS)]);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  if (child.exitCode !== 0) throw new Error(`import ${kind}: ${(await printed).join("")}`);
  return { seconds, bytes };
}

/** The most memory of the second half divided by that of the first half. */
function memoryGrowth(bytes: readonly number[]): number {
  const half = Math.ceil(bytes.length / 2);
  return Math.max(...bytes.slice(half)) / Math.max(...bytes.slice(0, half));
}

const CHANNEL_TABLES = ["channels", "channel_cards", "channel_texts", "public_cards"];
const TABLES = [...CHANNEL_TABLES, "daily_statistics"];

/** @throws Error if the tables have different numbers of rows */
function requireSameCounts(one: string, other: string, tables = TABLES): void {
  const counts = [one, other].map((path) => {
    const db = new BetterSqlite3(path, { readonly: true });
    const count = (from: string): unknown =>
      db.prepare(`SELECT count(*) FROM ${from}`).pluck().get();
    const text = [
      ...tables.map(count),
      count(`channel_search WHERE channel_search MATCH '"нов"'`),
    ].join(" ");
    db.close();
    return text;
  });
  if (new Set(counts).size !== 1) throw new Error(`the imports differ: ${counts.join(", ")}`);
}
