import { version } from "../../package.json";
import { createCardsReadAhead } from "../catalog/channels/read-ahead.ts";
import { createCategoryImages } from "../catalog/directory/category-images.ts";
import { createImportRuns } from "../catalog/imports/import-runs.ts";
import type { Upload } from "../catalog/imports/run-upload.ts";
import { createUploadFiles } from "../catalog/imports/upload-files.ts";
import { createSample } from "../catalog/sample/sample.ts";
import type { Sources } from "../catalog/sources/sources.ts";
import type { Config } from "../config.ts";
import { createAccounts } from "../customers/accounts/accounts.ts";
import { createKeys } from "../customers/keys/keys.ts";
import { accessTokens } from "../customers/oauth/access-tokens.ts";
import { createGetDocument } from "../customers/oauth/get-document.ts";
import { createOAuth, type OAuth } from "../customers/oauth/oauth.ts";
import { anyPassword } from "../customers/people/people.store.ts";
import type { Database } from "../db/database.ts";
import { databaseChecks } from "../db/ready-checks.ts";
import { lookReady } from "../doors/http/readiness.ts";
import {
  createBaseAddress,
  createOwnAddress,
  listenerAddress,
  oauthAddress,
} from "../doors/http/requests/base-address.ts";
import { createServer, type Server } from "../doors/http/server.ts";
import { createBundle } from "../doors/mcp/bundle/bundle.ts";
import { createDispatcher } from "../doors/mcp/dispatcher.ts";
import { createAfterAnswer } from "../doors/site/guard/after-answer.ts";
import { clientIp } from "../doors/site/guard/client-ip.ts";
import { createSetUp } from "../doors/site/guard/set-up.ts";
import type { Services } from "../methods/services.ts";
import { apiMethods, toolMethods } from "../methods/table.ts";
import type { Ports } from "../ports/ports.ts";
import { createRecentLog } from "../ports/recent-log.ts";
import { createMailer, type Mailer } from "../push/mail/mailer.ts";
import { isMailDue } from "../push/mail/mails.store.ts";
import type { Push } from "../push/webhooks/events/push.ts";
import { stalledAlertsWarning, stalledWarning } from "../push/webhooks/events/stalled-warning.ts";
import { channelWatchers } from "../push/webhooks/manage/removed-channels.store.ts";
import { createFirstSteps } from "../upkeep/first-steps/first-steps.ts";
import { backupWarning } from "../upkeep/jobs/backup-warning.ts";
import { type Builds, createBuilds } from "../upkeep/jobs/builds.ts";
import type { Scheduler } from "../upkeep/jobs/scheduler.ts";
import { createTicker } from "../upkeep/jobs/ticker.ts";
import { ALWAYS_OWN, createUpkeepLease } from "../upkeep/lease/lease.ts";
import type { Metrics } from "../upkeep/metrics/metrics.ts";
import { silentWarning } from "../upkeep/sources/silent-sources.ts";
import { createTargetGuard } from "../values/resolve-target.ts";
import { createSecretBox } from "../values/secret-box.ts";
import { composeAnswers } from "./compose-answers.ts";
import { composeCluster } from "./compose-cluster.ts";
import { composeJobs } from "./compose-jobs.ts";
import { composeLimits } from "./compose-limits.ts";
import { composeOthers } from "./compose-others.ts";
import { composeReadings } from "./compose-readings.ts";
import { composeServices } from "./compose-services.ts";
import { composeSignUp } from "./compose-sign-up.ts";
import { composeSite } from "./compose-site.ts";
import { composeSources } from "./compose-sources.ts";
import { composeStartFacts } from "./compose-start-facts.ts";
import { composeWebhooks } from "./compose-webhooks.ts";
import type { DatabaseThreads } from "./database-threads.ts";
import { type Domains, openCurrent } from "./domains.ts";
import { guides } from "./guides.ts";
import { installationSecret, requireReadableSecrets } from "./installation-secret.ts";
import { listen } from "./listen.ts";
import { openServingDatabase } from "./serving-database.ts";
import { stop } from "./stop.ts";
import type { Crew } from "./workers/crew.ts";

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

const EVERY_SECOND = "* * * * * *";
const EVERY_FIVE_SECONDS = "*/5 * * * * *";

interface AppOptions {
  open?: typeof openCurrent;
  /** The workers of which it is one; null where it serves alone. */
  crew?: Crew | null;
}

