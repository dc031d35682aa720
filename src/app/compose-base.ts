import { version } from "../../package.json";
import type { Config } from "../config.ts";
import { AppError } from "../errors.ts";
import { createClockWatch } from "../ports/clock-watch.ts";
import type { Ports } from "../ports/ports.ts";
import { createRecentLog } from "../ports/recent-log.ts";
import { ALWAYS_OWN } from "../upkeep/lease/lease.ts";
import { createWorkerLease } from "../upkeep/lease/worker-lease.ts";
import type { Metrics } from "../upkeep/metrics/metrics.ts";
import { message } from "../values/messages/messages.ts";
import { createSecretBox } from "../values/secret-box.ts";
import { composeCluster } from "./compose-cluster.ts";
import { composeOthers } from "./compose-others.ts";
import type { openCurrent } from "./domains.ts";
import { installationSecret, requireReadableSecrets } from "./installation-secret.ts";
import { openServingDatabase } from "./serving-database.ts";
import type { Crew } from "./workers/crew.ts";

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
    ...{ config, ports, crew, recentLog, metrics, database, domains, db, threads },
    ...{ secret, secrets, lease, clockWatch, readClock },
    others: composeOthers(crew),
    cluster: composeCluster(db, domains.db, threads, config, ports, lease, readClock),
  };
}

/** Loaded lazily: only serving needs metrics, and every command starts 30 ms faster without them. */
async function createMetrics({ logLevel }: Config, ports: Ports): Promise<Metrics> {
  const metrics = await import("../upkeep/metrics/metrics.ts");
  return metrics.createMetrics(version, ports, logLevel === "debug");
}
