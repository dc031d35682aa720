import { InvalidArgumentError, Option } from "commander";
import type { App } from "../../app/app.ts";
import type { ClusterCommands } from "../../app/cluster-commands.ts";
import type { Domains } from "../../app/domains.ts";
import type { LocalMcp } from "../../app/local-mcp.ts";
import type { Crew } from "../../app/workers/crew.ts";
import type { Workers, WorkersOptions } from "../../app/workers/supervisor.ts";
import type { Config, Environment } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { PostText } from "../../ports/download.ts";
import type { Ports } from "../../ports/ports.ts";

/** What program.ts passes to the commands, which create nothing themselves. */
export interface CommandContext {
  environment: Environment;
  output: Output;
  /** @param worker number of this worker, if it serves beside others */
  ports(config: Config, worker?: number): Ports;
  openDomains(config: Config, ports: Ports): Promise<Domains>;
  /** @param options.crew given if the process serves beside others */
  createApp(config: Config, ports: Ports, options?: { crew: Crew }): Promise<App>;
  openApi(api: "customers" | "operator", address: string): Promise<object>;
  /**
   * Checks that the configured address can be listened on. @returns the port, a free one for 0
   * @throws AppError `unavailable` naming the address
   */
  claimPort(config: Config): number;
  createWorkers(options: WorkersOptions, ports: Ports): Workers;
  /** Joins the other workers, if this process was started as one. */
  joinCrew(clock: Clock): Promise<Crew | null>;
  cluster(config: Config, ports: Ports): ClusterCommands;
  /** Answers each MCP message on standard input by `post`; settles when the input has ended. */
  runMcpBridge(post: PostText): Promise<void>;
  /** The MCP server over a database, in this process. */
  localMcp(db: Database, config: Config, ports: Ports): Promise<LocalMcp>;
  registryManifest(base: string, config: Config): Promise<object>;
}

/** Where commands print: results to `out`, everything else to `note`. */
export interface Output {
  out(text: string): void;
  /** Writes bytes as they are; settles once there is room for more. */
  write(bytes: Uint8Array): Promise<void>;
  note(text: string): void;
  /** As `out`, but settles once the text is written. @throws the system's error if it cannot be written */
  outSafely(text: string): Promise<void>;
}

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
export const EXIT_REJECTED_ROWS = 3;
/** The shells' exit code for a program ended by Ctrl-C. */
export const EXIT_INTERRUPTED = 130;

/** Ends a command with an exit code, and prints the message if there is one. */
export class CommandExit extends Error {
  override readonly name = "CommandExit";
  constructor(
    readonly exitCode: number,
    message = "",
  ) {
    super(message);
  }
}

/** Ends a command that was called in a wrong way. */
export const usageError = (message: string) => new CommandExit(EXIT_USAGE, message);

/** Parses the number by which lists identify an organization, member or key. */
export function parseId(text: string): number {
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id)) {
    throw new InvalidArgumentError("It is not a number such as lists show.");
  }
  return id;
}

export interface AsJson {
  json?: boolean | undefined;
}

export function jsonOption(): Option {
  return new Option("--json", "print one JSON document on standard output");
}

/** Aborted when somebody interrupts the command, which then reports what it has done. */
export function interruptSignal(): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupt.abort());
  return interrupt.signal;
}
