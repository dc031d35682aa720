/**
 * Compares Kanalog with its peers on the same work in one run: `bun run bench -- --help`. Absolute figures say more
 * about the machine than about the programs; the ratios are what counts.
 */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname } from "node:path";
import { CLIENT } from "./client/load.ts";
import { ensureDatabase } from "./data/generate.ts";
import { type Figure, table, verdict } from "./figures.ts";
import { HELP, type Options, type PartName, readOptions, WrongUsage } from "./options.ts";
import { besideImport } from "./parts/beside-import.ts";
import { compare } from "./parts/compare.ts";
import { growth } from "./parts/growth.ts";
import { imports } from "./parts/imports.ts";
import { memory } from "./parts/memory.ts";
import { refresh } from "./parts/refresh.ts";
import { search } from "./parts/search.ts";
import { spreadPosts } from "./parts/spread-posts.ts";
import { start } from "./parts/start.ts";
import { endAll } from "./processes.ts";
import { drawWorks, type Part, type Run } from "./run.ts";

const PARTS: Record<PartName, Part> = {
  compare,
  search,
  growth,
  "beside-import": besideImport,
  imports,
  refresh,
  "spread-posts": spreadPosts,
  start,
  memory,
};

const EXIT_INTERRUPTED = 130;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, async () => {
    await endAll();
    process.exit(EXIT_INTERRUPTED);
  });
}

const startedAt = performance.now();
try {
  const options = readOptions(process.argv.slice(2));
  if (options === "help") console.log(HELP);
  else await bench(options);
} catch (error) {
  console.error(
    error instanceof Error && !(error instanceof WrongUsage) ? error.stack : `${error}`,
  );
  process.exitCode = error instanceof WrongUsage ? 2 : 1;
} finally {
  await endAll();
}

async function bench(options: Options): Promise<void> {
  const database = await ensureDatabase(options.dataRoot, options.channels, report);
  const run: Run = { options, database, works: drawWorks(database), report };
  const figures: Figure[] = [];
  for (const part of options.parts) {
    report(part);
    figures.push(...(await PARTS[part](run)));
    // Saved after each part, in case the next one fails.
    save(run, figures);
  }
  console.log(table(figures));
  const short = figures.filter((figure) => verdict(figure) === "short").length;
  console.log(
    `\n${short} missed; ${options.channels} channels, with ${CLIENT}; saved in ${options.jsonPath}`,
  );
}

function save({ options, database }: Run, figures: readonly Figure[]): void {
  mkdirSync(dirname(options.jsonPath), { recursive: true });
  const { channels, rounds, seconds, isQuick } = options;
  const document = {
    channels,
    rounds,
    seconds,
    isQuick,
    client: CLIENT,
    processors: cpus().length,
    processor: cpus()[0]?.model ?? "",
    memoryGb: Math.round(totalmem() / 1e9),
    bun: Bun.version,
    databaseBytes: statSync(database).size,
    figures: figures.map((figure) => ({ ...figure, verdict: verdict(figure) })),
  };
  writeFileSync(options.jsonPath, `${JSON.stringify(document, null, 2)}\n`);
}

function report(message: string): void {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.error(`${String(seconds).padStart(5)} s  ${message}`);
}
