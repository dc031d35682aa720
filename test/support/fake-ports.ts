import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../../src/ports/clock.ts";
import type { DownloadFault, DownloadHeaders, DownloadRequest } from "../../src/ports/download.ts";
import type { Log } from "../../src/ports/log.ts";
import type { Mail, Message } from "../../src/ports/mail.ts";
import {
  askAddress,
  type GetRequest,
  type GetResult,
  type Network,
  type PostRequest,
  type PostResult,
} from "../../src/ports/network.ts";
import type { Ports, Random } from "../../src/ports/ports.ts";
import type { Lateness, System } from "../../src/ports/system.ts";

/** A clock that stands still until a test moves it; waiting takes no time, but what is to happen later waits. */
interface FakeClock extends Clock {
  set(instant: string): void;
  advance(durationMs: number): void;
  /** Sets the clock without any time passing, as a person or a time service does. */
  jump(byMs: number): void;
  /** Time passes without the monotonic clock, as on a laptop that is closed. */
  fallAsleep(durationMs: number): void;
}

export function fakeClock(instant: string): FakeClock {
  let nowMs = Date.parse(instant);
  let jumpedMs = 0;
  let sleptMs = 0;
  const later = new Set<{ atMs: number; work: () => void }>();
  const monotonic = (): number => nowMs - jumpedMs - sleptMs;
  function moveTo(toMs: number): void {
    nowMs = toMs;
    for (const one of later) {
      if (one.atMs > monotonic() || !later.delete(one)) continue;
      one.work();
    }
  }
  return {
    now: () => nowMs,
    monotonic,
    sinceBoot: () => nowMs - jumpedMs,
    processor: () => nowMs,
    endOfTurn: (work) => void setImmediate(work),
    after(durationMs, work) {
      const one = { atMs: monotonic() + durationMs, work };
      later.add(one);
      return () => void later.delete(one);
    },
    sleep: async () => {},
    set: (to) => moveTo(Date.parse(to)),
    advance: (durationMs) => moveTo(nowMs + durationMs),
    fallAsleep: (durationMs) => {
      nowMs += durationMs;
      sleptMs += durationMs;
    },
    jump: (byMs) => {
      nowMs += byMs;
      jumpedMs += byMs;
    },
  };
}

