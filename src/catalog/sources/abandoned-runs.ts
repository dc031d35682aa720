import type { Clock } from "../../ports/clock.ts";
import { hasEnded } from "../../ports/running.ts";
import type { Source } from "./sources.table.ts";

/** Six heartbeats. */
const SILENT_MS = 60_000;

/**
 * Looks whether the process that runs a source is gone, as far as this one can tell. Clocks may be set back,
 * so the time that passes here is measured.
 * @param own name of this process
 */
export function createAbandonedRuns(own: string, clock: Clock): (source: Source) => boolean {
  /** The last heartbeat of each source of another process, and when this process first saw it. */
  const heartbeats = new Map<number, { at: number | null; sinceMs: number }>();
  return ({ id, owner, heartbeatAt }) => {
    if (owner === null || hasEnded(owner, own)) return true;
    const nowMs = clock.monotonic();
    const seen = heartbeats.get(id);
    if (seen?.at === heartbeatAt) return nowMs - seen.sinceMs > SILENT_MS;
    heartbeats.set(id, { at: heartbeatAt, sinceMs: nowMs });
    return false;
  };
}
