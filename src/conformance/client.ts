import { isObject, type Json, type Kit, Missing, type Receiver } from "./check.ts";

/** The world outside, which the kit's caller provides. */
export interface Outside {
  send(
    url: string,
    init: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<{ status: number; headers: Headers; text: string }>;
  now(): number;
  sleep(durationMs: number): Promise<void>;
}

export interface Asked {
  path: string;
  method?: string;
  /** Null for none; by default the run's. */
  key?: string | null;
  headers?: Readonly<Record<string, string>>;
  /** Text as it is, or an object that becomes JSON. */
  body?: string | object;
  /** Whether a refusal for coming too early is the answer that is wanted. */
  isOnce?: true;
}

export interface Answer {
  /** The request, for a fault to name. */
  asked: string;
  status: number;
  headers: Headers;
  text: string;
  /** The object that the text is; empty if it is none. */
  body: Json;
}

export interface Target {
  /** Without a slash at its end. */
  base: string;
  key: string;
  operatorKey: string | null;
  mayWrite: boolean;
  receiver: Receiver | null;
}

/** How often a request that came too early is sent again. */
const TRIES_MAX = 8;

/**
 * Asks an appliance, one request after another, at the pace that its plan allows: an answer that leaves
 * nothing of the rate is followed by a pause, and one that came too early is asked again.
 */
export function createKit(target: Target, outside: Outside): Kit {
  const made = new Map<string, Promise<unknown>>();
  let pauseMs = 0;

  async function send({ path, method = "GET", key, headers = {}, body }: Asked): Promise<Answer> {
    const bearer = key === undefined ? target.key : key;
    const all: Record<string, string> = { ...headers };
    if (bearer !== null) all["authorization"] ??= `Bearer ${bearer}`;
    if (typeof body === "object") all["content-type"] ??= "application/json";
    const url = path.startsWith("http") ? path : target.base + path;
    const text = typeof body === "object" ? JSON.stringify(body) : body;
    if (pauseMs > 0) await outside.sleep(pauseMs);
    pauseMs = 0;
    const got = await outside.send(url, {
      method,
      headers: all,
      ...(text !== undefined && { body: text }),
    });
    const left = /"rate";r=0;t=(\d+)/.exec(got.headers.get("ratelimit") ?? "");
    if (left !== null && bearer === target.key) pauseMs = Number(left[1]) * 1000;
    return { ...got, asked: `${method} ${path}`, body: parsed(got.text) };
  }

  async function askAgain(given: Asked | string): Promise<Answer> {
    const asked = typeof given === "string" ? { path: given } : given;
    for (let tried = 1; ; tried++) {
      const answer = await send(asked);
      if (asked.isOnce === true) return answer;
      const code = answer.status === 429 ? codeOf(answer) : null;
      if (code === "quota_exceeded") throw new Missing("the requests of the period have run out");
      if (code !== "rate_limited" || tried === TRIES_MAX) return answer;
      await outside.sleep(Number(answer.headers.get("retry-after") ?? 1) * 1000);
    }
  }

  function once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = made.get(name) ?? make();
    made.set(name, known);
    return known as Promise<T>;
  }

  return {
    ...target,
    afterwards: [],
    now: outside.now,
    sleep: outside.sleep,
    askAgain,
    ask: (asked) => once(JSON.stringify(asked), () => askAgain(asked)),
    once,
  };
}

/** The code of a refusal for coming too early; MCP's refusals of protocol messages have none. */
const codeOf = ({ body }: Answer): unknown => body["code"] ?? "rate_limited";

function parsed(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
