import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Clock } from "../ports/clock.ts";
import { fileStamp } from "../values/moscow-time.ts";
import { writeCopy } from "./database-copy.ts";
import { openDatabase } from "./open-database.ts";
import { realFile } from "./real-file.ts";

const SNAPSHOTS_KEPT = 2;
const SNAPSHOT_END = /^\.before-schema-\d+-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)$/;

/**
 * Copies a database beside itself before it is migrated to a version, and removes all but the latest such
 * copies.
 * @returns path of the copy
 */
export function takeSnapshot(named: string, version: number, clock: Clock): string {
  const path = realFile(named);
  const snapshot = `${path}.before-schema-${version}-${fileStamp(clock.now())}`;
  // A connection of its own, because SQLite cannot copy from one that is in a transaction.
  using reader = openDatabase(path, clock, "reader");
  writeCopy(reader, snapshot, clock);
  removeOldSnapshots(path);
  return snapshot;
}

function removeOldSnapshots(path: string): void {
  const folder = dirname(resolve(path));
  const name = basename(path);
  const found = readdirSync(folder).flatMap((file) => {
    const end = file.startsWith(name) ? SNAPSHOT_END.exec(file.slice(name.length)) : null;
    return end === null ? [] : [{ file, takenAt: end[1] ?? "" }];
  });
  const byTime = found.sort((a, b) => (a.takenAt < b.takenAt ? 1 : -1));
  for (const { file } of byTime.slice(SNAPSHOTS_KEPT)) rmSync(join(folder, file));
}
