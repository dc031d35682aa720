import { type Accounts, createAccounts } from "./accounts/accounts.ts";
import { createChannels } from "./channels/channels.ts";
import type { Config } from "./config.ts";
import { closeDatabase, type Database, IN_MEMORY, openDatabase } from "./db/database.ts";
import { readMeta } from "./db/meta.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "./db/migrate.ts";
import { inlineThreads, startThreads, type Threads } from "./db/threads.ts";
import { createCategoryImages } from "./directory/category-images.ts";
import { createDirectory } from "./directory/directory.ts";
import { AppError } from "./errors.ts";
import { createBaseAddress, listenerAddress } from "./http/base-address.ts";
import { createServer, type Server } from "./http/server.ts";
import { loadShippedDirectories } from "./imports/shipped-directories.ts";
import { jobTable } from "./jobs/jobs.ts";
import { createScheduler, type Scheduler } from "./jobs/scheduler.ts";
import { createKeyUse } from "./keys/key-use.ts";
import { createKeys, type Keys } from "./keys/keys.ts";
import { createLimits } from "./limits/limits.ts";
import { createRates } from "./limits/rates.ts";
import { createUsageStore } from "./limits/usage.store.ts";
import { createUsage, type Usage } from "./limits/usage.ts";
import { createCursors } from "./methods/cursor.ts";
import type { Services } from "./methods/services.ts";
import { apiMethods } from "./methods/table.ts";
import { jobOperations, readOperations, writeOperations } from "./operations.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ports } from "./ports/ports.ts";
import { createPosts } from "./posts/posts.ts";

/** The composition root: the only file that builds and wires what the others declare. */

/** What commands work on: a connection that writes, and the domains over it. */
export interface Domains {
  db: Database;
  clock: Clock;
  accounts: Accounts;
  keys: Keys;
  usage: Pick<Usage, "used">;
}

export interface App {
  server: Server;
  /** The domains on a connection that writes. */
  domains: Domains;
  services: Services;
  scheduler: Scheduler;
  /** Starts listening and the scheduler. @returns the address */
  listen(): string;
  /** Stops accepting, finishes what is under way, commits what was counted, closes all. */
  close(): Promise<void>;
}

/** What is under way when the appliance is told to stop has so long to end. */
const STOP_MAX_MS = 10_000;
/** Threads that may run slow queries at once; one more slow query waits for a free one. */
const READER_THREADS = 4;

/** Opens the database, brings it to this program's schema, and builds the domains over it. */
export async function openDomains(config: Config, ports: Ports): Promise<Domains> {
  const { clock, random } = ports;
  const db = openDatabase(config.databasePath, clock);
  try {
    await migrate(db, clock);
    await loadShippedDirectories(db, clock);
  } catch (error) {
    closeDatabase(db);
    throw error;
  }
  const accounts = createAccounts(db, clock);
  return {
    db,
    clock,
    accounts,
    keys: createKeys(db, accounts, clock, random),
    usage: createUsageStore(db),
  };
}

/** Builds the whole appliance; tests use it with ports of their own and a database in memory. */
export async function createApp(config: Config, ports: Ports): Promise<App> {
  const { clock, random, log } = ports;
  const domains = await openDomains(config, ports);
  const db = readingConnection(config, clock, domains.db);
  const threads = databaseThreads(config, clock, db);

  const accounts = createAccounts(db, clock);
  const keys = createKeys(db, accounts, clock, random);
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
    cursors: createCursors(readMeta(db, "cursor_secret")),
  };
  const scheduler = createScheduler(
    jobTable({
      closeDay: (day) => threads.jobs.run("closeDay", day),
      recount: () => threads.jobs.run("recount", null),
      optimizeSearch: () => threads.jobs.run("optimizeSearch", null),
      pruneUsage: (today) => threads.jobs.run("pruneUsage", today),
    }),
    {
      claim: (claim) => threads.jobs.run("claimJob", claim),
      end: (end) => threads.jobs.run("endJob", end),
    },
    clock,
    log,
  );

  let address: string | null = null;
  const server = createServer(apiMethods, {
    config,
    ports,
    services,
    keys,
    keyUse,
    baseAddress: createBaseAddress(config, () => address),
    images: createCategoryImages(db),
    isReady: () => answersInSchema(db),
  });

  return {
    server,
    domains,
    services,
    scheduler,

    listen() {
      try {
        // Else two processes would share the port, and each answer some of the requests.
        server.listen({
          hostname: config.host,
          port: config.port,
          reusePort: false,
          development: false,
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
      return address ?? `http://localhost:${port}`;
    },

    async close() {
      const closing = new AbortController();
      const timeIsUp = clock.sleep(STOP_MAX_MS, closing.signal);
      await Promise.race([
        Promise.all([server.server && server.stop(), scheduler.stop()]),
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
  jobs: Threads<typeof jobOperations>;
}

function databaseThreads(config: Config, clock: Clock, db: Database): DatabaseThreads {
  const path = config.databasePath;
  if (path === IN_MEMORY) {
    return {
      readers: inlineThreads(readOperations, db, clock),
      writer: inlineThreads(writeOperations, db, clock),
      jobs: inlineThreads(jobOperations, db, clock),
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
    jobs: startThreads({ path, entry, access: "writer", count: 1, timeoutMs: null, clock }),
  };
}