/** Builds the whole appliance; tests use it with ports of their own and a database in memory. */
export async function createApp(
  config: Config,
  given: Ports,
  { open = openCurrent, crew = null }: AppOptions = {},
): Promise<App> {
  const recentLog = createRecentLog(given.log, given.clock);
  const ports: Ports = { ...given, log: recentLog.log };
  const { clock, random, log } = ports;
  const others = composeOthers(crew);
  const metrics = await createMetrics(config, ports);
  const { counted } = metrics;

  const readSecret = installationSecret(config, random);
  const database = await openServingDatabase(
    config,
    ports,
    readSecret,
    counted,
    open,
    crew?.count ?? 1,
  );
  const { domains, db, threads } = database;
  const secret = await readSecret(db);
  const secrets = createSecretBox(secret, random);
  await requireReadableSecrets(db, secrets, config);

  const lease = crew === null ? ALWAYS_OWN : createUpkeepLease(db, threads.lease, ports);
  const cluster = composeCluster(db, domains.db, threads, config, ports, lease);
  const accounts = createAccounts(db, threads.writer);
  const keys = createKeys(db, threads.writer, random, config.oauth ? accessTokens : null);
  const { keyUse, usage, limits, commitCheck } = composeLimits(
    db,
    threads,
    ports,
    counted,
    crew?.memory.rates,
    cluster,
  );
  const hooks = composeWebhooks(
    db,
    threads,
    secrets,
    config,
    ports,
    counted,
    crew?.memory.manualAttempts,
  );
  const mailer = composeMailer(db, threads, ports);
  const { webhooks, alerts } = hooks;
  const built = { keyUse, limits, webhooks, alerts, copyNewest: cluster.copyNewest };
  const services = composeServices(db, threads, config, ports, built, crew?.memory);

  const { isOwn } = cluster.upkeep;
  /** Work that one process does for all workers and nodes. */
  const asUpkeep = (work: () => Promise<void>) => async () => {
    if (isOwn()) await work();
  };
  /** Work that one worker does for all workers of this node. */
  const asUpkeepOfNode = (work: () => Promise<void>) => async () => {
    if (lease.isOwn()) await work();
  };
  const { scheduler, newestBackup } = composeJobs(db, threads, config, ports, counted, {
    ...{ isOwn, isOwnOfNode: lease.isOwn },
  });
  const files = createUploadFiles(config.databasePath, ports);
  const { messengerHosts, postSearch, statisticsOpenDays: openDays } = config;
  const runUpload = (upload: Upload) =>
    threads.imports.runUpload({ ...upload, messengerHosts, openDays });
  const imports = createImportRuns(db, threads.writer, runUpload, files, ports, others.uploads);
  await imports.recover();
  const sources = composeSources(
    db,
    {
      changes: threads.writer,
      importSourceFile: threads.sources.importSourceFile,
      applyBatch: threads.bots.applyBatch,
    },
    async () => secrets,
    config,
    ports,
  );
  const builds = createBuilds(db, threads.jobs.buildSome, { messengerHosts, postSearch }, log);
  const answers = composeAnswers(threads, config, ports);
  const readAhead = createCardsReadAhead(threads.exports.readCardsAhead, log);
  const tickers = [
    createTicker(EVERY_SECOND, lease.look),
    createTicker(EVERY_SECOND, cluster.upkeep === lease ? async () => {} : cluster.upkeep.look),
    createTicker(EVERY_SECOND, cluster.look),
    createTicker(EVERY_SECOND, asUpkeep(hooks.push.look)),
    createTicker(EVERY_SECOND, asUpkeep(mailer.runDue)),
    createTicker(EVERY_SECOND, asUpkeepOfNode(builds.look)),
    createTicker(EVERY_SECOND, asUpkeepOfNode(readAhead.look)),
    createTicker(EVERY_FIVE_SECONDS, () => imports.look(isOwn())),
    createTicker(EVERY_FIVE_SECONDS, () => (isOwn() ? sources.look() : sources.keepOn())),
    createTicker(EVERY_FIVE_SECONDS, answers.flush),
  ];

  let address: string | null = null;
  let isStopping = false;
  const afterAnswer = createAfterAnswer(log);
  const sample = {
    ...createSample(db, clock, channelWatchers),
    remove: threads.writer.removeSample,
  };
  const firstSteps = createFirstSteps(db, threads.writer.noteStep, afterAnswer.run);
  const answerMcp = createDispatcher(toolMethods, version, services);
  const oauth = composeOAuth(db, threads, ports);
  const setUp = createSetUp(async () => !(await anyPassword(db)), ports, crew?.setUp);
  /** Parts that every door takes. */
  const door = {
    config,
    ports,
    services,
    baseAddress: createBaseAddress(config, () => address),
    oauthAddress: () => oauthAddress(config, address),
    clientIp: (request: Request) => clientIp(request, config.trustProxy, server.server),
    noteRequests: metrics.noteRequests,
    noteAnswer: answers.note,
    giveTime: (request: Request, silenceMaxS: number) =>
      server.server?.timeout(request, silenceMaxS),
  };
  const isSignUpOpen = composeSignUp(config, ports, setUp.isNeeded);
  const shared = {
    ...door,
    isSignUpOpen,
    ...{ accounts, keys, oauth, usage, imports, sources, setUp, afterAnswer, sample, firstSteps },
    webhooks: hooks.staffWebhooks,
    ownAddress: createOwnAddress(config, () => address),
    jobs: scheduler,
    builds: builds.list,
    nodes: cluster.nodes,
    lastBackup: newestBackup,
    recentErrors: () => others.errors(recentLog.entries()),
  };
  const site = composeSite(db, threads, secret, shared, crew?.memory);
  const readings = async () =>
    composeReadings(
      ...[db, database.threadLoads(), scheduler, newestBackup, cluster.lagMs?.() ?? null, ports],
    );
  const lookOwn = () =>
    lookReady(
      { ...databaseChecks(db, ports.system), usage: commitCheck, ...cluster.checks },
      {
        backup: () => backupWarning(scheduler),
        sources: () => silentWarning(db, clock.now()),
        write_lock: database.lockWarning,
        read_posts: () => stalledWarning(db, clock.now(), config.webhookBatchMs),
        alert_posts: () => stalledAlertsWarning(db, clock.now(), config.webhookBatchMs),
      },
    );
  crew?.answerWith({
    metrics: async () => metrics.json(await readings()),
    ready: lookOwn,
    errors: recentLog.entries,
    findUpload: imports.held.findOwn,
    releaseUpload: imports.held.releaseOwn,
  });
  const server: Server = createServer(apiMethods, {
    ...door,
    ...{ keys, keyUse, guides, brand: config.brand },
    others: site,
    bodies: { isStopping: () => isStopping, parseBeside: threads.bodies.parseJson },
    tickSnapshot: database.tickSnapshot,
    answerMcp(post) {
      firstSteps.noteOnce("assistant_seen");
      return answerMcp(post);
    },
    startFacts: composeStartFacts(
      threads,
      { accounts, directory: services.directory, isSignUpOpen },
      ports,
    ),
    images: createCategoryImages(db),
    openPush: sources.openPush,
    bundle: createBundle(),
    async ready() {
      const [own, rest] = await Promise.all([lookOwn(), others.ready()]);
      return { own, others: rest };
    },
    metrics: {
      contentType: metrics.contentType,
      text: async () => metrics.text(await readings(), others.metrics),
    },
  });

  return {
    ...{ server, domains, services, scheduler, mailer, sources, builds },
    flushRequests: answers.flush,
    push: hooks.push,
    setUpPath: setUp.path,
    workAfterAnswers: afterAnswer.settled,

    listen() {
      const port = listen(server, config, crew !== null);
      address = listenerAddress(config.host, port);
      if (config.oauth && door.oauthAddress() === null) {
        log.warn(
          {},
          "KANALOG_OAUTH is off in spite of its value: KANALOG_BASE_URL is no https address",
        );
      }
      scheduler.start();
      for (const ticker of tickers) ticker.start();
      return address ?? `http://localhost:${port}`;
    },

    close() {
      isStopping = true;
      const upkeep = { stop: lease.leave };
      const work = [mailer, scheduler, hooks.sender, imports, sources, ...tickers, upkeep, cluster];
      const settled = [usage.settled, sources.settled, afterAnswer.settled, answers.flush];
      const close = async (): Promise<void> => {
        await database.close();
        await cluster.usage?.close();
      };
      return stop({ server, work, settled, close }, ports);
    },
  };
}

function composeOAuth(db: Database, { writer }: DatabaseThreads, ports: Ports): OAuth {
  // Clients' documents lie on the public internet: no network of the operator's is exempt.
  const guard = createTargetGuard(ports.network.resolve, []);
  return createOAuth(db, writer, ports, createGetDocument(guard, ports.network));
}

function composeMailer(db: Database, { push }: DatabaseThreads, ports: Ports): Mailer {
  const isDue = (nowMs: number) => isMailDue(db, nowMs);
  const queue = {
    ...{ isDue, claim: push.claimMail, end: push.endMail },
    dropOld: push.dropOldMails,
  };
  return createMailer(queue, ports.mail, ports);
}

/** Loaded here, since only serving measures: each command is 30 ms shorter. */
async function createMetrics({ logLevel }: Config, ports: Ports): Promise<Metrics> {
  const metrics = await import("../upkeep/metrics/metrics.ts");
  return metrics.createMetrics(version, ports, logLevel === "debug");
}
