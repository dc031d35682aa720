import { AppError } from "../../../errors.ts";
import type { DownloadHeaders, DownloadRequest, DownloadResult } from "../../../ports/download.ts";
import { LEAST_RATE } from "../../../ports/own-work.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { INTERRUPTED } from "../../imports/reading/input.ts";
import { type ImportSummary, isHopeless } from "../../imports/writing/import-summary.ts";
import type { BotRunTools } from "../bots/bot-messenger.ts";
import type { SourceAddress, SourceGuard } from "../source-address.ts";
import { contactHost, readSourceAddress } from "../source-address.ts";
import { failed, NOTHING, type Outcome } from "../source-run-changes.ts";
import type { DoneFile, FileOptions, SourcePosition } from "../sources.table.ts";
import type { SourceFile } from "./import-source-file.ts";

type Download = (request: DownloadRequest) => Promise<DownloadResult>;

type Downloaded =
  | { status: number; headers: DownloadHeaders; bytes: number }
  | { failure: Message };

const BYTES_MAX = 2 * 1024 ** 3;
const REDIRECTS_MAX = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Downloads what a URL serves into a file. Each address that the host resolves to is checked before
 * connecting; redirects are followed only on the same host and port.
 * @param url an address that `readSourceAddress` accepts
 */
export async function downloadFile(
  { guard, download }: { guard: SourceGuard; download: Download },
  url: string,
  request: Pick<DownloadRequest, "headers" | "into" | "signal">,
): Promise<Downloaded> {
  let at = url;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const read = readSourceAddress(at);
    if ("fault" in read) return { failure: read.fault };
    const address = read.value;
    const limits = { leastRate: LEAST_RATE, bytesMax: BYTES_MAX };
    const answer = await contactHost(
      guard,
      address,
      (to) => download({ ...request, ...to, ...limits }),
      message("sourceTooLarge", { gigabytes: BYTES_MAX / 1024 ** 3 }),
    );
    if ("failure" in answer || !REDIRECTS.has(answer.status)) return answer;
    const next = redirectOf(address, at, answer.headers.location);
    if ("failure" in next) return next;
    at = next.url;
  }
  return { failure: message("sourceRedirects", { redirects: REDIRECTS_MAX }) };
}

function redirectOf(
  { target, isSecure }: SourceAddress,
  at: string,
  location: string | null,
): { url: string } | { failure: Message } {
  if (location === null || !URL.canParse(location, at)) {
    return { failure: message("sourceRedirected", { host: "?" }) };
  }
  const url = new URL(location, at).href;
  const read = readSourceAddress(url);
  const isSame =
    "value" in read &&
    read.value.isSecure === isSecure &&
    read.value.target.host === target.host &&
    read.value.target.port === target.port;
  return isSame
    ? { url }
    : { failure: message("sourceRedirected", { host: new URL(url).host || "?" }) };
}

export interface FileTools extends Pick<BotRunTools, "nowMs" | "signal"> {
  download(
    url: string,
    request: { headers: Record<string, string>; into: string; signal: AbortSignal },
  ): Promise<Downloaded>;
  importFile(file: NamedFile): Promise<ImportSummary>;
  files: { newPath(): string; remove(path: string): void };
  isAgain: boolean;
  doneFiles(): Promise<DoneFile[]>;
  fileDone(file: DoneFile): Promise<void>;
}

type NamedFile = Pick<SourceFile, "path" | "name" | "options">;

/**
 * Imports a file. One whose rows were all rejected is a failure, and so will be read again: it may be the
 * wrong file, or have arrived before the channels that it names.
 */
export async function importOne(
  tools: FileTools,
  file: NamedFile,
): Promise<Outcome & { isFileFault: boolean }> {
  let code: AppError["code"] = "invalid";
  const outcome = await orFailed(
    async () => {
      const summary = await tools.importFile(file);
      const { read, rejected } = summary;
      const isNone = read > 0 && rejected === read;
      const code = isHopeless(summary) ? "firstRowsRejected" : "sourceAllRejected";
      const failure = isNone ? message(code, { rows: read }) : null;
      return { ...NOTHING, failure, summary, rows: read - rejected };
    },
    (found) => {
      code = found;
    },
  );
  return { ...outcome, isFileFault: code === "invalid" || code === "timeout" };
}

/** Turns an error that explains itself into an outcome. */
export async function orFailed(
  run: () => Promise<Outcome>,
  onError: (code: AppError["code"]) => void = () => {},
): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "internal") throw error;
    onError(error.code);
    return failed(error.publicMessage);
  }
}

/**
 * Longest ETag to store: sent back, a longer one may exceed the server's header limit, and every request
 * would fail.
 */
const ETAG_LENGTH_MAX = 1_000;
const OK = 200;
const NOT_MODIFIED = 304;
const USUAL_HEADERS = { "accept-encoding": "gzip, zstd", "user-agent": "Kanalog/1" };
const RETRY_AFTER_MAX_MS = 24 * 60 * 60 * 1000;

/**
 * Reads the file at an address, unless it is unchanged since it was last imported.
 * @param headers the source's own, sent with each request
 */
export async function pullFile(
  { url, ...options }: { url: string } & FileOptions,
  position: SourcePosition,
  headers: Record<string, string>,
  tools: FileTools,
): Promise<Outcome> {
  const into = tools.files.newPath();
  try {
    const conditional = tools.isAgain ? {} : conditions(position);
    const requestHeaders = { ...conditional, ...USUAL_HEADERS, ...headers };
    // A 304 to an unconditional request is an error of the server: the file may never have been imported.
    const isConditional = Object.keys(requestHeaders).some((name) => name.startsWith("if-"));
    const request = { into, signal: tools.signal, headers: requestHeaders };
    const answer = await tools.download(url, request);
    if (tools.signal.aborted) return failed(INTERRUPTED);
    if ("failure" in answer) return failed(answer.failure);
    const { status } = answer;
    if (status === NOT_MODIFIED && isConditional) return NOTHING;
    if (status !== OK) {
      const failure = message("sourceStatus", { status });
      return { ...NOTHING, failure, retryAfterMs: waitOf(answer, tools) };
    }
    if (/^text\/html\b/i.test(answer.headers["content-type"] ?? "")) {
      return failed(message("sourceHtml"));
    }
    const { etag, "last-modified": lastModified } = answer.headers;
    const { isFileFault: _, ...imported } = await importOne(tools, {
      path: into,
      name: url,
      options,
    });
    if (imported.failure !== null) return imported;
    const lagMs = tools.nowMs() - Date.parse(lastModified ?? "");
    return {
      ...imported,
      position: {
        ...(etag !== null && etag.length <= ETAG_LENGTH_MAX && { etag }),
        ...(lastModified !== null && { lastModified }),
        ...(lagMs >= 0 && { lagMs }),
      },
    };
  } finally {
    tools.files.remove(into);
  }
}

function conditions({ etag, lastModified }: SourcePosition): Record<string, string> {
  return {
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(lastModified !== undefined && { "if-modified-since": lastModified }),
  };
}

/** Milliseconds to wait by `Retry-After`, in seconds or a date, at most a day; null if there is none. */
function waitOf({ headers }: Extract<Downloaded, { status: number }>, { nowMs }: FileTools) {
  const text = headers["retry-after"]?.trim() ?? "";
  if (text === "") return null;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs();
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), RETRY_AFTER_MAX_MS);
}
