import { hkdfSync } from "node:crypto";
import { version } from "../package.json";
import { type Accounts, createAccounts } from "./accounts/accounts.ts";
import { createAuditLog } from "./audit/audit-log.ts";
import { createChannels } from "./channels/channels.ts";
import type { Config } from "./config.ts";
import { closeDatabase, type Database, IN_MEMORY, openDatabase } from "./db/database.ts";
import { readMeta } from "./db/meta.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "./db/migrate.ts";
import { inlineThreads, startThreads, type Threads } from "./db/threads.ts";
import { createCategoryImages } from "./directory/category-images.ts";
import { createDirectory } from "./directory/directory.ts";
import { AppError } from "./errors.ts";
import { createBaseAddress, createClientAddress, listenerAddress } from "./http/base-address.ts";
import { requestIdOf } from "./http/request-id.ts";
import { createServer, type Server } from "./http/server.ts";
import { createImportRuns } from "./imports/import-runs.ts";
import { loadShippedDirectories } from "./imports/shipped-directories.ts";
import { createUploadFiles } from "./imports/upload-files.ts";
import { claimJobNow, selectJobRuns } from "./jobs/jobs.store.ts";
import { jobTable } from "./jobs/jobs.ts";
import { createScheduler, type Scheduler } from "./jobs/scheduler.ts";
import { createTicker } from "./jobs/ticker.ts";
import { createKeyUse } from "./keys/key-use.ts";
import { createKeys, type Keys } from "./keys/keys.ts";
import { createLimits } from "./limits/limits.ts";
import { createRates } from "./limits/rates.ts";
import { createUsageStore } from "./limits/usage.store.ts";
import { createUsage, type Usage } from "./limits/usage.ts";
import { createMailer, type Mailer } from "./mail/mailer.ts";
import { isMailDue } from "./mail/mails.store.ts";
import { createMails } from "./mail/mails.ts";
import { createDispatcher } from "./mcp/dispatcher.ts";
import { createCursors } from "./methods/cursor.ts";
import type { Services } from "./methods/services.ts";
import { apiMethods, toolMethods } from "./methods/table.ts";
import {
  importOperations,
  jobOperations,
  peopleOperations,
  pushOperations,
  readOperations,
  sessionOperations,
  writeOperations,
} from "./operations.ts";
import type { AuthSettings } from "./people/auth.ts";
import { createOperatorPeople, type OperatorPeople } from "./people/operator-people.ts";
import { anyPerson, selectPeople } from "./people/people.store.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ports } from "./ports/ports.ts";
import type { Random } from "./ports/random.ts";
import { createRecentLog } from "./ports/recent-log.ts";
import { createPosts } from "./posts/posts.ts";
import { createAfterAnswer } from "./site/after-answer.ts";
import { createAttempts } from "./site/attempts.ts";
import { clientAddress } from "./site/client-address.ts";
import { limitHashing } from "./site/hashing-queue.ts";
import { REQUEST_BYTES_MAX } from "./site/read-upload.ts";
import { createSetUp } from "./site/set-up.ts";
import { siteRoutes } from "./site/site.ts";
import { createMakeAttempt } from "./webhooks/attempt.ts";
import { createPush, type Push } from "./webhooks/push.ts";
import { createTargetGuard } from "./webhooks/resolve-target.ts";
import { createSecretBox, type SecretBox } from "./webhooks/secret-box.ts";
import { makeSecretFile, readSecretFile, secretPath } from "./webhooks/secret-file.ts";
import { createSender } from "./webhooks/sender.ts";
import { createStaffWebhooks, type StaffWebhooks } from "./webhooks/staff-webhooks.ts";
import { activeWebhooks, anyWebhook, resumeWebhooks } from "./webhooks/webhooks.store.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

/** The composition root: the only file that builds and wires what the others declare. */

/** What commands work on: a connection that writes, and the domains over it. */
export interface Domains {
  db: Database;
  clock: Clock;
  accounts: Accounts;
  keys: Keys;
  usage: Pick<Usage, "used">;
  webhooks: StaffWebhooks;
  people: OperatorPeople;
}

export interface App {
  server: Server;
  /** The domains on a connection that writes. */
  domains: Domains;
  services: Services;
  scheduler: Scheduler;
  /** What webhooks and mails do by the clock. */
  push: Push;
  mailer: Mailer;
  /** Starts listening and the scheduler. @returns the address */
  listen(): string;
  /** Where an empty appliance is set up, or null where there is somebody. */
  setUpPath(): string | null;
  /** Settles when all that answers did not wait for has ended. */
  workAfterAnswers(): Promise<void>;
  /** Stops accepting, finishes what is under way, commits what was counted, closes all. */
  close(): Promise<void>;
}

