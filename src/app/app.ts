import type { PostIndexing } from "../catalog/post-search/catch-up.ts";
import type { Sources } from "../catalog/sources/sources.ts";
import type { Config } from "../config.ts";
import type { Server } from "../doors/http/server.ts";
import type { Ports } from "../ports/ports.ts";
import type { Mailer } from "../push/mail/mailer.ts";
import type { Push } from "../push/webhooks/events/push.ts";
import type { Scheduler } from "../upkeep/jobs/scheduler.ts";
import type { Ticker } from "../upkeep/jobs/ticker.ts";
import { listenerAddress, localAddress } from "../values/listener-address.ts";
import type { Services } from "../verbs/services.ts";
import { type AppOptions, type Base, composeBase } from "./compose-base.ts";
import { composeDoors, type Doors, type Running } from "./compose-doors.ts";
import { composeTickers } from "./compose-tickers.ts";
import { composeWork, type Work } from "./compose-work.ts";
import { type Domains, openCurrent } from "./domains.ts";
import { listen } from "./listen.ts";
import { stop } from "./stop.ts";

/** Composition root: builds the whole appliance from the parts in the `compose-…` files beside it. */

export interface App {
  server: Server;
  /** The domains, over the writing connection. */
  domains: Domains;
  services: Services;
  scheduler: Scheduler;
  /** Webhook work that runs on a timer. */
  push: Push;
  mailer: Mailer;
  sources: Sources;
  /** Tables and indexes that are backfilled in the background. */
  postIndex: PostIndexing;
  /** Flushes the request log and the hourly counters; normally a timer does this every few seconds. */
  flushRequests(): Promise<void>;
  /**
   * Starts the server, the scheduler and the timers. @returns an address under which this machine can reach
   * it
   */
  listen(): string;
  /** Path of the set-up page while the appliance has no account yet; null afterwards. */
  setUpPath(): Promise<string | null>;
  /** Settles once all work that outlives its response has finished. */
  workAfterAnswers(): Promise<void>;
  /** Stops accepting requests, finishes those in progress, commits their usage, and closes everything. */
  close(): Promise<void>;
}

/** Builds the whole appliance. Tests pass their own ports and an in-memory database. */
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
  const { services, scheduler, mailer, sources, postIndex, answers, hooks } = work;
  return {
    ...{ domains: base.domains, services, scheduler, mailer, sources, postIndex },
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

/** @returns an address under which this machine can reach the server */
function startListening(
  { config, crew, ports: { log, system } }: Base,
  { server, oauthAddress }: Doors,
  running: Running,
): string {
  const port = listen(server, config, crew !== null);
  // Watched from now on, so that `/readyz` can tell what happened before it was asked.
  system.mainThreadLateness();
  running.address = listenerAddress(config.host, port);
  if (config.oauth && oauthAddress() === null) {
    log.warn(
      {},
      "KANALOG_OAUTH is off despite its value: KANALOG_BASE_URL is not an https address",
    );
  }
  return localAddress(config.host, port);
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
