import { createHash } from "node:crypto";
import type { Clock } from "../../src/ports/clock.ts";
import type { DownloadFault, DownloadHeaders, DownloadRequest } from "../../src/ports/download.ts";
import type { Log } from "../../src/ports/log.ts";
import type { Mail, Message } from "../../src/ports/mail.ts";
import type {
  GetRequest,
  GetResult,
  Network,
  PostRequest,
  PostResult,
} from "../../src/ports/network.ts";
import type { Ports } from "../../src/ports/ports.ts";
import type { Random } from "../../src/ports/random.ts";
import type { System } from "../../src/ports/system.ts";

/** A clock that stands still until a test moves it; waiting takes no time. */
interface FakeClock extends Clock {
  set(instant: string): void;
  advance(durationMs: number): void;
}

export function fakeClock(instant: string): FakeClock {
  let nowMs = Date.parse(instant);
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    endOfTurn: (work) => void setImmediate(work),
    sleep: async () => {},
    set: (to) => {
      nowMs = Date.parse(to);
    },
    advance: (durationMs) => {
      nowMs += durationMs;
    },
  };
}

/** Bytes that look random and are the same in every run. */
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
  /** Everything logged as an error: what nobody foresaw. */
  errors: { fields: object; message: string }[];
  warnings: { fields: object; message: string }[];
  /** What is less than a warning. */
  told: { level: "debug" | "info"; fields: object; message: string }[];
}

export function fakeLog(): FakeLog {
  const errors: FakeLog["errors"] = [];
  const warnings: FakeLog["warnings"] = [];
  const told: FakeLog["told"] = [];
  return {
    errors,
    warnings,
    told,
    debug: (fields, message) => told.push({ level: "debug", fields, message }),
    info: (fields, message) => told.push({ level: "info", fields, message }),
    warn: (fields, message) => warnings.push({ fields, message }),
    error: (fields, message) => errors.push({ fields, message }),
  };
}

/** An internet of which a test says who lives where and what they answer. */
export interface FakeNetwork extends Network {
  /**
   * Addresses of names; one that is not here has a public address, one with none does not exist, and
   * for one with null no name server answers.
   */
  names: Map<string, readonly string[] | null>;
  /** What was posted, in this order, with the body as text. */
  posts: FakePost[];
  /** What receivers answer; 204 unless a test says otherwise. */
  answer: (post: FakePost) => PostResult | Promise<PostResult>;
  /** Requests for documents, in this order. */
  gets: GetRequest[];
  /** Texts by the addresses at which they are found; a 404 where there is none. */
  documents: Map<string, string>;
  /** What an API answers; a 404 unless a test says otherwise, or there is a document. */
  answerGet: (url: string, request: GetRequest) => FakeAnswer | Promise<FakeAnswer>;
  /** What was downloaded, in this order. */
  downloads: DownloadRequest[];
  /** What is found at an address, and who has it; a 404 where nothing is said. */
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
      const { body: given = "" } = answer;
      const body = typeof given === "string" ? new TextEncoder().encode(given) : given;
      if (body.byteLength > request.bytesMax) return { fault: "too_large" };
      return { status: answer.status, body, retryAfter: answer.retryAfter ?? null };
    },
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
  /** While true the server takes nothing. */
  isDown: boolean;
}

function fakeMail(): FakeMail {
  const mail: FakeMail = {
    sent: [],
    isDown: false,
    async send(message) {
      if (mail.isDown) throw new Error("the mail server is down");
      mail.sent.push(message);
    },
  };
  return mail;
}

interface FakeSystem extends System {
  /** Of every volume. */
  free: number;
}

function fakeSystem(): FakeSystem {
  const system: FakeSystem = {
    free: 100 * 1024 ** 3,
    freeBytes: async () => system.free,
    process: () => ({ startedAt: 0, processorSeconds: 1.5, residentBytes: 50_000_000 }),
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

/** Friday, 20 November 2026, noon in Moscow, unless a test says otherwise. */
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
