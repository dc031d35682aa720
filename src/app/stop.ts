import type { Server } from "../doors/http/server.ts";
import type { Ports } from "../ports/ports.ts";

/** Requests and work under way have so long to end when the appliance is told to stop. */
const STOP_MAX_MS = 10_000;

interface Stopping {
  server: Server;
  /** Work that begins by itself: each begins nothing more, and settles when what is under way has ended. */
  work: readonly { stop(): unknown }[];
  /** Work that answers began: settles when all of it has ended. */
  settled: readonly (() => Promise<unknown>)[];
  close(): Promise<void>;
}

/** Stops accepting, finishes what is under way, as far as there is time, and closes all. */
export async function stop(
  { server, work, settled, close }: Stopping,
  { clock, log }: Ports,
): Promise<void> {
  const toldAtMs = clock.monotonic();
  log.info({}, "stopping");
  const closing = new AbortController();
  const timeIsUp = clock.sleep(STOP_MAX_MS, closing.signal);
  await Promise.race([
    Promise.all([server.server && server.stop(), ...work.map((one) => one.stop())]),
    timeIsUp,
  ]);
  // A client that never ends its request must not keep the process alive.
  if (server.server) await server.stop(true);
  // Work is awaited after the last answers, which may have begun some.
  await Promise.race([Promise.all(settled.map((one) => one())), timeIsUp]);
  closing.abort();
  await close();
  log.info({ durationMs: Math.round(clock.monotonic() - toldAtMs) }, "stopped");
}
