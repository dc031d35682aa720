import type { Sources } from "../catalog/sources/sources.ts";
import type { Config } from "../config.ts";
import { listenerAddress } from "../doors/http/requests/base-address.ts";
import type { Server } from "../doors/http/server.ts";
import type { Services } from "../methods/services.ts";
import type { Ports } from "../ports/ports.ts";
import type { Mailer } from "../push/mail/mailer.ts";
import type { Push } from "../push/webhooks/events/push.ts";
import type { Builds } from "../upkeep/jobs/builds.ts";
import type { Scheduler } from "../upkeep/jobs/scheduler.ts";
import type { Ticker } from "../upkeep/jobs/ticker.ts";
import { type AppOptions, type Base, composeBase } from "./compose-base.ts";
import { composeDoors, type Doors, type Running } from "./compose-doors.ts";
import { composeTickers } from "./compose-tickers.ts";
import { composeWork, type Work } from "./compose-work.ts";
import { type Domains, openCurrent } from "./domains.ts";
import { listen } from "./listen.ts";
import { stop } from "./stop.ts";

/** The composition root: with its parts beside it (`compose-…`), it builds and wires the rest. */

export interface App {
  server: Server;
  /** The domains on a connection that writes. */
  domains: Domains;
  services: Services;
  scheduler: Scheduler;
  /** Work for webhooks that is due by the clock. */
  push: Push;
  mailer: Mailer;
  sources: Sources;
  /** Tables and indexes that are filled in the background. */
  builds: Builds;
  /** Writes the log of requests and the hour, as is done every few seconds. */
  flushRequests(): Promise<void>;
  /** Starts listening and the scheduler. @returns the address */
  listen(): string;
  /** Path at which an empty appliance is set up; null where there is somebody. */
  setUpPath(): Promise<string | null>;
  /** Settles when all that answers did not wait for has ended. */
  workAfterAnswers(): Promise<void>;
  /** Stops accepting, finishes what is under way, commits what was counted, closes all. */
  close(): Promise<void>;
}

/** Builds the whole appliance; tests use it with ports of their own and a database in memory. */
export async function createApp(
  config: Config,
  given: Ports,
  { open = openCurrent, crew = null }: Partial<AppOptions> = {},
): Promise<App> {
  const base = await composeBase(config, given, { open, crew });
  const work = await composeWork(base);
  const running: Running = { address: null, isStopping: false };
  const doors = composeDoors(base, work, running);
  const tickers = composeTickers(base, work);
  const { services, scheduler, mailer, sources, builds, answers, hooks } = work;
  return {
    ...{ domains: base.domains, services, scheduler, mailer, sources, builds },
    server: doors.server,
    flushRequests: answers.flush,
    push: hooks.push,
    setUpPath: doors.setUp.path,
    workAfterAnswers: doors.afterAnswer.settled,

    listen() {
      const address = startListening(base, doors, running);
      scheduler.start();
      for (const ticker of tickers) ticker.start();
      return address;
    },

    close() {
      running.isStopping = true;
      return stopAll(base, work, doors, tickers);
    },
  };
}

/** @returns an address at which this machine answers */
function startListening(
  { config, crew, ports: { log } }: Base,
  { server, oauthAddress }: Doors,
  running: Running,
): string {
  const port = listen(server, config, crew !== null);
  running.address = listenerAddress(config.host, port);
  if (config.oauth && oauthAddress() === null) {
    log.warn(
      {},
      "KANALOG_OAUTH is off in spite of its value: KANALOG_BASE_URL is no https address",
    );
  }
  return running.address ?? `http://localhost:${port}`;
}

function stopAll(
  { lease, cluster, database, ports }: Base,
  { mailer, scheduler, hooks, imports, sources, usage, answers }: Work,
  { server, afterAnswer }: Doors,
  tickers: readonly Ticker[],
): Promise<void> {
  const upkeep = { stop: lease.leave };
  const work = [mailer, scheduler, hooks.sender, imports, sources, ...tickers, upkeep, cluster];
  const settled = [usage.settled, sources.settled, afterAnswer.settled, answers.settled];
  const close = async (): Promise<void> => {
    await database.close();
    await cluster.usage?.close();
  };
  return stop({ server, work, settled, close }, ports);
}
