/**
 * A healthy customer at a steady rate, as a process of its own. Each request is due at its instant,
 * whatever became of those before it, and is measured from that instant on: a customer who has to
 * wait does not ask less.
 */
import { takeOrders, type Work } from "./orders.ts";
import { type SentRequest, send } from "./requests.ts";

export interface VictimSpec {
  address: string;
  /** Sent in turn, over and over. */
  requests: readonly SentRequest[];
  perSecond: number;
  /** The status that is a good answer. */
  status: number;
  /** How long an answer may take. */
  timeoutMs: number;
}

/** Answers that a victim saw between `begin` and `end`. */
export interface Seen {
  /** How long each took, a time-out its whole length. */
  durationsMs: number[];
  /** How often each fault came: a status with the code of the error, or how there was no answer. */
  faults: Record<string, number>;
}

/** The outcome of a request that got no answer in time. */
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