/** What is under way when the appliance is told to stop has so long to end. */
const STOP_MAX_MS = 10_000;
/** Threads that may run slow queries at once; one more slow query waits for a free one. */
const READER_THREADS = 4;
const EVERY_SECOND = "* * * * * *";
/** A connection may say nothing for so long: a test of a webhook takes up to 10 seconds. */
const IDLE_MAX_S = 30;

/** Opens the database, brings it to this program's schema, and builds the domains over it. */
export function openDomains(config: Config, ports: Ports): Promise<Domains> {
  return buildDomains(config, ports, installationSecret(config, ports.random));
}

async function buildDomains(
  config: Config,
  { clock, random }: Ports,
  secret: (db: Database) => string,
): Promise<Domains> {
  const db = openDatabase(config.databasePath, clock);
  try {
    await migrate(db, clock);
    await loadShippedDirectories(db, clock);
  } catch (error) {
    closeDatabase(db);
    throw error;
  }
  const accounts = createAccounts(db, clock, (id) => resumeWebhooks(db, id));
  return {
    db,
    clock,
    accounts,
    keys: createKeys(db, accounts, clock, random),
    usage: createUsageStore(db),
    webhooks: createStaffWebhooks(db, clock),
    people: createOperatorPeople(db, clock, () => authSettings(secret(db))),
  };
}

