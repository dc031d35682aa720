/** What a neighbour sends, as a process of its own: bounded in count and time. */
import { connect, type Socket } from "node:net";
import { takeOrders, type Work } from "./orders.ts";
import { type SentRequest, send, sendJson, withKey } from "./requests.ts";

export type LoadSpec = RequestsLoad | ConnectionsLoad | WebhooksLoad;

/** Requests in turn, each connection waiting for its answer. */
interface RequestsLoad {
  kind: "requests";
  address: string;
  requests: readonly SentRequest[];
  connections: number;
  /** As fast as they are answered where not given. */
  perSecond?: number;
}

/** Bare connections that send a head and so much of a body, and then say nothing more. */
interface ConnectionsLoad {
  kind: "connections";
  address: string;
  connections: number;
  /** Lines of the head; none where nothing is said at all. */
  head: readonly string[];
  /** How the body begins, and how much follows of it. */
  body: { start: string; moreBytes: number };
  /** Whether one that was ended by the other side is made anew. */
  isRepeated: boolean;
}

/** Makes a webhook, tests it, deletes it, over and over. */
interface WebhooksLoad {
  kind: "webhooks";
  address: string;
  key: string;
  url: string;
  channel: number;
}

/** How often each outcome came: a status, or what became of it without one. */
export type Outcomes = Record<string, number>;

const SECONDS_MAX = 180;
const SENT_MAX = 1_000_000;
/** Between one connection and the next. */
const PACE_MS = 250;
/** Some 20 requests a second, within the plan's rate: a refused one would leave a webhook behind. */
const PING_PACE_MS = 140;
const CHUNK = Buffer.alloc(64 * 1024, "a");

if (import.meta.main) await takeOrders(load);

function load(spec: LoadSpec): Work {
  let outcomes: Outcomes = {};
  let over = new AbortController();
  let working: Promise<unknown> = Promise.resolve();
  const note = (outcome: string | number): void => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  return {
    begin() {
      outcomes = {};
      over = new AbortController();
      const signal = AbortSignal.any([over.signal, AbortSignal.timeout(SECONDS_MAX * 1000)]);
      working = run(spec, note, signal);
    },
    async end() {
      over.abort();
      await working;
      return outcomes;
    },
  };
}

type Note = (outcome: string | number) => void;

function run(spec: LoadSpec, note: Note, over: AbortSignal): Promise<unknown> {
  switch (spec.kind) {
    case "requests":
      return Promise.all(
        Array.from({ length: spec.connections }, (_, at) => ask(spec, at, note, over)),
      );
    case "connections":
      return Promise.all(
        Array.from({ length: spec.connections }, (_, at) => hold(spec, at, note, over)),
      );
    case "webhooks":
      return pingOften(spec, note, over);
  }
}

async function ask(
  { address, requests, connections, perSecond }: RequestsLoad,
  first: number,
  note: Note,
  over: AbortSignal,
): Promise<void> {
  const startedAtMs = performance.now();
  for (let sent = first; sent < SENT_MAX && !over.aborted; sent += connections) {
    if (perSecond !== undefined) {
      await pause(startedAtMs + (sent * 1000) / perSecond - performance.now(), over);
    }
    const request = requests[sent % requests.length];
    if (request === undefined || over.aborted) return;
    note(await outcomeOf(address, request, over));
  }
}

async function outcomeOf(
  address: string,
  request: SentRequest,
  over: AbortSignal,
): Promise<string | number> {
  try {
    return (await send(address, request, over)).status;
  } catch {
    return over.aborted ? "under way" : "ended";
  }
}

async function hold(
  { address, head, body, isRepeated }: ConnectionsLoad,
  at: number,
  note: Note,
  over: AbortSignal,
): Promise<void> {
  // Not all at once: the listener's queue has room for some hundreds.
  await pause(at, over);
  for (let times = 0; times < SENT_MAX && !over.aborted; times++) {
    note(await holdOne(address, head, body, over));
    if (!isRepeated) return;
    await pause(PACE_MS, over);
  }
}

/** @returns the status that it was answered with, or how it ended */
function holdOne(
  address: string,
  head: readonly string[],
  { start, moreBytes }: ConnectionsLoad["body"],
  over: AbortSignal,
): Promise<string> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port) });
  return new Promise((resolve) => {
    let isConnected = false;
    const end = (how: string) => () => {
      over.removeEventListener("abort", stop);
      socket.destroy();
      resolve(how);
    };
    const stop = end("held");
    over.addEventListener("abort", stop);
    socket.on("connect", () => {
      isConnected = true;
      if (head.length > 0) {
        socket.write(`${head.join("\r\n")}\r\n\r\n${start}`);
        pour(socket, moreBytes);
      }
    });
    socket.on("data", (bytes: Buffer) => end(bytes.toString("latin1").slice(9, 12))());
    socket.on("close", () => end(isConnected ? "ended" : "refused")());
    socket.on("error", () => {});
    if (over.aborted) stop();
  });
}

function pour(socket: Socket, bytes: number): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      const chunk = CHUNK.subarray(0, Math.min(left, CHUNK.length));
      left -= chunk.length;
      if (!socket.write(chunk)) {
        socket.once("drain", more);
        return;
      }
    }
  };
  more();
}

async function pingOften(
  { address, key, url, channel }: WebhooksLoad,
  note: Note,
  over: AbortSignal,
): Promise<void> {
  const webhooks = "/v1/msgr/webhooks/";
  const body = JSON.stringify({ url, channels: [channel] });
  for (let times = 0; times < SENT_MAX && !over.aborted; times++) {
    try {
      const made = await send(address, sendJson("POST", webhooks, key, body), over);
      if (made.status === 201) {
        const own = `${webhooks}${(JSON.parse(made.text) as { id: number }).id}/`;
        const headers = withKey(key);
        const tested = await send(address, { verb: "POST", path: `${own}test/`, headers }, over);
        note(`ping ${tested.status}`);
        await send(address, { verb: "DELETE", path: own, headers }, over);
      } else note(made.status);
    } catch {
      note(over.aborted ? "under way" : "ended");
    }
    await pause(PING_PACE_MS, over);
  }
}

/** Ends sooner where the load is over. */
function pause(durationMs: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (durationMs <= 0 || over.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      over.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, durationMs);
    over.addEventListener("abort", end);
  });
}
