import type { Log } from "../../ports/log.ts";
import { LOGGED_MAX, type LoggedOfKey, type LoggedRequest } from "./request-log.store.ts";

export type { LoggedRequest } from "./request-log.store.ts";

/** Longest path that is kept, in characters. */
const PATH_MAX = 500;
/** Longest address that waits: a host's name, and behind it more than is kept. */
const URL_MAX = 1_000;
/**
 * Requests of all keys that wait, before they hold twice as many: some tens of megabytes. Where more than 500
 * keys are busy, each one's share is less than what is kept of it.
 */
const WAITING_MAX = 50_000;
/**
 * Requests written at a time; the rest waits for the next time, of each key its last ones. A row costs 5 us
 * on a thread of its own: a hundred of each of a thousand busy keys, every five seconds, a tenth of a core.
 */
const WRITTEN_MAX = 2_000;

/** A request as the door that answered it knows it. */
export interface AnsweredRequest {
  at: number;
  verb: string;
  /** Its full address. */
  url: string;
  status: number;
  durationMs: number;
  units: number;
}

/**
 * Keeps the last requests of each key in memory until they are written together, on a thread of their
 * own: a request pays for one array's push. A crash takes what was not written yet.
 * @param write null where the log is switched off
 */
export function createRequestLog(
  write: ((batch: readonly LoggedOfKey[]) => Promise<void>) | null,
  log: Log,
) {
  /** The key that waits longest is first. */
  const waiting = new Map<number, AnsweredRequest[]>();
  let underWay: Promise<void> = Promise.resolve();

  /** Takes keys until they have enough requests. */
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

  /** One write after the other, whoever asks for it. */
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
    /** Writes what waits longest. Never throws. */
    flush,
    /** Writes all that waits. Never throws. */
    async settled(): Promise<void> {
      do await flush();
      while (waiting.size > 0);
    },
  };
}

/** A copy, since a part of a text keeps the whole in memory. */
function cut(url: string): string {
  return url.length <= URL_MAX ? url : Buffer.from(url.slice(0, URL_MAX)).toString();
}

function logged({ url, durationMs, ...request }: AnsweredRequest): LoggedRequest {
  const path = /^[a-z]+:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? url;
  return { ...request, path: path.slice(0, PATH_MAX), durationUs: Math.round(durationMs * 1000) };
}