/** Builds the whole appliance; tests use it with ports of their own and a database in memory. */
export async function createApp(config: Config, given: Ports): Promise<App> {
  const recentLog = createRecentLog(given.log, given.clock);
  const ports: Ports = { ...given, log: recentLog.log };
  const { clock, random, log, network } = ports;
  const secret = installationSecret(config, random);
  const domains = await buildDomains(config, ports, secret);
  const db = readingConnection(config, clock, domains.db);
  const threads = databaseThreads(config, clock, db);

  const keys = createKeys(db, createAccounts(db, clock, refuseChange), clock, random);
  const keyUse = createKeyUse();
  const usage = createUsage(db, async (entries) => {
    const keyUses = keyUse.take();
    try {
      return await threads.writer.run("commitUsage", { entries, keyUses });
    } catch (error) {
      keyUse.giveBack(keyUses);
      log.warn({ err: error, entries: entries.length }, "usage could not be committed");
      throw error;
    }
  });
  const limits = createLimits(createRates(), usage);
  const secrets = createSecretBox(secret(db), random);
  requireReadableSecrets(db, secrets, config);
  const guard = createTargetGuard(network.resolve, config.webhookAllow);
  const sender = createSender(
    {
      exchange: (argument) => threads.push.run("exchange", argument),
      release: (claims) => threads.push.run("releaseClaims", claims),
    },
    createMakeAttempt(guard, network, secrets, clock),
    config.webhookRetriesMs,
    ports,
  );
  const push = createPush(
    db,
    {
      lookAfterWebhooks: (argument) => threads.push.run("lookAfterWebhooks", argument),
      cutPart: (part) => threads.push.run("cutPart", part),
      leavePart: (part) => threads.push.run("leavePart", part),
      disableFailed: () => threads.push.run("disableFailed", null),
    },
    sender,
    config.webhookBatchMs,
    ports,
  );
  const mailer = createMailer(
    {
      isDue: (nowMs) => isMailDue(db, nowMs),
      claim: (claim) => threads.push.run("claimMail", claim),
      end: (ended) => threads.push.run("endMail", ended),
    },
    ports.mail,
    ports,
  );
  const services: Services = {
    directory: createDirectory(db),
    channels: createChannels(db, config.messengerHosts, (selection) =>
      threads.readers.run("selectCatalog", selection),
    ),
    statistics: { daily: (selection) => threads.readers.run("selectDailyStatistics", selection) },
    posts: createPosts(db, (selection) => threads.readers.run("selectPosts", selection)),
    keyUse,
    limits,
    usageHistory: { days: (selection) => threads.readers.run("selectUsage", selection) },
    webhooks: createWebhooks(
      db,
      {
        add: (input) => threads.writer.run("addWebhook", input),
        change: (input) => threads.writer.run("changeWebhook", input),
        remove: (own) => threads.push.run("removeWebhook", own),
        rotate: (input) => threads.writer.run("rotateSecret", input),
        startTest: (input) => threads.writer.run("startTest", input),
        startResend: (input) => threads.writer.run("startResend", input),
      },
      guard,
      secrets,
      sender,
      ports,
    ),
    cursors: createCursors(readMeta(db, "cursor_secret")),
  };
  const scheduler = createScheduler(
    jobTable({
      closeDay: (day) => threads.jobs.run("closeDay", day),
      recount: () => threads.jobs.run("recount", null),
      optimizeSearch: () => threads.jobs.run("optimizeSearch", null),
      pruneUsage: (today) => threads.jobs.run("pruneUsage", today),
      pruneDeliveries: () => threads.jobs.run("pruneDeliveries", null),
    }),
    {
      claim: (claim) => threads.jobs.run("claimJob", claim),
      // Not on the jobs' thread, where whoever asks would wait for the job under way.
      claimNow: (claim) => claimJobNow(domains.db, clock, claim),
      runs: () => selectJobRuns(db),
      end: (end) => threads.jobs.run("endJob", end),
    },
    clock,
    log,
  );

  const tickers = [
    createTicker(EVERY_SECOND, push.look),
    createTicker(EVERY_SECOND, mailer.runDue),
  ];

  const imports = createImportRuns(
    domains.db,
    (upload) => threads.imports.run("runUpload", upload),
    createUploadFiles(config.databasePath, ports),
    ports,
  );
  await imports.recover();
  if (ports.mail !== null && !knowsItsAddress(config)) {
    log.warn({}, "no mail with a link is sent, since KANALOG_BASE_URL is not set");
  }

  let address: string | null = null;
  const baseAddress = createBaseAddress(config, () => address);
  const afterAnswer = createAfterAnswer(log);
  const setUp = createSetUp(() => !anyPerson(db), ports);
  const settings = authSettings(secret(db));
  const site = siteRoutes({
    config,
    ports,
    secret: subkey(secret(db), "kanalog site forms"),
    baseAddress,
    ownAddress: createClientAddress(config, () => address),
    requestId: (request) => requestIdOf(request, random, clock),
    clientAddress: (request) => clientAddress(request, config.trustProxy, server.server),
    accounts: domains.accounts,
    keys: domains.keys,
    services,
    webhooks: domains.webhooks,
    people: limitHashing({
      signIn: (input) => threads.people.run("signIn", { settings, ...input }),
      signedIn: (cookie) => threads.sessions.run("signedIn", { settings, cookie }),
      signOut: (cookie) => threads.sessions.run("signOut", { settings, cookie }),
      passwordLink: (email, isTrusted) =>
        threads.people.run("passwordLink", { settings, email, isTrusted }),
      choosePassword: (token, password) =>
        threads.people.run("choosePassword", { settings, token, password }),
      changePassword: (input) => threads.people.run("changePassword", { settings, ...input }),
      ensurePerson: (input) => threads.people.run("ensurePerson", { settings, ...input }),
      setUpPerson: (input) => threads.people.run("setUpPerson", { settings, ...input }),
      markStaff: (email, isStaff) => threads.people.run("markStaff", { email, isStaff }),
      endSessions: (email) => threads.people.run("endSessions", email),
      endSessionsOfSuspended: (email) => threads.people.run("endSessionsOfSuspended", email),
      distrust: (email) => threads.people.run("distrust", email),
      people: () => selectPeople(db, clock.now()),
    }),
    audit: createAuditLog(domains.db, clock),
    imports,
    mails: createMails(domains.db, clock, ports.mail !== null && knowsItsAddress(config)),
    setUp,
    attempts: createAttempts(),
    afterAnswer,
    usage: domains.usage,
    jobs: scheduler,
    databaseFacts: () => threads.readers.run("readDatabaseFacts", null),
    recentErrors: recentLog.entries,
  });

  const server = createServer(apiMethods, {
    config,
    ports,
    services,
    keys,
    keyUse,
    baseAddress,
    others: site,
    answerMcp: createDispatcher(toolMethods, version),
    images: createCategoryImages(db),
    isReady: () => answersInSchema(db),
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
        // Else two processes would share the port, and each answer some of the requests.
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
        throw new AppError("unavailable", `Cannot listen on ${place}: ${reasonOf(cause)}.`, {
          cause,
        });
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
      const closing = new AbortController();
      const timeIsUp = clock.sleep(STOP_MAX_MS, closing.signal);
      mailer.stop();
      await Promise.race([
        Promise.all([
          server.server && server.stop(),
          scheduler.stop(),
          sender.stop(),
          imports.stop(),
          afterAnswer.settled(),
          ...tickers.map((ticker) => ticker.stop()),
        ]),
        timeIsUp,
      ]);
      // A client that never ends its request must not keep the process alive.
      if (server.server) await server.stop(true);
      await Promise.race([usage.settled(), timeIsUp]);
      closing.abort();
      await Promise.all(Object.values(threads).map((pool) => pool.close()));
      if (db !== domains.db) closeDatabase(db);
      closeDatabase(domains.db);
    },
  };
}

