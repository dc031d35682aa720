import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Linux counts in ticks of 10 ms. */
const TICK_MS = 10;

/** Processor time that all threads of a process have used so far; 0 if the system does not tell. */
export function processorMs(pid: number): number {
  const fields = statOf(pid);
  return fields === null ? 0 : ticks(fields, [11, 12]);
}

/** The same for a process and all its children, running and ended. */
export function processorMsOfAll(pid: number): number {
  const fields = statOf(pid);
  if (fields === null) return 0;
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => Number(statOf(one)?.[1]) === pid);
  const ofChildren = children.reduce((sum, child) => sum + processorMsOfAll(child), 0);
  return ticks(fields, [11, 12, 13, 14]) + ofChildren;
}

/**
 * Fields of `/proc/PID/stat` after the name, which may contain spaces: the first one here is the third one
 * there.
 */
function statOf(pid: number): string[] | null {
  const path = `/proc/${pid}/stat`;
  try {
    return existsSync(path)
      ? (readFileSync(path, "utf8").split(") ").at(-1)?.split(" ") ?? [])
      : null;
  } catch {
    // It has ended meanwhile.
    return null;
  }
}

function ticks(fields: readonly string[], places: readonly number[]): number {
  return places.reduce((sum, place) => sum + Number(fields[place]), 0) * TICK_MS;
}
