import { type Command, InvalidArgumentError } from "commander";
import { type Config, type Environment, readConfig } from "../../../config.ts";
import { integer, nonEmpty, readWorkers } from "../../../values/settings/setting-texts.ts";
import type { CommandContext } from "../command-context.ts";
import { withSettings } from "../with-settings.ts";

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

/** The settings as a process's environment. */
export function serveEnvironment(context: CommandContext, given: ServeOptions): Environment {
  const { host, port, db, workers } = given;
  return withSettings(context.environment, {
    KANALOG_HOST: host,
    KANALOG_PORT: port,
    KANALOG_DB: db,
    KANALOG_WORKERS: workers,
  });
}
