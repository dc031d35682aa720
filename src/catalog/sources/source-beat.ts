import type { RunParts } from "./claimed-run.ts";
import type { createRunsUnderWay } from "./runs-under-way.ts";
import { selectSource } from "./sources.store.ts";

export const HEARTBEAT_MS = 10_000;

/**
 * Looks after this process's runs: stops those no longer wanted, and sends the heartbeat for the others, at
 * most every `HEARTBEAT_MS`.
 * @param owner name of this process
 */
export function createSourceBeat(
  { db, changes, clock }: Pick<RunParts, "db" | "changes" | "clock">,
  owner: string,
  underWay: ReturnType<typeof createRunsUnderWay>,
): () => Promise<void> {
  let nextHeartbeatMs = 0;

  /** Stops runs of sources removed or paused since; one paused before is being run by hand. */
  async function stopUnwanted(): Promise<void> {
    for (const { source: begun, stop } of underWay.all()) {
      const source = await selectSource(db, { id: begun.id });
      if (source === undefined || (source.isPaused && !begun.isPaused)) stop();
    }
  }

  return async () => {
    await stopUnwanted();
    if (underWay.all().length === 0 || clock.monotonic() < nextHeartbeatMs) return;
    nextHeartbeatMs = clock.monotonic() + HEARTBEAT_MS;
    await changes.sourceHeartbeat(owner);
  };
}
