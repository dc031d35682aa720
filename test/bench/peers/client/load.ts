import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { run } from "../processes.ts";
import { askFor } from "./sequential.ts";

/** What is requested of a server: paths in turn, all with the same headers. */
export interface Target {
  address: string;
  headers: Record<string, string>;
  paths: readonly string[];
}

export interface LoadResult {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export const CLIENT = Bun.which("wrk") === null ? "autocannon" : "wrk";
const SCRIPT = join(import.meta.dir, "wrk.lua");

/**
 * Sends requests over several connections, each sending the next one once it has an answer. Uses wrk if it is
 * installed, because autocannon reaches its own limit early. A single connection uses our own client: autocannon
 * measures in whole milliseconds, and wrk adds computed durations of requests that were not sent because a slow
 * one was waited for.
 * @throws Error if an answer is an error
 */
export async function load(
  target: Target,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<LoadResult> {
  if (connections === 1) return askFor(target, seconds);
  return (CLIENT === "wrk" ? byWrk : byAutocannon)(target, connections, seconds);
}

async function byWrk(target: Target, connections: number, seconds: number): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-bench-"));
  try {
    const paths = join(folder, "paths.txt");
    writeFileSync(paths, target.paths.join("\n"));
    const headers = Object.entries(target.headers).flatMap(([name, value]) => [
      "-H",
      `${name}: ${value}`,
    ]);
    const out = await run([
      ...["wrk", "-t1", `-c${connections}`, `-d${Math.ceil(seconds)}s`, "--timeout", "60s"],
      ...["-s", SCRIPT, ...headers, target.address, "--", paths],
    ]);
    const line = out.split("\n").find((text) => text.startsWith("{"));
    if (line === undefined) throw new Error(`wrk printed no figures: ${out}`);
    const { failed, ...result } = JSON.parse(line) as LoadResult & { failed: number };
    if (failed > 0) throw new Error(`${target.address}: ${failed} requests failed: ${out}`);
    return result;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Most requests that autocannon may prepare, which it does for each connection: with 50,000 cards and 64
 * connections, that took longer than its time limit for an answer.
 */
const PREPARED_MAX = 1_000;

/** A request that gets the next path when it is sent. */
function oneOf(paths: readonly string[]): autocannon.Request {
  let sent = 0;
  return { setupRequest: (request) => ({ ...request, path: paths[sent++ % paths.length] ?? "" }) };
}

async function byAutocannon(
  { address, headers, paths }: Target,
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  const result = await autocannon({
    url: address,
    connections,
    duration: seconds,
    headers,
    requests: paths.length > PREPARED_MAX ? [oneOf(paths)] : paths.map((path) => ({ path })),
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${address}: ${failed} requests failed`);
  const { p50, p99 } = result.latency;
  return { perSecond: result.requests.average, p50Ms: p50, p99Ms: p99 };
}
