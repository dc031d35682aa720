import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import { type Config, ConfigError, readConfig } from "../../../config.ts";
import type { Clock } from "../../../ports/clock.ts";
import { makeBackupFolder } from "../../../upkeep/backups/backup-files.ts";
import { type CommandContext, EXIT_FAILED } from "../command-context.ts";
import { requireFile } from "../with-domains.ts";

export interface ServeOptions {
  host?: string;
  port?: string;
  db?: string;
}

export function withServeOptions(command: Command): Command {
  return command
    .option("--host <host>", "address to listen on (KANALOG_HOST)")
    .option("--port <port>", "port to listen on (KANALOG_PORT)")
    .option("--db <path>", "the database file (KANALOG_DB)");
}

/** The settings, with the options of `serve` in their place. */
export function serveConfig(context: CommandContext, { host, port, db }: ServeOptions): Config {
  return readConfig({
    ...context.environment,
    ...(host !== undefined && { KANALOG_HOST: host, KANALOG_HOST_FILE: undefined }),
    ...(port !== undefined && { KANALOG_PORT: port, KANALOG_PORT_FILE: undefined }),
    ...(db !== undefined && { KANALOG_DB: db, KANALOG_DB_FILE: undefined }),
  });
}

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** One Ctrl-C may arrive twice, from the terminal and from the `bun run` above. */
const SAME_SIGNAL_MS = 1_000;

/** Settles at the first signal to stop; one that comes later ends the process at once. */
function stopSignalled(clock: Clock): Promise<void> {
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

/** Finds a bad folder now and not at night, when the first backup fails. @throws ConfigError */
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

/**
 * Serves until a signal says to stop.
 * @param announce called once it listens; a signal to stop waits for it
 */
export async function serve(
  context: CommandContext,
  config: Config,
  announce: (address: string, app: App) => void | Promise<void>,
): Promise<void> {
  requireFile(config);
  requireBackupFolder(config);
  const app = await context.createApp(config, context.ports(config));
  const stopSignal = stopSignalled(app.domains.clock);
  try {
    const setUpPath = await app.setUpPath();
    const address = app.listen();
    await announce(address, app);
    if (setUpPath !== null) {
      context.output.note(
        `Set up the account site within 30 minutes: ${config.baseUrl ?? address}${setUpPath}`,
      );
    }
    await stopSignal;
  } finally {
    await app.close();
  }
}
