import type { Server } from "../doors/http/server.ts";
import type { Ports } from "../ports/ports.ts";

/** How long requests and other work may take to finish during a shutdown. */
const STOP_MAX_MS = 10_000;

interface Stopping {
  server: Server;
  /** Work on timers: `stop` starts nothing new and settles once current work has finished. */
  work: readonly { stop(): unknown }[];
  /** Work started by answers: each settles once all of it has finished. */
  settled: readonly (() => Promise<unknown>)[];
  close(): Promise<void>;
}

/** Stops accepting requests, lets current work finish within the time limit, and closes everything. */
export async function stop(
  { server, work, settled, close }: Stopping,
  { clock, log }: Ports,
): Promise<void> {
  const begunMs = clock.monotonic();
  log.info({}, "stopping");
  const closing = new AbortController();
  const timeIsUp = clock.sleep(STOP_MAX_MS, closing.signal);
  await Promise.race([
    Promise.all([server.server?.stop(), ...work.map((one) => one.stop())]),
    timeIsUp,
  ]);
  // A client that never finishes its request must not keep the process alive.
  await server.server?.stop(true);
  // Awaited after the last answers, because these may have started more work.
  await Promise.race([Promise.all(settled.map((one) => one())), timeIsUp]);
  closing.abort();
  await close();
  log.info({ durationMs: Math.round(clock.monotonic() - begunMs) }, "stopped");
}
