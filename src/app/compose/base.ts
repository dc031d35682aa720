import { version } from "../../../package.json";
import type { Config } from "../../config.ts";
import { checkpointWhole, leavesCheckpoints } from "../../db/file/checkpoint.ts";
import { createLockWatch, onLockHeld } from "../../db/lock.ts";
import { requireWritable } from "../../db/open-database.ts";
import { createTickSnapshots, withoutTickSnapshots } from "../../db/read-transaction.ts";
import { createQueueWatch, createSlowLog } from "../../db/threads/thread-pool.ts";
import { AppError } from "../../errors.ts";
import { createClockWatch } from "../../ports/clock.ts";
import { createRecentLog, type RecentEntry } from "../../ports/log.ts";
import type { Ports } from "../../ports/ports.ts";
import type { Readiness } from "../../upkeep/checks/readiness.ts";
import { ALWAYS_OWN, createWorkerLease } from "../../upkeep/lease/lease.ts";
import type { Metrics, MetricsJson } from "../../upkeep/metrics/metrics.ts";
import { message } from "../../values/messages/messages.ts";
import { listenerAddress } from "../../values/network/address-ranges.ts";
import { createSecretBox } from "../../values/secret-box.ts";
import { databaseThreads, servingConnection } from "../database-threads.ts";
import { type openCurrent, openDomains } from "../domains.ts";
import type { InstallationSecret } from "../installation-secret.ts";
import { installationSecret, requireReadableSecrets } from "../installation-secret.ts";
import { nodeSettings, requireOwnName } from "../node-copy.ts";
import type { Crew } from "../workers/crew.ts";
import { composeCluster } from "./cluster.ts";

export interface AppOptions {
  open: typeof openCurrent;
  /** The group of workers this process belongs to; null if it serves alone. */
  crew: Crew | null;
}

/** What every other part is built on. */
export type Base = Awaited<ReturnType<typeof composeBase>>;

/**
 * Opens the database and its threads, and decides which process runs the upkeep.
 * @throws AppError if the installation's secret is not the one the database was written with
 */
export async function composeBase(config: Config, given: Ports, { open, crew }: AppOptions) {
  const recentLog = createRecentLog(given.log, given.clock);
  const ports: Ports = { ...given, log: recentLog.log };
  const metrics = await createMetrics(config, ports);
  const readSecret = installationSecret(config, ports.random);
  const clockWatch = createClockWatch(ports.clock, ports.log, crew?.bootedAt);
  /** The clock, for everything that is billed or expires. @throws AppError `unavailable` while it is wrong */
  const readClock = (): number => {
    if (clockWatch.look() !== null) throw new AppError("unavailable", message("clockWrong"));
    return ports.clock.now();
  };
  const database = await openServingDatabase(
    config,
    ports,
    readSecret,
    metrics.counted,
    open,
    crew?.count ?? 1,
  );
  const { domains, db, threads } = database;
  const secret = await readSecret(db);
  const secrets = createSecretBox(secret, ports.random);
  await requireReadableSecrets(db, secrets, config);
  const lease = crew === null ? ALWAYS_OWN : createWorkerLease(db, threads.push, ports);
  return {
    config,
    ports,
    crew,
    recentLog,
    metrics,
    database,
    domains,
    db,
    threads,
    secret,
    secrets,
    lease,
    clockWatch,
    readClock,
    others: composeOthers(crew),
    cluster: composeCluster({
      ...{ db, writing: domains.db, threads, config, ports },
      ...{ nodeLease: lease, readClock },
    }),
  };
}

/** Loaded lazily: only serving needs metrics, and every command starts 30 ms faster without them. */
async function createMetrics({ logLevel }: Config, ports: Ports): Promise<Metrics> {
  const metrics = await import("../../upkeep/metrics/metrics.ts");
  return metrics.createMetrics(version, ports, logLevel === "debug");
}

