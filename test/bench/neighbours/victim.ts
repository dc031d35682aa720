/**
 * A healthy customer at a steady rate, in a separate process. Each request is due at a fixed time, whether or not
 * earlier ones have been answered, and is measured from that time on: a customer who has to wait does not send
 * fewer requests.
 */
import { takeOrders, type Work } from "./orders.ts";
import { type SentRequest, send } from "./requests.ts";

export interface VictimSpec {
  address: string;
  /** Sent in turn, repeatedly. */
  requests: readonly SentRequest[];
  perSecond: number;
  /** The expected status. */
  status: number;
  /** How long an answer may take. */
  timeoutMs: number;
}

/** What a victim measured between `begin` and `end`. */
export interface Seen {
  /** Duration of each request, including those that timed out. */
  durationsMs: number[];
  /** Number of requests by fault: a status with the error's code, or why there was no answer. */
  faults: Record<string, number>;
}

/** Fault of a request that was not answered in time. */
export const LATE = "TimeoutError";

if (import.meta.main) await takeOrders(victim);

function victim({ address, requests, perSecond, status, timeoutMs }: VictimSpec): Work {
  const stepMs = 1000 / perSecond;
  let sent = 0;
  let seen = nothingSeen();
  let underWay: Promise<void>[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function ask(request: SentRequest, dueAtMs: number): Promise<void> {
    const fault = await faultOf(request);
    seen.durationsMs.push(performance.now() - dueAtMs);
    if (fault !== null) seen.faults[fault] = (seen.faults[fault] ?? 0) + 1;
  }

  async function faultOf(request: SentRequest): Promise<string | null> {
    try {
      const answer = await send(address, request, AbortSignal.timeout(timeoutMs));
      if (answer.status === status) return null;
      const code = /^\{"code":"(\w+)"/.exec(answer.text)?.[1] ?? "";
      return `${answer.status} ${code}`.trim();
    } catch (error) {
      const { name, code } = error as { name: string; code?: string };
      return name === LATE ? LATE : (code ?? name);
    }
  }

  function askDue(dueAtMs: number): void {
    let due = dueAtMs;
    for (; due <= performance.now(); due += stepMs) {
      const request = requests[sent++ % requests.length];
      if (request !== undefined) underWay.push(ask(request, due));
    }
    timer = setTimeout(askDue, due - performance.now(), due);
  }

  return {
    begin() {
      seen = nothingSeen();
      underWay = [];
      askDue(performance.now());
    },
    async end() {
      clearTimeout(timer);
      await Promise.all(underWay);
      return seen;
    },
  };
}

function nothingSeen(): Seen {
  return { durationsMs: [], faults: {} };
}
