import type { Clock } from "./clock.ts";
import { hasEnded } from "./system.ts";

interface OwnedWork {
  owner: string | null;
  heartbeatAt: number | null;
}

/**
 * Tells whether work is abandoned: its process has ended, or has sent no heartbeat for too long. Silence is
 * measured by this process's own passing of time, because wall clocks may be set back.
 * @param own name of this process (`processName`)
 * @param silentMs longest time between two heartbeats of a process that works
 */
export function createIsAbandoned(
  own: string,
  silentMs: number,
  clock: Clock,
): (id: number | string, work: OwnedWork) => boolean {
  /** Each work's owner and last heartbeat, and when this process first saw that heartbeat. */
  const heartbeats = new Map<
    number | string,
    { owner: string; at: number | null; sinceMs: number }
  >();
  return (id, { owner, heartbeatAt }) => {
    if (owner === null || hasEnded(owner, own)) return true;
    const nowMs = clock.monotonic();
    const seen = heartbeats.get(id);
    if (seen?.at === heartbeatAt && seen.owner === owner) return nowMs - seen.sinceMs > silentMs;
    heartbeats.set(id, { owner, at: heartbeatAt, sinceMs: nowMs });
    return false;
  };
}
