import type { RunParts } from "./claimed-run.ts";
import type { createRunsUnderWay } from "./runs-under-way.ts";
import { selectSource } from "./sources.store.ts";

export const HEARTBEAT_MS = 10_000;

/**
 * Looks after runs that go on in this process: stops those that are wanted no more, and says every few seconds at
 * the most that the others go on.
 * @param owner name of this process
 */
export function createSourceBeat(
  { db, changes, clock }: Pick<RunParts, "db" | "changes" | "clock">,
  owner: string,
  underWay: ReturnType<typeof createRunsUnderWay>,
): () => Promise<void> {
  let nextHeartbeatMs = 0;

  /** Stops runs of sources that were removed, or paused since they began: a paused one may be run once. */
  async function stopUnwanted(): Promise<void> {
    for (const { source: begun, stop } of underWay.all()) {
      const source = await selectSource(db, begun.id);
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