/** Bytes that look random but are the same in every run. */
export function fakeRandom(): Random {
  let calls = 0;
  return {
    bytes(length) {
      const blocks: Buffer[] = [];
      for (let size = 0; size < length; size += 32) {
        calls += 1;
        blocks.push(createHash("sha256").update(`bytes ${calls}`).digest());
      }
      return Buffer.concat(blocks).subarray(0, length);
    },
    uuid(nowMs) {
      calls += 1;
      const time = nowMs.toString(16).padStart(12, "0");
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(calls).padStart(12, "0")}`;
    },
  };
}

interface FakeLog extends Log {
  /** Logged errors, which nobody foresaw. */
  errors: { fields: object; message: string }[];
  warnings: { fields: object; message: string }[];
  /** Entries below the level of warnings. */
  notices: { level: "debug" | "info"; fields: object; message: string }[];
}

export function fakeLog(): FakeLog {
  const errors: FakeLog["errors"] = [];
  const warnings: FakeLog["warnings"] = [];
  const told: FakeLog["notices"] = [];
  return {
    errors,
    warnings,
    notices: told,
    debug: (fields, message) => told.push({ level: "debug", fields, message }),
    info: (fields, message) => told.push({ level: "info", fields, message }),
    warn: (fields, message) => warnings.push({ fields, message }),
    error: (fields, message) => errors.push({ fields, message }),
  };
}

/** A network in which a test determines names, addresses and answers. */
export interface FakeNetwork extends Network {
  /**
   * Addresses by name. A name that is not listed has a public address; one with an empty list does not
   * exist; and for one with null no name server answers.
   */
  names: Map<string, readonly string[] | null>;
  /** Posts so far, in order, with their bodies as text. */
  posts: FakePost[];
  /** Answers of receivers; 204 unless a test replaces it. */
  answer: (post: FakePost) => PostResult | Promise<PostResult>;
  /** GET requests so far, in order. */
  gets: GetRequest[];
  /** Texts by address; others are answered by `answerGet`. */
  documents: Map<string, string>;
  /** Answers of an API, for addresses without a document; 404 unless a test replaces it. */
  answerGet: (url: string, request: GetRequest) => FakeAnswer | Promise<FakeAnswer>;
  /** Downloads so far, in order. */
  downloads: DownloadRequest[];
  /** File at an address, or why it cannot be downloaded; 404 unless a test replaces it. */
  fileAt: (url: string, request: DownloadRequest) => FakeFile | Promise<FakeFile>;
}

export type FakeFile =
  | { status: number; headers?: Partial<DownloadHeaders>; body?: string | Uint8Array }
  | { fault: DownloadFault };

export type FakeAnswer =
  | { status: number; body?: string | Uint8Array; retryAfter?: string }
  | Extract<GetResult, { fault: unknown }>;

export type FakePost = Omit<PostRequest, "body"> & { body: string };

const PUBLIC_ADDRESS = "93.184.215.14";

function fakeNetwork(): FakeNetwork {
  const network: FakeNetwork = {
    names: new Map(),
    posts: [],
    answer: () => ({ status: 204 }),
    gets: [],
    documents: new Map(),
    answerGet: () => ({ status: 404 }),
    downloads: [],
    fileAt: () => ({ status: 404 }),
    async resolve(name) {
      const addresses = network.names.get(name);
      if (addresses === null) throw new Error(`${name}: no answer`);
      return addresses ?? [PUBLIC_ADDRESS];
    },
    async post(request) {
      const post = { ...request, body: new TextDecoder().decode(request.body) };
      network.posts.push(post);
      return network.answer(post);
    },
    async get(request): Promise<GetResult> {
      network.gets.push(request);
      const scheme = request.isSecure ? "https" : "http";
      const url = `${scheme}://${request.authority}${request.path}`;
      const text = network.documents.get(url);
      const answer: FakeAnswer =
        text === undefined ? await network.answerGet(url, request) : { status: 200, body: text };
      if ("fault" in answer) return answer;
      const { body: content = "" } = answer;
      const body = typeof content === "string" ? new TextEncoder().encode(content) : content;
      if (body.byteLength > request.bytesMax) return { fault: "too_large" };
      return { status: answer.status, body, retryAfter: answer.retryAfter ?? null };
    },
    // Only this machine's own listeners are asked.
    ask: askAddress,
    certificateEnd: async () => ({ endsAt: Number.MAX_SAFE_INTEGER }),
    async download(request) {
      network.downloads.push(request);
      const scheme = request.isSecure ? "https" : "http";
      const url = `${scheme}://${request.authority}${request.path}`;
      const file = await network.fileAt(url, request);
      if ("fault" in file) return file;
      const { status, headers, body = "" } = file;
      await Bun.write(request.into, body);
      const none = { etag: null, "last-modified": null, location: null, "retry-after": null };
      return {
        status,
        headers: { ...none, "content-type": null, ...headers },
        bytes: Buffer.byteLength(body),
      };
    },
  };
  return network;
}

export interface FakeMail extends Mail {
  sent: Message[];
  /** Whether the server refuses all messages. */
  isDown: boolean;
}

function fakeMail(): FakeMail {
  const mail: FakeMail = {
    sent: [],
    isDown: false,
    async tryOut() {
      if (mail.isDown) throw new Error("the mail server is down");
    },
    async send(message) {
      if (mail.isDown) throw new Error("the mail server is down");
      mail.sent.push(message);
    },
  };
  return mail;
}

interface FakeSystem extends System {
  /** Free bytes of every volume. */
  free: number;
  lateness: Lateness | null;
}

function fakeSystem(): FakeSystem {
  const system: FakeSystem = {
    free: 100 * 1024 ** 3,
    lateness: null,
    mainThreadLateness: () => system.lateness,
    freeBytes: async () => system.free,
    machine: () => ({ availableBytes: 8 * 1024 ** 3, openFilesMax: 65_536, isClockKept: true }),
    process: () => ({
      startedAt: 0,
      processorSeconds: 1.5,
      residentBytes: 50_000_000,
      waitedSeconds: 0.5,
    }),
    eventLoopDelay: () => ({ medianMs: 0.1, p99Ms: 2, maxMs: 30 }),
  };
  return system;
}

export interface FakePorts extends Ports {
  clock: FakeClock;
  log: FakeLog;
  network: FakeNetwork;
  mail: FakeMail;
  system: FakeSystem;
}

/** Fake ports, by default on Friday, 20 November 2026, at noon in Moscow. */
export function fakePorts(instant = "2026-11-20T12:00:00+03:00"): FakePorts {
  return {
    clock: fakeClock(instant),
    random: fakeRandom(),
    log: fakeLog(),
    network: fakeNetwork(),
    mail: fakeMail(),
    system: fakeSystem(),
  };
}

/** Fake ports with the system's clock, which the threads that work on a file use. */
export function fakePortsOfNow(): FakePorts {
  return { ...fakePorts(), clock: { ...fakePorts().clock, ...systemClock } };
}
