/**
 * The job that finds trending words: `bun test/bench/trends.ts [--day 300000] [--channels 100000] [--words 75]`,
 * with so many posts a day of so many words on average, drawn from the sample's by frequency. Prints the processor
 * time of runs that count a day to compare with, as the first ones do and once an hour one, and of the usual one, the
 * longest stretch without a pause and how long the lock is held. The days compared with are copies of one that is counted.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeTrends } from "../../src/catalog/trends/make-trends.ts";
import { readMade } from "../../src/catalog/trends/trends.store.ts";
import { COMPARED_DAYS } from "../../src/catalog/trends/trends.ts";
import type { Database } from "../../src/db/database.ts";
import { onLockHeld } from "../../src/db/lock.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { type Clock, systemClock } from "../../src/ports/clock.ts";
import { DAY_MS, dayOf } from "../../src/values/moscow-time.ts";
import { seededRandom } from "./peers/data/random.ts";
import { sampleWords } from "./sample-words.ts";

const RUN_MAX_MS = 60_000;
const NOW = Date.parse("2026-11-20T12:00:00+03:00");
/** The last 72 hours, and the day before them. */
const DAYS = 5;
const RISING = 50;
const PURPOSE = 48;

const { values } = parseArgs({
  options: {
    day: { type: "string", default: "300000" },
    channels: { type: "string", default: "100000" },
    words: { type: "string", default: "75" },
  },
});
const [perDay, channels, words] = [values.day, values.channels, values.words].map(Number) as [
  number,
  number,
  number,
];
const { next: draw } = seededRandom(PURPOSE);
const folder = mkdtempSync(join(tmpdir(), "kanalog-trends-"));
try {
  const db = openDatabase(join(folder, "kanalog.db"), systemClock);
  await migrate(db, systemClock);
  fill(db);
  console.log(`${perDay} posts a day of ${channels} channels, ${words} words each`);
  await run(db, "with a day to count", NOW);
  const copied = db.prepare(
    `INSERT OR REPLACE INTO trend_days (day, channels, counted_at, terms)
     SELECT day - @before, channels, counted_at + @before, terms FROM trend_days ORDER BY day DESC LIMIT 1`,
  );
  for (let before = 1; before < COMPARED_DAYS; before += 1) copied.run({ before });
  await run(db, "the usual one", NOW + 15 * 60_000);
  await run(db, "with a day counted again", NOW + 61 * 60_000);
  db.close();
} finally {
  rmSync(folder, { recursive: true });
}

function fill(db: Database): void {
  const drawn = sampleWords();
  const word = (): string => drawn[Math.floor(draw() * drawn.length)] ?? "";
  const channel = db.prepare(
    "INSERT INTO channels (id, kind, subscribers, is_public) VALUES (?, 'channel', 1000, 1)",
  );
  const post = db.prepare(
    `INSERT INTO posts (channel_id, published_at, is_ad, views, views_at, read_at, text)
     VALUES (?, ?, 0, ?, 1, 1, ?)`,
  );
  db.exec("BEGIN");
  for (let id = 1; id <= channels; id += 1) channel.run(id);
  const from = (dayOf(NOW) - DAYS + 1) * DAY_MS - 3 * 3_600_000;
  for (let at = 0; at < perDay * DAYS; at += 1) {
    const publishedAt = Math.floor(from + (at * DAY_MS) / perDay);
    const text = Array.from({ length: Math.ceil(words * 2 * draw()) }, word).join(" ");
    const isNow = publishedAt > NOW - DAY_MS && draw() < 0.05;
    const rising = isNow ? ` Rising${"abcdefghij"[at % 10]}${"vwxyz"[at % (RISING / 10)]}` : "";
    const views = Math.floor(50 / (draw() + 1e-5));
    if (publishedAt <= NOW)
      post.run(1 + Math.floor(draw() * channels), publishedAt, views, text + rising);
  }
  db.exec("COMMIT");
}

async function run(db: Database, name: string, nowMs: number): Promise<void> {
  let [longestMs, heldMs, sliceFrom] = [0, 0, systemClock.processor()];
  const clock: Clock = {
    ...systemClock,
    now: () => nowMs,
    sleep: (ms) => {
      longestMs = Math.max(longestMs, systemClock.processor() - sliceFrom);
      return systemClock.sleep(ms).then(() => {
        sliceFrom = systemClock.processor();
      });
    },
  };
  onLockHeld(db, (_work, ms) => {
    heldMs = Math.max(heldMs, ms);
  });
  const [begunMs, processorMs] = [performance.now(), systemClock.processor()];
  await makeTrends(db, clock);
  const took = systemClock.processor() - processorMs;
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  console.log(
    `${name}: ${seconds(took)} of processor time (${took <= RUN_MAX_MS ? "met" : "NOT MET"}), ` +
      `${seconds(performance.now() - begunMs)} in all, longest slice ${longestMs.toFixed(0)} ms, ` +
      `lock held ${heldMs.toFixed(0)} ms, memory ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB, ` +
      `${readMade(db)?.terms.length ?? 0} words known`,
  );
}
