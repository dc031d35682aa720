import { type Command, InvalidArgumentError } from "commander";
import type { Domains } from "../../../app/domains.ts";
import { type Config, ConfigError, type Environment, readConfig } from "../../../config.ts";
import type { Clock } from "../../../ports/clock.ts";
import { createHeldLog } from "../../../ports/log.ts";
import { makeBackupFolder } from "../../../upkeep/backups/backup-files.ts";
import { integer, nonEmpty, readWorkers } from "../../../values/settings/setting-texts.ts";
import { type CommandContext, CommandExit, EXIT_FAILED } from "../command-context.ts";
import {
  requireFile,
  warnOfUnknownSettings,
  withDomainsAt,
  withSettings,
} from "../with-domains.ts";

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A single Ctrl-C may arrive twice: from the terminal, and from the `bun run` above this process. */
const SAME_SIGNAL_MS = 1_000;

/** Settles at the first stop signal; a later one ends the process at once. */
export function stopSignalled(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    let firstAtMs: number | null = null;
    for (const signal of STOP_SIGNALS) {
      process.on(signal, () => {
        firstAtMs ??= clock.monotonic();
        if (clock.monotonic() - firstAtMs > SAME_SIGNAL_MS) process.exit(EXIT_FAILED);
        resolve();
      });
    }
  });
}

/**
 * Finds an invalid folder now rather than at night, when the first backup would fail. @throws ConfigError
 */
function requireBackupFolder({ backupDir }: Config): void {
  if (backupDir === null) return;
  try {
    makeBackupFolder(backupDir);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      `KANALOG_BACKUP_DIR: ${backupDir} is not a folder that can be written (${reason}).`,
    ]);
  }
}

/** Where the appliance listens, and where to create its first account; null if there is one. */
export interface Listening {
  address: string;
  setUpAddress: string | null;
}

/** Called once the appliance listens. A stop signal waits for it; without workers, the log does too. */
type Announce = (
  listening: Listening,
  withDomains: (work: (domains: Domains) => Promise<void>) => Promise<void>,
) => void | Promise<void>;

/** Serves until a stop signal, in this process or in supervised workers. */
export async function serve(
  context: CommandContext,
  options: ServeOptions,
  announce: Announce,
): Promise<void> {
  const config = serveConfig(context, options);
  warnOfUnknownSettings(context);
  requireFile(config);
  // Before anything is created: a start that cannot listen leaves nothing behind.
  const port = context.claimPort(config);
  requireBackupFolder(config);
  if (config.workers > 1 && process.platform === "linux") {
    await serveByWorkers(context, { ...config, port }, options, announce);
    return;
  }
  if (config.workers > 1) {
    const why = "this system cannot share a port among processes";
    context.output.note(`One process serves, not ${config.workers}: ${why}.`);
  }
  const ports = context.ports(config);
  const { log, during } = createHeldLog(ports.log);
  const app = await context.createApp(config, { ...ports, log });
  const stopSignal = stopSignalled(app.domains.clock);
  try {
    const setUpPath = await app.setUpPath();
    const address = app.listen();
    await during(() =>
      announce(listeningAt(address, setUpPath, config), (work) => work(app.domains)),
    );
    await stopSignal;
  } finally {
    await app.close();
  }
}

async function serveByWorkers(
  context: CommandContext,
  config: Config,
  options: ServeOptions,
  announce: Announce,
): Promise<void> {
  const { host, port, workers: count } = config;
  const ports = context.ports(config);
  const stopSignal = stopSignalled(ports.clock);
  const environment = serveEnvironment(context, options);
  const workers = context.createWorkers({ count, host, port, environment }, ports);
  let isWell = false;
  try {
    const started = await workers.start();
    // The worker has reported why.
    if (started === null) throw new CommandExit(EXIT_FAILED);
    const { address, setUpPath } = started;
    await announce(listeningAt(address, setUpPath, config), (work) =>
      withDomainsAt(context, config, work),
    );
    await stopSignal;
  } finally {
    isWell = await workers.stop();
  }
  if (!isWell) throw new CommandExit(EXIT_FAILED, "A worker did not stop properly.");
}

/** First line of every start, printed while the rest is being prepared. */
export function servesText({ address }: Listening): string {
  return `Kanalog serves at ${address}, documentation at ${address}/docs/`;
}

function listeningAt(address: string, setUpPath: string | null, { baseUrl }: Config): Listening {
  return { address, setUpAddress: setUpPath === null ? null : (baseUrl ?? address) + setUpPath };
}

export interface ServeOptions {
  host?: string;
  port?: string;
  db?: string;
  workers?: string;
}

export function withServeOptions(command: Command): Command {
  return command
    .option("--host <host>", "address to listen on (KANALOG_HOST)", hostText)
    .option("--port <port>", "port to listen on (KANALOG_PORT)", portText)
    .option("--db <path>", "the database file (KANALOG_DB)", parsedBy(nonEmpty))
    .option(
      "--workers <n>",
      "number of processes that serve, or auto (KANALOG_WORKERS)",
      parsedBy(readWorkers),
    );
}

export const hostText = parsedBy(nonEmpty);
export const portText = parsedBy(integer(0, 65_535));

/** Parses a setting's option; faults name the option instead of the variable. */
function parsedBy(parse: (text: string) => unknown): (text: string) => string {
  return (text) => {
    try {
      parse(text.trim());
      return text;
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

/** The settings, overridden by the options of `serve`. */
export function serveConfig(context: CommandContext, options: ServeOptions): Config {
  return readConfig(serveEnvironment(context, options));
}

function serveEnvironment(context: CommandContext, given: ServeOptions): Environment {
  const { host, port, db, workers } = given;
  return withSettings(context.environment, {
    KANALOG_HOST: host,
    KANALOG_PORT: port,
    KANALOG_DB: db,
    KANALOG_WORKERS: workers,
  });
}