/** The serving connection only reads. */
function refuseChange(): never {
  throw new Error("accounts are changed on a connection that writes");
}

/** Read, or made, when it is needed first: most commands need none. */
function installationSecret(config: Config, random: Random): (db: Database) => string {
  let secret: string | null = null;
  return (db) => {
    secret ??= secretOf(config, db, random);
    return secret;
  };
}

function authSettings(secret: string): AuthSettings {
  return { secret: subkey(secret, "kanalog site sessions") };
}

function secretOf({ secret, databasePath }: Config, db: Database, random: Random): string {
  if (secret !== null) return secret;
  if (databasePath === IN_MEMORY) return Buffer.from(random.bytes(32)).toString("base64url");
  const path = secretPath(databasePath);
  const found = readSecretFile(path);
  if (found !== null) return found;
  if (anyWebhook(db)) {
    throw new AppError(
      "conflict",
      `The secret file ${path} is missing, by which the webhooks' signing secrets are read. Put it ` +
        "back, or give its text as KANALOG_SECRET. Where it is lost for good, give a new text as " +
        "KANALOG_SECRET: what to do about each webhook is said then.",
    );
  }
  return makeSecretFile(path, random);
}

/** Else every attempt would fail, and each webhook be disabled after a day. */
function requireReadableSecrets(db: Database, secrets: SecretBox, config: Config): void {
  const unreadable = activeWebhooks(db).filter(({ secret }) => secrets.open(secret) === null);
  if (unreadable.length === 0) return;
  const name = config.secret === null ? secretPath(config.databasePath) : "KANALOG_SECRET";
  throw new AppError(
    "conflict",
    `${name} is not what the signing secrets of these webhooks were encrypted with: ` +
      `${unreadable.map(({ id }) => id).join(", ")}. Give the former one. Where it is lost, disable ` +
      "each (kanalog webhook disable W), start, have its owner rotate the secret, and enable it " +
      "again (kanalog webhook enable W).",
  );
}

/**
 * Else a mail's link would lead to the host that a request names, and its token to whoever asked for
 * the mail in somebody else's name.
 */
function knowsItsAddress({ baseUrl, host, port }: Config): boolean {
  return baseUrl !== null || listenerAddress(host, port) !== null;
}

/** A secret for one purpose. */
function subkey(secret: string, purpose: string): string {
  return Buffer.from(hkdfSync("sha256", secret, "", purpose, 32)).toString("base64url");
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/[.\s]+$/, "") : String(cause);
}

function answersInSchema(db: Database): boolean {
  try {
    return schemaVersion(db) === SCHEMA_VERSION;
  } catch {
    return false;
  }
}

/** Serving reads on a connection that refuses writes; a database in memory has only the one. */
function readingConnection(config: Config, clock: Clock, db: Database): Database {
  return config.databasePath === IN_MEMORY
    ? db
    : openDatabase(config.databasePath, clock, "reader");
}

interface DatabaseThreads {
  readers: Threads<typeof readOperations>;
  writer: Threads<typeof writeOperations>;
  push: Threads<typeof pushOperations>;
  people: Threads<typeof peopleOperations>;
  sessions: Threads<typeof sessionOperations>;
  jobs: Threads<typeof jobOperations>;
  imports: Threads<typeof importOperations>;
}

function databaseThreads(config: Config, clock: Clock, db: Database): DatabaseThreads {
  const path = config.databasePath;
  if (path === IN_MEMORY) {
    return {
      readers: inlineThreads(readOperations, db, clock),
      writer: inlineThreads(writeOperations, db, clock),
      push: inlineThreads(pushOperations, db, clock),
      people: inlineThreads(peopleOperations, db, clock),
      sessions: inlineThreads(sessionOperations, db, clock),
      jobs: inlineThreads(jobOperations, db, clock),
      imports: inlineThreads(importOperations, db, clock),
    };
  }
  const entry = new URL("./thread.ts", import.meta.url);
  return {
    readers: startThreads({
      path,
      entry,
      access: "reader",
      count: READER_THREADS,
      timeoutMs: config.queryTimeoutMs,
      clock,
    }),
    writer: startThreads({ path, entry, access: "writer", count: 1, timeoutMs: null, clock }),
    people: startThreads({ path, entry, access: "writer", count: 1, timeoutMs: null, clock }),
    sessions: startThreads({ path, entry, access: "writer", count: 1, timeoutMs: null, clock }),
    push: startThreads({ path, entry, access: "writer", count: 1, timeoutMs: null, clock }),
    jobs: startThreads({ path, entry, access: "writer", count: 1, timeoutMs: null, clock }),
    imports: startThreads({ path, entry, access: "writer", count: 1, timeoutMs: null, clock }),
  };
}
