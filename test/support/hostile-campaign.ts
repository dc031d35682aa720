import { readFileSync } from "node:fs";
import fc from "fast-check";
import { bytesOf, type HostileRequest } from "./hostile-requests.ts";
import type { Serving } from "./machine.ts";
import { connectRaw, type RawAnswer } from "./raw-http.ts";

/** Sends generated requests over several connections, in rounds, each of which its seed repeats. */

/** The least number of requests of each test; 1,000,000 in all by `bun run campaign hostile`. */
export const REQUESTS = Number(process.env["KANALOG_TEST_REQUESTS"] ?? 1_200) / 2;
export const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Date.now() % 1_000_000);
/** How long to wait before memory is measured again. */
const REST_S = Number(process.env["KANALOG_TEST_REST_S"] ?? 0);

const PER_ROUND = 10_000;
/** Concurrent connections, each of which sends one request after the other. */
const LANES = 8;
/** As long as something was not reached, this many more are sent, up to a maximum in all. */
const MORE = 500;
const REQUESTS_MAX = Math.max(REQUESTS, 20_000);
/** Of these statuses, at most so many answers may be a 503 that says so: the machine may be busy. */
const UNAVAILABLE_MAX = 1 / 1_000;
const PAUSE_MS = 10;

interface Hostile {
  serving: Serving;
  request: fc.Arbitrary<HostileRequest>;
  /** Header line with a key or cookies. */
  credentialOf(request: HostileRequest): string;
  /** The request with its placeholders replaced by what exists at this moment. */
  filled(request: HostileRequest): HostileRequest;
  /** Called before each round. */
  beforeRound?(): Promise<void>;
  /** Fails if an answer violates the contract. @returns a name for its kind */
  judge(request: HostileRequest, answer: RawAnswer, workMs: number): string;
  /** What should have been reached, but was not. */
  unreached(seen: ReadonlyMap<string, number>): string[];
}

/** Number of answers by kind. */
export async function sendHostile(hostile: Hostile): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  let sent = 0;
  const startedAtMs = performance.now();
  for (let round = 0; ; round++) {
    const left = REQUESTS - sent;
    if (left <= 0 && (hostile.unreached(seen).length === 0 || sent >= REQUESTS_MAX)) return seen;
    const count = left > 0 ? Math.min(left, PER_ROUND) : MORE;
    await hostile.beforeRound?.();
    await Promise.all(
      Array.from({ length: LANES }, (_, lane) => {
        const options = { numRuns: Math.ceil(count / LANES), seed: (SEED + round) * LANES + lane };
        return sendOver(hostile, seen, options);
      }),
    );
    sent += count;
    if (count === PER_ROUND) {
      const seconds = Math.round((performance.now() - startedAtMs) / 1000);
      console.info(`${sent} requests, ${seconds} s; seed ${SEED + round + 1} continues`);
    }
  }
}

async function sendOver(
  { serving, request, credentialOf, filled, judge }: Hostile,
  seen: Map<string, number>,
  options: { numRuns: number; seed: number },
): Promise<void> {
  let connection = await connectRaw(serving.address);
  const property = fc.asyncProperty(request, async (given) => {
    const sent = filled(given);
    const before = serving.processorMs();
    connection.send(bytesOf(sent, credentialOf(sent)));
    const answer = await connection.answer(sent.verb === "HEAD");
    if (answer === null) throw new Error("the connection ended without an answer");
    const workMs = serving.processorMs() - before;
    if (answer.headers["connection"] === "close") {
      connection.close();
      connection = await connectRaw(serving.address);
    }
    const name = isUnavailable(answer) ? "unavailable" : judge(sent, answer, workMs);
    seen.set(name, (seen.get(name) ?? 0) + 1);
  });
  try {
    await fc.assert(property, options);
  } finally {
    connection.close();
  }
}

/** A 503 with one of the contract's reasons. */
function isUnavailable({ status, body }: RawAnswer): boolean {
  return status === 503 && /"code":"(?:unavailable|timeout)"/.test(body);
}

/** A channel of the sample that hostile forms do not name: staff's may rightly delete the others. */
const CHANNEL = 9;

/** A customer who asks for a card again and again, and must always get it. */
export function customerBeside(serving: Serving, key: string) {
  let goesOn = true;
  let worstMs = 0;
  const statuses: Record<number, number> = {};
  const asking = (async () => {
    while (goesOn) {
      const askedAtMs = performance.now();
      const response = await serving.get(`/v1/msgr/channels/${CHANNEL}/`, key).catch(() => null);
      await response?.text().catch(() => null);
      worstMs = Math.max(worstMs, performance.now() - askedAtMs);
      const status = response?.status ?? 0;
      statuses[status] = (statuses[status] ?? 0) + 1;
      // Without an answer, the test fails.
      if (status === 0) return;
      await Bun.sleep(PAUSE_MS);
    }
  })();
  return {
    async end() {
      goesOn = false;
      await asking;
      return { statuses, worstMs: Math.round(worstMs) };
    },
  };
}

/** The campaign's last lines; waits some minutes to see what memory stays. */
export async function tally(
  what: string,
  {
    serving,
    seen,
    residentMb,
  }: { serving: Serving; seen: Map<string, number>; residentMb: number },
  beside: { statuses: Record<number, number>; worstMs: number },
): Promise<void> {
  const count = [...seen.values()].reduce((sum, times) => sum + times, 0);
  const unavailable = seen.get("unavailable") ?? 0;
  if (unavailable > count * UNAVAILABLE_MAX) throw new Error(`${unavailable} of ${count} were 503`);
  const memory = [`${residentMb} MB before`, `${residentMbOf(serving)} MB at the end`];
  if (REST_S > 0) {
    await Bun.sleep(REST_S * 1000);
    memory.push(`${residentMbOf(serving)} MB ${REST_S} s later`);
  }
  console.info(
    `${what}: ${count} answers of ${seen.size} kinds, ${unavailable} of them 503, no other 5xx; ` +
      `the customer beside got ${JSON.stringify(beside.statuses)}, the slowest after ` +
      `${beside.worstMs} ms; memory: ${memory.join(", ")}`,
  );
}

/** Resident memory in megabytes; 0 if the system does not tell. */
export function residentMbOf({ pid }: Serving): number {
  try {
    const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kib) / 1024);
  } catch {
    return 0;
  }
}
