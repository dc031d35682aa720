import type { Target } from "./load.ts";

/**
 * One client that asks each path once, one after the other.
 * @returns how long each took, in milliseconds, in the order of the paths
 * @throws Error where an answer is not a good one
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
