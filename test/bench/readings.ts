/**
 * What readings of views at ages cost an import: `bun test/bench/readings.ts [posts] [rounds]`. Posts are imported into
 * new files in turns, read when they were a day old, of which a reading is kept, and read three days later, of which
 * none is; then all are read again a day later. Prints the processor time of a post and the difference.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importFile } from "../../src/catalog/imports/import-file.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { DAY_MS } from "../../src/values/moscow-time.ts";
import { seededRandom } from "./peers/data/random.ts";
import { median } from "./peers/statistics.ts";
import { sampleWords } from "./sample-words.ts";

const PURPOSE = 49;
const CHANNELS = 1_000;
const WORDS_OF_POST = 75;
const PART_MAX = 0.03;
const FIRST_MS = Date.parse("2026-01-01T00:00:00Z");

const posts = Number(process.argv[2] ?? 20_000);
const rounds = Number(process.argv[3] ?? 10);
const folder = mkdtempSync(join(tmpdir(), "kanalog-readings-"));
/** By what is imported: microseconds of processor time a post, in each round. */
const took = { "new, kept": [], "new, not": [], "again, kept": [], "again, not": [] } as Record<
  string,
  number[]
>;
try {
  const channels = join(folder, "channels.csv");
  const lines = Array.from({ length: CHANNELS }, (_, at) => `${at + 1},Channel ${at + 1},1000`);
  await Bun.write(channels, ["id,title,subscribers", ...lines].join("\n"));
  const files = Object.fromEntries(
    [1, 2, 3, 4].map((age) => [age, join(folder, `${age}.ndjson`)] as const),
  );
  for (const [age, file] of Object.entries(files)) await Bun.write(file, postsAt(Number(age)));
  for (let round = 0; round <= rounds; round++) {
    const turns = [
      ["kept", 1, 2],
      ["not", 3, 4],
    ] as const;
    // Whichever is second finds the machine as the first left it.
    for (const [kind, first, second] of round % 2 === 0 ? turns : turns.toReversed()) {
      const path = join(folder, `${round} ${kind}.db`);
      const db = openDatabase(path, systemClock);
      await migrate(db, systemClock);
      await importFile(db, systemClock, "channels", channels);
      const times: number[] = [];
      for (const age of [first, second]) {
        const begunMs = systemClock.processor();
        await importFile(db, systemClock, "posts", files[age] ?? "");
        times.push(((systemClock.processor() - begunMs) * 1000) / posts);
      }
      db.close();
      rmSync(path);
      // Nothing is compiled yet in the first round.
      if (round === 0) continue;
      took[`new, ${kind}`]?.push(times[0] ?? 0);
      took[`again, ${kind}`]?.push(times[1] ?? 0);
    }
  }
  for (const of of ["new", "again"]) {
    const [kept, not] = ["kept", "not"].map((kind) => median(took[`${of}, ${kind}`] ?? []));
    const part = (kept ?? 0) / (not ?? 1) - 1;
    console.log(
      `posts that are ${of}: ${kept?.toFixed(1)} us each with a reading that is kept, ` +
        `${not?.toFixed(1)} us without, ${(100 * part).toFixed(1)} % more${part <= PART_MAX ? "  met" : "  NOT MET"}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** All posts as they were read at an age in days. */
function postsAt(age: number): string {
  const { next: draw } = seededRandom(PURPOSE);
  const drawn = sampleWords();
  const lines = Array.from({ length: posts }, (_, at) => {
    const publishedAt = FIRST_MS + Math.floor((at * 90 * DAY_MS) / posts);
    const text = Array.from(
      { length: Math.ceil(WORDS_OF_POST * 2 * draw()) },
      () => drawn[Math.floor(draw() * drawn.length)],
    ).join(" ");
    return JSON.stringify({
      ...{ id: at + 1, channel: 1 + (at % CHANNELS), text, views: age % 2 === 1 ? 300 : 310 },
      published_at: new Date(publishedAt).toISOString(),
      // Within a quarter of the age for a day or two, after all of them for more.
      views_at: new Date(publishedAt + age * DAY_MS + 60_000).toISOString(),
    });
  });
  return lines.join("\n");
}
