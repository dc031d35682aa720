import type { Log } from "../../ports/log.ts";
import { LOGGED_MAX, type LoggedOfKey, type LoggedRequest } from "./request-log.store.ts";

export type { LoggedRequest } from "./request-log.store.ts";

/** Longest path to store, in characters. */
const PATH_MAX = 500;
/** Longest pending URL: a host name followed by more than is stored. */
const URL_MAX = 1_000;
/**
 * Requests that may be pending, divided among the keys; a key may briefly hold twice its share, so that
 * some tens of megabytes are used at most. With more than 500 busy keys, a share is smaller than what is
 * stored per key.
 */
const WAITING_MAX = 50_000;
/**
 * Requests per write, rounded up to whole keys; the rest waits for the next one, reduced to each key's
 * latest. A row costs 5 us on its own thread: a hundred requests of each of a thousand busy keys, every
 * five seconds, use a tenth of a core.
 */
const WRITTEN_MAX = 2_000;

/** A request, as known to the door that answered it. */
export interface AnsweredRequest extends Omit<LoggedRequest, "path" | "durationUs"> {
  url: string;
  durationMs: number;
}

/**
 * Keeps each key's latest requests in memory until they are written together, on a thread of their own: a
 * request only pays for pushing to an array. A crash loses what has not been written.
 * @param write null if the log is switched off
 */
export function createRequestLog(
  write: ((batch: readonly LoggedOfKey[]) => Promise<void>) | null,
  log: Log,
) {
  /** Ordered by waiting time, longest first. */
  const waiting = new Map<number, AnsweredRequest[]>();
  let underWay: Promise<void> = Promise.resolve();

  /** Removes keys from `waiting` until there are enough requests. */
  function take(): LoggedOfKey[] {
    const batch: LoggedOfKey[] = [];
    let rows = 0;
    for (const [keyId, requests] of waiting) {
      if (rows >= WRITTEN_MAX) break;
      const last = requests.slice(-LOGGED_MAX);
      rows += last.length;
      waiting.delete(keyId);
      batch.push({ keyId, requests: last.map(logged) });
    }
    return batch;
  }

  async function writeSome(): Promise<void> {
    if (write === null || waiting.size === 0) return;
    await write(take()).catch((error) => {
      log.warn({ err: error }, "requests could not be logged");
    });
  }

  /** Runs one write after another, whoever asks for it. */
  function flush(): Promise<void> {
    underWay = underWay.then(writeSome);
    return underWay;
  }

  return {
    note(keyId: number, answered: AnsweredRequest): void {
      if (write === null) return;
      const request = { ...answered, url: cut(answered.url) };
      const requests = waiting.get(keyId);
      if (requests === undefined) {
        waiting.set(keyId, [request]);
        return;
      }
      const share = Math.min(LOGGED_MAX, Math.ceil(WAITING_MAX / waiting.size));
      if (requests.push(request) > 2 * share) requests.splice(0, requests.length - share);
    },
    flush,
    async settled(): Promise<void> {
      do await flush();
      while (waiting.size > 0);
    },
  };
}

/** Copies the text, because a substring would keep the whole one in memory. */
function cut(url: string): string {
  return url.length <= URL_MAX ? url : Buffer.from(url.slice(0, URL_MAX)).toString();
}

function logged({ url, durationMs, ...request }: AnsweredRequest): LoggedRequest {
  const path = /^[a-z]+:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? url;
  return { ...request, path: path.slice(0, PATH_MAX), durationUs: Math.round(durationMs * 1000) };
}
