import type { PostIndexing } from "../catalog/post-search/catch-up.ts";
import type { Sources } from "../catalog/sources/sources.ts";
import type { Config } from "../config.ts";
import type { Stripe } from "../customers/selling/stripe.ts";
import type { Server } from "../doors/http/server.ts";
import type { Ports } from "../ports/ports.ts";
import type { Mailer } from "../push/mail/mailer.ts";
import type { Push } from "../push/webhooks/events/due-work.ts";
import { createTicker, type Scheduler, type Ticker } from "../upkeep/jobs/scheduler.ts";
import { listenerAddress, localAddress } from "../values/network/address-ranges.ts";
import type { Services } from "../verbs/services.ts";
import { type AppOptions, type Base, composeBase } from "./compose/base.ts";
import { composeDoors, type Doors, type Running } from "./compose/doors.ts";
import { composeWork, type Work } from "./compose/work.ts";
import { type Domains, openCurrent } from "./domains.ts";
import { listen } from "./listen.ts";

/** Composition root: builds the whole appliance from the parts in the `compose-…` files beside it. */

export interface App {
  server: Server;
  /** The domains, over the writing connection. */
  domains: Domains;
  services: Services;
  scheduler: Scheduler;
  push: Push;
  mailer: Mailer;
  stripe: Stripe | null;
  sources: Sources;
  /** Tables and indexes that are backfilled in the background. */
  postIndex: PostIndexing;
  /** Flushes the request log and the hourly counters; normally a timer does this every few seconds. */
  flushRequests(): Promise<void>;
  /** Tells other nodes of a cluster what was asked for here; normally a timer does this every second. */
  shareRates(): Promise<void>;
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
  const { services, scheduler, mailer, stripe, sources, postIndex, answers, hooks } = work;
  return {
    domains: base.domains,
    services,
    scheduler,
    mailer,
    stripe,
    sources,
    postIndex,
    server: doors.server,
    flushRequests: answers.flush,
    shareRates: base.cluster.rates.tick,
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
  { server, oauthAddress, oauth }: Doors,
  running: Running,
): string {
  const port = listen(server, config, crew !== null);
  // Watched from now on, so that `/readyz` can tell what happened before it was asked.
  system.mainThreadLateness();
  running.address = listenerAddress(config.host, port);
  if (oauthAddress() !== null) void oauth.documents.probe();
  else if (config.oauth) {
    log.warn(
      {},
      "KANALOG_OAUTH is off despite its value: KANALOG_BASE_URL is not an https address",
    );
  }
  return localAddress(config.host, port);
}

function stopAll(
  { lease, cluster, database, ports }: Base,
  { mailer, scheduler, hooks, imports, sources, usage, answers, services }: Work,
  { server, afterAnswer }: Doors,
  tickers: readonly Ticker[],
): Promise<void> {
  const upkeep = { stop: lease.leave };
  const work = [
    ...[scheduler, mailer, hooks.sender, services.bulk, imports, sources],
    ...[...tickers, upkeep, cluster],
  ];
  const settled = [usage.settled, sources.settled, afterAnswer.settled, answers.settled];
  const close = async (): Promise<void> => {
    await database.close();
    await cluster.usage?.close();
  };
  return stop({ server, work, settled, close }, ports);
}

const EVERY_SECOND = "* * * * * *";
const EVERY_FIVE_SECONDS = "*/5 * * * * *";
const EVERY_FIVE_MINUTES = "0 */5 * * * *";

/** Creates the timers that look for due work, in the order in which they start: the leases come first. */
function composeTickers(
  { lease, cluster, clockWatch, database }: Base,
  { hooks, mailer, stripe, postIndex, imports, sources, answers, readAhead, scheduler }: Work,
): Ticker[] {
  const { isOwn } = cluster.upkeep;
  /** Runs only in the one process that does the upkeep for all workers and nodes. */
  const asUpkeep = (work: () => Promise<void>) => async () => {
    if (isOwn()) await work();
  };
  /** Runs only in the one worker that does the upkeep for this node. */
  const asUpkeepOfNode = (work: () => Promise<void>) => async () => {
    if (lease.isOwn()) await work();
  };
  return [
    createTicker(EVERY_SECOND, async () => void clockWatch.look()),
    createTicker(EVERY_SECOND, lease.tick),
    createTicker(EVERY_SECOND, cluster.upkeep === lease ? async () => {} : cluster.upkeep.tick),
    createTicker(EVERY_SECOND, cluster.tick),
    createTicker(EVERY_SECOND, cluster.rates.tick),
    createTicker(EVERY_SECOND, async () => {
      if (cluster.pushes()) await hooks.push.tick(isOwn());
    }),
    createTicker(EVERY_SECOND, asUpkeep(mailer.runDue)),
    ...(stripe === null ? [] : [createTicker(EVERY_FIVE_MINUTES, asUpkeep(stripe.look))]),
    createTicker(EVERY_SECOND, asUpkeepOfNode(postIndex.tick)),
    createTicker(EVERY_SECOND, asUpkeepOfNode(readAhead.tick)),
    createTicker(EVERY_FIVE_SECONDS, scheduler.followImports),
    createTicker(EVERY_FIVE_SECONDS, () => imports.tick(isOwn())),
    createTicker(EVERY_SECOND, () => (isOwn() ? sources.tick() : sources.keepAlive())),
    createTicker(EVERY_FIVE_SECONDS, answers.flush),
    createTicker(EVERY_FIVE_MINUTES, async () => database.restThreads()),
  ];
}

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

async function stop(
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
