import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { formatDay } from "../../../../src/values/moscow-time.ts";
import { load } from "../client/load.ts";
import { startKanalog } from "../contenders/kanalog.ts";
import { targetOf } from "../contenders/paths.ts";
import { END_DAY } from "../data/channels.ts";
import { ROOT, spawn } from "../processes.ts";
import { type Part, workNamed } from "../run.ts";

const P99_MOST_MS = 50;
/** More rows than are imported while we measure. */
const ROWS = 12_000_000;

/** The mix by one client, before and while another process imports statistics of new days. */
export const besideImport: Part = async ({ database, works, options }) => {
  const file = join(dirname(database), "new-days.csv");
  writeNewDays(file, options.channels);
  const kanalog = await startKanalog(database);
  try {
    const target = await targetOf(kanalog, workNamed(works, "mix"));
    if (target === null) throw new Error("Kanalog lacks a part of the mix");
    const duration = { connections: 1, seconds: options.isQuick ? 3 : 15 };
    const quiet = await load(target, duration);
    const importing = spawn(
      [process.execPath, join(ROOT, "src/main.ts"), "import", "stats", file],
      { env: { KANALOG_DB: database } },
    );
    const printed = Promise.all([importing.stdout.text(), importing.stderr.text()]);
    await imported(database, 1);
    const busy = await load(target, duration);
    const endedBefore = importing.exitCode !== null;
    importing.kill("SIGTERM");
    await importing.exited;
    if (endedBefore) throw new Error(`the import ended too soon: ${(await printed).join("")}`);
    return [
      {
        part: "beside-import",
        name: "p99 of the mix",
        value: busy.p99Ms,
        unit: "ms",
        most: P99_MOST_MS,
        p50Ms: busy.p50Ms,
        p99Ms: busy.p99Ms,
        note: `quiet: p50 ${quiet.p50Ms.toFixed(2)} ms, p99 ${quiet.p99Ms.toFixed(2)} ms`,
      },
    ];
  } finally {
    await kanalog.server.stop();
    removeNewDays(database);
    rmSync(file);
  }
};

/** Writes one day after another of all channels, as they arrive every night. */
function writeNewDays(path: string, channels: number): void {
  const file = openSync(path, "w");
  writeSync(file, "channel,day,subscribers,views,posts\n");
  for (let row = 0; row < ROWS; ) {
    const day = formatDay(END_DAY + Math.floor(row / channels));
    const lines: string[] = [];
    for (let id = 1; id <= channels; id++) lines.push(`${id},${day},${id},${id % 977},3\n`);
    writeSync(file, lines.join(""));
    row += channels;
  }
  closeSync(file);
}

/** Waits until the import has written `rows` new days of the first channel. */
async function imported(database: string, rows: number): Promise<void> {
  const db = new BetterSqlite3(database, { readonly: true });
  const found = db.prepare(
    "SELECT count(*) FROM daily_statistics WHERE channel_id = ? AND day >= ?",
  );
  while ((found.pluck().get(1, END_DAY) as number) < rows) await Bun.sleep(5);
  db.close();
}

/** Restores the data for the next run. */
function removeNewDays(database: string): void {
  const db = new BetterSqlite3(database);
  db.prepare("DELETE FROM daily_statistics WHERE day >= ?").run(END_DAY);
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
}