/** Questions to the other workers of the appliance; if there are none, every answer is empty. */
function composeOthers(crew: Crew | null) {
  const ask: Crew["ask"] = crew?.ask ?? (async () => []);
  const first = async <Answer>(answers: Promise<(Answer | null)[]>): Promise<Answer | null> =>
    (await answers).find((answer) => answer !== null) ?? null;
  return {
    uploads: {
      find: (token: string) => first(ask("findUpload", token)),
      release: (token: string) => first(ask("releaseUpload", token)),
    },

    /**
     * Metrics of the other workers plus the final counters of those that ended; null if it serves alone.
     */
    metrics:
      crew &&
      (async (own: MetricsJson) => (await ask("metrics", own)).filter((answer) => answer !== null)),

    /** The readiness of all other workers; one that does not answer appears as a warning. */
    async ready(): Promise<Readiness[]> {
      if (crew === null) return [];
      const answers = await ask("ready", null);
      const silent = answers.filter((answer) => answer === null).length;
      const warning = `Workers that do not answer or are still starting: ${silent} of ${crew.count}.`;
      const workers: Readiness = {
        checks: [],
        warnings: [["workers", silent === 0 ? null : warning]],
      };
      return [workers, ...answers.filter((answer) => answer !== null)];
    },

    /** Warnings and errors of all workers, latest first. */
    async errors(own: RecentEntry[]): Promise<RecentEntry[]> {
      const answers = (await ask("errors", null)).map((answer) => answer ?? []);
      return [own, ...answers].flat().toSorted((one, other) => other.at - one.at);
    },
  };
}

/**
 * Opens the connections and threads of a serving process. All of them report lock hold times and slow
 * statements.
 * @param open as in `openDomains`
 * @param workers processes serving the file
 */
async function openServingDatabase(
  config: Config,
  ports: Ports,
  secret: InstallationSecret,
  counted: Metrics["counted"],
  open: typeof openCurrent,
  workers: number,
) {
  const { clock, log } = ports;
  requireWritable(config.databasePath);
  const domains = await openDomains(config, ports, secret, open);
  try {
    await requireOwnName(domains.db, nodeSettings(config));
  } catch (error) {
    domains.db.close();
    throw error;
  }
  const db = servingConnection(config, clock, domains.db);
  const isShared = db === domains.db;
  if (!isShared) leavesCheckpoints(domains.db);
  const lockWatch = createLockWatch(ports, counted.lockHolds);
  const noteSlow = createSlowLog(ports);
  for (const connection of new Set([db, domains.db])) {
    onLockHeld(connection, lockWatch.note);
    connection.onSlow((sql, tookMs) => noteSlow("main", sql, tookMs));
  }
  const queueWatch = createQueueWatch(clock, counted.refusals);
  const listeners = { noteHold: lockWatch.note, noteSlow, noteRefused: queueWatch.note };
  const started = databaseThreads(config, clock, db, listeners, workers);
  return {
    domains,
    db,
    threads: started.threads,
    threadLoads: started.threadLoads,
    restThreads: started.restThreads,
    lockWarning: lockWatch.warning,
    queues: queueWatch,
    tickSnapshot: isShared ? withoutTickSnapshots : createTickSnapshots(db, clock),

    async close(): Promise<void> {
      await started.endThreads();
      if (!isShared) db.close();
      try {
        checkpointWhole(domains.db);
      } catch (error) {
        log.warn({ err: error }, "the last checkpoint of the write-ahead log failed");
      }
      domains.db.close();
    },
  };
}

/**
 * The address that links in mails begin with; null if none can be sent. That takes an address of our own:
 * the base URL, or the one address that is listened on. Otherwise a link would point to whatever host a
 * request named, and its token would go to an attacker who asked for the mail in somebody else's name.
 */
export function linkAddress(
  { baseUrl, host, port }: Config,
  { mail }: Pick<Ports, "mail">,
): string | null {
  return mail === null ? null : (baseUrl ?? listenerAddress(host, port));
}
