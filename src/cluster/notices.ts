import type pg from "pg";
import type { Clock } from "../ports/clock.ts";
import { connectToPrimary } from "./connection.ts";

/** The channel on which every commit of shared rows is announced. */
export const COMMITS_CHANNEL = "kanalog";

/** Delay before reconnecting; meanwhile the copy is still refreshed every second. */
const RECONNECT_AFTER_MS = 1_000;

const SEND = "SELECT pg_notify($1, payload) FROM unnest($2::text[]) payload";

export interface Notices {
  /** Sends to all who listen, oneself included. Never throws; nothing is sent while there is no connection. */
  send(channel: string, payloads: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Listens to notifications until it is stopped.
 * @param onNotice by channel
 */
export function listenToNotices(
  url: string,
  name: string,
  clock: Clock,
  onNotice: Readonly<Record<string, (payload: string) => void>>,
): Notices {
  const stopping = new AbortController();
  let client: pg.Client | null = null;

  async function listen(): Promise<void> {
    while (!stopping.signal.aborted) {
      let made: pg.Client | null = null;
      try {
        made = await connectToPrimary(url, name);
        const { promise: lost, resolve } = Promise.withResolvers<void>();
        made.on("notification", ({ channel, payload }) => onNotice[channel]?.(payload ?? ""));
        made.on("error", () => resolve());
        made.on("end", () => resolve());
        await made.query(
          Object.keys(onNotice)
            .map((channel) => `LISTEN ${channel}`)
            .join("; "),
        );
        client = made;
        if (!stopping.signal.aborted) await lost;
      } catch {
        // Retried below, as after a lost connection.
      }
      client = null;
      await made?.end().catch(() => {});
      if (!stopping.signal.aborted) await clock.sleep(RECONNECT_AFTER_MS, stopping.signal);
    }
  }

  const listening = listen();
  return {
    async send(channel, payloads) {
      const used = client;
      try {
        await used?.query({ name: "notify", text: SEND, values: [channel, payloads] });
      } catch {
        // A server that does not answer this one does not announce commits either.
        await used?.end().catch(() => {});
      }
    },
    async stop() {
      stopping.abort();
      await client?.end().catch(() => {});
      await listening;
    },
  };
}
