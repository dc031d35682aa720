import { closeSync, openSync, writeSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import { DAY_MS, formatInstant, startOfDay } from "../../../../src/values/moscow-time.ts";
import { END_DAY } from "./channels.ts";
import { seededRandom } from "./random.ts";

const PURPOSE = 30;
const SUBSCRIBERS_SHARE = 0.005;
const LINES_PER_WRITE = 5_000;

interface Numbers {
  id: number;
  subscribers: number;
  last_post_at: number | null;
}

/**
 * Writes an import of channels like an operator's nightly update: all numbers of subscribers changed by up to half a
 * percent, at least by one, and the time of the last post of a third of the channels.
 * @param path of the CSV file
 * @param day number of the update; each has other values
 * @returns the number of channels
 */
export function writeRefreshed(
  database: string,
  path: string,
  day: number,
  most = Number.POSITIVE_INFINITY,
): number {
  const db = new BetterSqlite3(database, { readonly: true });
  const file = openSync(path, "w");
  const random = seededRandom(PURPOSE, day);
  let lines = ["id,subscribers,last_post_at\n"];
  let count = 0;
  const stored = db.prepare<[], Numbers>(
    "SELECT id, subscribers, last_post_at FROM channels ORDER BY id",
  );
  for (const { id, subscribers, last_post_at } of stored.iterate()) {
    if (count === most) break;
    const change = Math.max(1, Math.round(subscribers * SUBSCRIBERS_SHARE * random.next()));
    const now = random.chance(0.5) ? subscribers + change : Math.max(0, subscribers - change);
    const posted = random.chance(1 / 3)
      ? startOfDay(END_DAY + day) + Math.floor(random.next() * (DAY_MS / 1000)) * 1000
      : last_post_at;
    lines.push(`${id},${now},${posted === null ? "" : formatInstant(posted)}\n`);
    count += 1;
    if (lines.length < LINES_PER_WRITE) continue;
    writeSync(file, lines.join(""));
    lines = [];
  }
  writeSync(file, lines.join(""));
  closeSync(file);
  db.close();
  return count;
}
