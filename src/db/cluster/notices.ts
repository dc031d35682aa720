import type pg from "pg";
import type { Clock } from "../../ports/clock.ts";
import { connectToPrimary } from "./primary.ts";

/** After a connection was lost; copies are looked at every second meanwhile. */
const AGAIN_MS = 1_000;

/** Calls back whenever shared rows were committed, by whichever node. @returns what ends it */
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
        // Looked for again, as after a connection that was lost.
      }
      await client?.end().catch(() => {});
      client = null;
      if (!stopping.signal.aborted) await clock.sleep(AGAIN_MS, stopping.signal);
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
