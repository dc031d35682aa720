import { version } from "../../package.json";
import { createCategoryImages } from "../catalog/directory/category-images.ts";
import { createImportRuns } from "../catalog/imports/import-runs.ts";
import { createUploadFiles } from "../catalog/imports/upload-files.ts";
import type { Config } from "../config.ts";
import { createAccounts } from "../customers/accounts/accounts.ts";
import { createKeys } from "../customers/keys/keys.ts";
import { anyPerson } from "../customers/people/people.store.ts";
import { checkpointWhole, leavesCheckpoints } from "../db/checkpoint.ts";
import { onLockHeld } from "../db/lock-holds.ts";
import { createLockWatch } from "../db/lock-watch.ts";
import { createTickSnapshots, withoutTickSnapshots } from "../db/read-transaction.ts";
import { databaseChecks } from "../db/ready-checks.ts";
import { createSlowLog } from "../db/slow-log.ts";
import {
  createBaseAddress,
  createOwnAddress,
  listenerAddress,
} from "../doors/http/requests/base-address.ts";
import { createServer, type Server } from "../doors/http/server.ts";
import { createDispatcher } from "../doors/mcp/dispatcher.ts";
import { REQUEST_BYTES_MAX } from "../doors/site/forms/read-multipart.ts";
import { createAfterAnswer } from "../doors/site/guard/after-answer.ts";
import { clientIp } from "../doors/site/guard/client-ip.ts";
import { createSetUp } from "../doors/site/guard/set-up.ts";
import { AppError } from "../errors.ts";
import type { Services } from "../methods/services.ts";
import { apiMethods, toolMethods } from "../methods/table.ts";
import type { Ports } from "../ports/ports.ts";
import { createRecentLog } from "../ports/recent-log.ts";
import { createMailer, type Mailer } from "../push/mail/mailer.ts";
import { isMailDue } from "../push/mail/mails.store.ts";
import type { Push } from "../push/webhooks/events/push.ts";
import { stalledWarning } from "../push/webhooks/events/stalled-warning.ts";
import { createSecretBox } from "../push/webhooks/manage/secret-box.ts";
import { backupWarning } from "../upkeep/jobs/backup-warning.ts";
import type { Scheduler } from "../upkeep/jobs/scheduler.ts";
import { createTicker } from "../upkeep/jobs/ticker.ts";
import type { Metrics } from "../upkeep/metrics/metrics.ts";
import { message } from "../values/messages/messages.ts";
import { composeJobs } from "./compose-jobs.ts";
import { composeLimits } from "./compose-limits.ts";
import { composeReadings } from "./compose-readings.ts";
import { composeServices } from "./compose-services.ts";
import { composeSite } from "./compose-site.ts";
import { composeWebhooks } from "./compose-webhooks.ts";
import { databaseThreads, servingConnection } from "./database-threads.ts";
import { type Domains, openDomains } from "./domains.ts";
import { guides } from "./guides.ts";
import { installationSecret, requireReadableSecrets } from "./installation-secret.ts";

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
  /** Starts listening and the scheduler. @returns the address */
  listen(): string;
  /** Where an empty appliance is set up, or null where there is somebody. */
  setUpPath(): Promise<string | null>;
  /** Settles when all that answers did not wait for has ended. */
  workAfterAnswers(): Promise<void>;
  /** Stops accepting, finishes what is under way, commits what was counted, closes all. */
  close(): Promise<void>;
}

/** Requests and work under way have so long to end when the appliance is told to stop. */
const STOP_MAX_MS = 10_000;
const EVERY_SECOND = "* * * * * *";
const EVERY_FIVE_SECONDS = "*/5 * * * * *";
/**
 * A connection may say nothing for so long, and a request take so long, however many bytes of its
 * body come: a test of a webhook takes up to 10 seconds.
 */
const IDLE_MAX_S = 30;
/** For the 2 GiB of an upload, at 5 megabits a second. */
const UPLOAD_MAX_S = 60 * 60;

