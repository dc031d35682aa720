import type pg from "pg";
import type { Clock } from "../ports/clock.ts";
import { connectToPrimary } from "./primary.ts";

/** Delay before reconnecting; meanwhile the copy is still refreshed every second. */
const RECONNECT_AFTER_MS = 1_000;

/** Calls back whenever any node commits shared rows, until it is stopped. */
export function listenToCommits(
  url: string,
  name: string,
  clock: Clock,
  onCommit: () => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let client: pg.Client | null = null;

  async function listen(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const made = await connectToPrimary(url, name);
        client = made;
        const { promise: lost, resolve } = Promise.withResolvers<void>();
        made.on("notification", onCommit);
        made.on("error", () => resolve());
        made.on("end", () => resolve());
        await made.query("LISTEN kanalog");
        if (!stopping.signal.aborted) await lost;
      } catch {
        // Retried below, as after a lost connection.
      }
      await client?.end().catch(() => {});
      client = null;
      if (!stopping.signal.aborted) await clock.sleep(RECONNECT_AFTER_MS, stopping.signal);
    }
  }

  const listening = listen();
  return {
    async stop() {
      stopping.abort();
      await client?.end().catch(() => {});
      await listening;
    },
  };
}
