import { percentile } from "../statistics.ts";
import type { LoadResult, Target } from "./load.ts";

/**
 * Requests each path once, one after another.
 * @returns the duration of each in milliseconds, in the order of the paths
 * @throws Error if an answer is an error
 */
export async function askEach({ address, headers, paths }: Target): Promise<number[]> {
  const durations: number[] = [];
  for (const path of paths) {
    const startedAt = performance.now();
    const response = await fetch(address + path, { headers });
    await response.arrayBuffer();
    durations.push(performance.now() - startedAt);
    if (!response.ok) throw new Error(`${address}${path}: ${response.status}`);
  }
  return durations;
}

/** Requests the paths in turn, one after another, for some seconds. */
export async function askFor(target: Target, seconds: number): Promise<LoadResult> {
  const durations: number[] = [];
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  while (performance.now() < endAt) {
    const path = target.paths[durations.length % target.paths.length] ?? "";
    durations.push(...(await askEach({ ...target, paths: [path] })));
  }
  return {
    perSecond: (durations.length / (performance.now() - startedAt)) * 1000,
    p50Ms: percentile(durations, 0.5),
    p99Ms: percentile(durations, 0.99),
  };
}