/** Builds the whole appliance; tests use it with ports of their own and a database in memory. */
export async function createApp(config: Config, given: Ports): Promise<App> {
  const recentLog = createRecentLog(given.log, given.clock);
  const ports: Ports = { ...given, log: recentLog.log };
  const { clock, random, log } = ports;
  const readSecret = installationSecret(config, random);
  const domains = await openDomains(config, ports, readSecret);
  const db = servingConnection(config, clock, domains.db);
  if (db !== domains.db) leavesCheckpoints(domains.db);
  const metrics = await createMetrics(config, ports);
  const lockWatch = createLockWatch(ports, metrics.counted.lockHolds);
  const noteSlow = createSlowLog(ports);
  for (const connection of new Set([db, domains.db])) {
    onLockHeld(connection, lockWatch.note);
    connection.onSlow((sql, tookMs) => noteSlow("main", sql, tookMs));
  }
  const { threads, threadLoads, endThreads } = databaseThreads(config, clock, db, {
    noteHold: lockWatch.note,
    noteSlow,
  });

  const accounts = createAccounts(db, threads.writer);
  const keys = createKeys(db, threads.writer, random);
  const { keyUse, usage, limits, commitCheck } = composeLimits(db, threads, ports, metrics.counted);
  const secret = await readSecret(db);
  const secrets = createSecretBox(secret, random);
  await requireReadableSecrets(db, secrets, config);
  const { sender, push, webhooks, staffWebhooks } = composeWebhooks(
    db,
    threads,
    secrets,
    config,
    ports,
    metrics.counted,
  );
  const mailer = createMailer(
    {
      isDue: (nowMs) => isMailDue(db, nowMs),
      claim: threads.push.claimMail,
      end: threads.push.endMail,
    },
    ports.mail,
    ports,
  );
  const services = composeServices(db, threads, config, { keyUse, limits, webhooks });
  const { scheduler, newestBackup } = composeJobs(db, threads, config, ports, metrics.counted);

  const imports = createImportRuns(
    db,
    threads.writer,
    threads.imports.runUpload,
    createUploadFiles(config.databasePath, ports),
    ports,
  );
  await imports.recover();
  const tickers = [
    createTicker(EVERY_SECOND, push.look),
    createTicker(EVERY_SECOND, mailer.runDue),
    createTicker(EVERY_FIVE_SECONDS, imports.look),
  ];

  let address: string | null = null;
  const baseAddress = createBaseAddress(config, () => address);
  const afterAnswer = createAfterAnswer(log);
  const setUp = createSetUp(async () => !(await anyPerson(db)), ports);
  /** Parts that every door takes. */
  const door = {
    config,
    ports,
    services,
    baseAddress,
    clientIp: (request: Request) => clientIp(request, config.trustProxy, server.server),
    noteRequests: metrics.noteRequests,
  };
  const site = composeSite(db, domains, threads, secret, {
    ...door,
    accounts,
    keys,
    webhooks: staffWebhooks,
    ownAddress: createOwnAddress(config, () => address),
    giveTime: (request) => server.server?.timeout(request, UPLOAD_MAX_S),
    imports,
    setUp,
    afterAnswer,
    jobs: scheduler,
    lastBackup: newestBackup,
    recentErrors: recentLog.entries,
  });

  let isStopping = false;
  const server: Server = createServer(apiMethods, {
    ...door,
    bodies: {
      isStopping: () => isStopping,
      parseBeside: threads.bodies.parseJson,
    },
    tickSnapshot: db === domains.db ? withoutTickSnapshots : createTickSnapshots(db, clock),
    keys,
    keyUse,
    others: site,
    guides,
    answerMcp: createDispatcher(toolMethods, version),
    images: createCategoryImages(db),
    readyChecks: { ...databaseChecks(db, ports.system), usage: commitCheck },
    readyWarnings: {
      backup: () => backupWarning(scheduler),
      write_lock: lockWatch.warning,
      read_posts: () => stalledWarning(db, clock.now(), config.webhookBatchMs),
    },
    metrics: {
      contentType: metrics.contentType,
      text: async () =>
        metrics.text(await composeReadings(db, threadLoads(), scheduler, newestBackup, ports)),
    },
  });

  return {
    server,
    domains,
    services,
    scheduler,
    push,
    mailer,

    listen() {
      try {
        // With it two processes would share the port, and each answer some of the requests.
        server.listen({
          hostname: config.host,
          port: config.port,
          reusePort: false,
          development: false,
          idleTimeout: IDLE_MAX_S,
          // Each route has a limit of its own; a body that it does not read is not kept either.
          maxRequestBodySize: REQUEST_BYTES_MAX,
        });
      } catch (cause) {
        const place = `${config.host}:${config.port}`;
        const said = message("cannotListen", { place, reason: reasonOf(cause) });
        throw new AppError("unavailable", said, { cause });
      }
      const port = server.server?.port ?? config.port;
      address = listenerAddress(config.host, port);
      scheduler.start();
      for (const ticker of tickers) ticker.start();
      return address ?? `http://localhost:${port}`;
    },

    setUpPath: setUp.path,
    workAfterAnswers: afterAnswer.settled,

    async close() {
      const toldAtMs = clock.monotonic();
      log.info({}, "stopping");
      isStopping = true;
      const closing = new AbortController();
      const timeIsUp = clock.sleep(STOP_MAX_MS, closing.signal);
      mailer.stop();
      await Promise.race([
        Promise.all([
          server.server && server.stop(),
          scheduler.stop(),
          sender.stop(),
          imports.stop(),
          ...tickers.map((ticker) => ticker.stop()),
        ]),
        timeIsUp,
      ]);
      // A client that never ends its request must not keep the process alive.
      if (server.server) await server.stop(true);
      // Only now: the last answers have begun work of theirs.
      await Promise.race([Promise.all([usage.settled(), afterAnswer.settled()]), timeIsUp]);
      closing.abort();
      await endThreads();
      if (db !== domains.db) db.close();
      try {
        checkpointWhole(domains.db);
      } catch (error) {
        log.warn({ err: error }, "the last checkpoint of the write-ahead log failed");
      }
      domains.db.close();
      log.info({ durationMs: Math.round(clock.monotonic() - toldAtMs) }, "stopped");
    },
  };
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/[.\s]+$/, "") : String(cause);
}

/** Loaded here, since only serving measures: each command is 30 ms shorter. */
async function createMetrics({ logLevel }: Config, ports: Ports): Promise<Metrics> {
  const metrics = await import("../upkeep/metrics/metrics.ts");
  return metrics.createMetrics(version, ports, logLevel === "debug");
}
