import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { run } from "../processes.ts";
import { askFor } from "./sequential.ts";

/** What a server is asked: paths in turn, all with the same headers. */
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
 * Asks for so long over so many connections, each sending the next request once it has its answer.
 * Many by wrk where it is installed: autocannon is soon at its own end. A single client is one of our
 * own: autocannon counts whole milliseconds, and wrk adds durations that nobody saw, for requests that
 * would have come had the slow ones not been waited for.
 * @throws Error where an answer is not a good one
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
    if (line === undefined) throw new Error(`wrk said: ${out}`);
    const { failed, ...result } = JSON.parse(line) as LoadResult & { failed: number };
    if (failed > 0) throw new Error(`${target.address}: ${failed} requests failed: ${out}`);
    return result;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Requests that autocannon prepares, for each connection anew: of 50,000 cards over 64 connections that took
 * longer than its own time limit for an answer.
 */
const PREPARED_MAX = 1_000;

/** A request that is made when it is sent, of the next path. */
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
