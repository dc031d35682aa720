import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Linux counts in ticks of 10 ms. */
const TICK_MS = 10;

/** Time of the processor that a process took so far, all its threads; 0 where the system does not tell. */
export function processorMs(pid: number): number {
  const fields = statOf(pid);
  return fields === null ? 0 : ticks(fields, [11, 12]);
}

/** The same of a process with all it started: those that run, and those that have ended. */
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

/** Fields of `stat` behind the name, which may have spaces: the first here is the third there. */
function statOf(pid: number): string[] | null {
  const path = `/proc/${pid}/stat`;
  try {
    return existsSync(path)
      ? (readFileSync(path, "utf8").split(") ").at(-1)?.split(" ") ?? [])
      : null;
  } catch {
    // It ended meanwhile.
    return null;
  }
}

function ticks(fields: readonly string[], places: readonly number[]): number {
  return places.reduce((sum, place) => sum + Number(fields[place]), 0) * TICK_MS;
}
