import { constants, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { startReaders } from "../client/readers.ts";
import { kanalog, startKanalog } from "../contenders/kanalog.ts";
import { targetOf } from "../contenders/paths.ts";
import { writeRefreshed } from "../data/refreshed.ts";
import { type Part, workNamed } from "../run.ts";
import { median } from "../statistics.ts";
import { updateBySqlite } from "./update-by-sqlite.ts";

const READERS = 2;
const LOOK_MS = 10;
const FEW_CHANNELS = 24;
const FEW_TIMES = 5;
const MEGABYTE = 1_000_000;
const MOST = { bytes: 4_000, log: 128, p99: 3, few: 0.5 };
const LEAST_OF_SQLITE = 0.3;

/**
 * Updates the numbers of all channels by one import while two clients read the mix from a server; then those of a
 * few; and `sqlite3` with the same new values on a bare table with the same orderings. Bytes are those that the
 * kernel counts as written to disk by the import and the server, including checkpoints.
 */
export const refresh: Part = async ({ database, works, options, report }) => {
  const folder = mkdtempSync(join(dirname(database), "refresh-"));
  const file = join(folder, "kanalog.db");
  const [all, few] = [join(folder, "all.csv"), join(folder, "few.csv")];
  try {
    copyFileSync(database, file, constants.COPYFILE_FICLONE);
    const channels = writeRefreshed(file, all, 1);
    const bare = await updateBySqlite(file, all);
    const server = await startKanalog(file);
    const target = await targetOf(server, workNamed(works, "mix"));
    if (target === null) throw new Error("Kanalog lacks a part of the mix");
    const readers = startReaders(target, READERS);
    await Bun.sleep(options.isQuick ? 2_000 : 15_000);
    const quiet = readers.seen();

    const watch = watchLog(`${file}-wal`);
    const byServerBefore = bytesWritten(server.server.pid);
    const byImportBefore = bytesWritten("self");
    const startedAt = performance.now();
    await kanalog(file, "import", "channels", all);
    const seconds = (performance.now() - startedAt) / 1000;
    const busy = readers.seen();
    // Checkpoints that the import left to the server.
    await Bun.sleep(2_000);
    const byServer = bytesWritten(server.server.pid) - byServerBefore;
    const written = byServer + bytesWritten("self") - byImportBefore;
    const log = watch.stop();
    report(`refresh: ${channels} channels in ${seconds.toFixed(1)} s`);

    const fewSeconds: number[] = [];
    for (let time = 0; time < FEW_TIMES; time++) {
      writeRefreshed(file, few, 2 + time, FEW_CHANNELS);
      const fewStartedAt = performance.now();
      await kanalog(file, "import", "channels", few);
      fewSeconds.push((performance.now() - fewStartedAt) / 1000);
    }
    await readers.stop();
    await server.server.stop();
    const perSecond = channels / seconds;
    const figure = { part: "refresh", unit: "" as const };
    return [
      {
        ...figure,
        name: "bytes written per channel",
        value: written / channels,
        most: MOST.bytes,
        note: `${Math.round(byServer / channels)} by the server`,
      },
      {
        ...figure,
        name: "rows a second / sqlite3 UPDATE … FROM",
        value: bare.seconds / seconds,
        least: LEAST_OF_SQLITE,
        perSecond,
        note: `${seconds.toFixed(1)} s to ${bare.seconds.toFixed(1)} s; ${Math.round(perSecond)} rows a second`,
      },
      { ...figure, name: "largest log", value: log / MEGABYTE, unit: "MB", most: MOST.log },
      { ...figure, name: "503s of two readers", value: busy.refused, most: 0 },
      {
        ...figure,
        name: "p99 of two readers / quiet",
        value: busy.p99Ms / quiet.p99Ms,
        most: MOST.p99,
        p50Ms: busy.p50Ms,
        p99Ms: busy.p99Ms,
        note: `quiet: p50 ${quiet.p50Ms.toFixed(2)} ms, p99 ${quiet.p99Ms.toFixed(2)} ms`,
      },
      {
        ...figure,
        name: `import of ${FEW_CHANNELS} channels`,
        value: median(fewSeconds),
        unit: "s",
        most: MOST.few,
        note: fewSeconds.map((value) => value.toFixed(2)).join(", "),
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Watches the size of a file. `stop` returns the largest one seen. */
function watchLog(path: string): { stop(): number } {
  let largest = 0;
  const look = (): void => {
    largest = Math.max(largest, statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  };
  const looking = setInterval(look, LOOK_MS);
  return {
    stop() {
      clearInterval(looking);
      look();
      return largest;
    },
  };
}

/** Bytes written by a process and those of its children that have ended. */
function bytesWritten(pid: number | "self"): number {
  const counters = readFileSync(`/proc/${pid}/io`, "utf8");
  return Number(/^write_bytes: (\d+)$/m.exec(counters)?.[1]);
}
