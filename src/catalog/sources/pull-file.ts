import { message } from "../../values/messages/messages.ts";
import { INTERRUPTED } from "../imports/reading/input.ts";
import type { Downloaded } from "./download-file.ts";
import { type FileTools, importOne } from "./file-tools.ts";
import { failed, NOTHING, type Outcome } from "./outcome.ts";
import type { FileOptions, SourcePosition } from "./sources.table.ts";

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
    const imported = await importOne(tools, { path: into, name: url, options });
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
