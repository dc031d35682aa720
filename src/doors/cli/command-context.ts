import type { App } from "../../app/app.ts";
import type { ClusterCommands } from "../../app/cluster-commands.ts";
import type { Domains } from "../../app/domains.ts";
import type { Crew } from "../../app/workers/crew.ts";
import type { Workers, WorkersOptions } from "../../app/workers/supervisor.ts";
import type { Config, Environment } from "../../config.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ports } from "../../ports/ports.ts";

/** Parts that program.ts gives to the commands, which build nothing themselves. */
export interface CommandContext {
  environment: Environment;
  output: Output;
  /** @param worker the number of a process that serves beside others */
  ports(config: Config, worker?: number): Ports;
  openDomains(config: Config, ports: Ports): Promise<Domains>;
  /** @param options.crew where the process serves beside others */
  createApp(config: Config, ports: Ports, options?: { crew: Crew }): Promise<App>;
  /**
   * Looks whether the settings' place can be listened on. @returns the port, a free one for 0
   * @throws AppError `unavailable` naming the place
   */
  claimPort(config: Config): number;
  /** Processes that serve together. */
  createWorkers(options: WorkersOptions, ports: Ports): Workers;
  /** Joins those who serve together, where this process was started by them. */
  joinCrew(clock: Clock): Promise<Crew | null>;
  cluster(config: Config, ports: Ports): ClusterCommands;
  /** Settles when standard input has ended. */
  runMcpBridge(appliance: { url: string; key: string }): Promise<void>;
}

/** Where commands print: results to `out`, all else to `note`. */
export interface Output {
  out(text: string): void;
  /** Puts bytes out as they are; settles once there is room for more. */
  write(bytes: Uint8Array): Promise<void>;
  note(text: string): void;
  /** As `out`, for what must reach its reader. @throws the system's error where it cannot be written */
  told(text: string): Promise<void>;
}

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
export const EXIT_REJECTED_ROWS = 3;
/** The shells' code for a program that was ended by Ctrl-C. */
export const EXIT_INTERRUPTED = 130;

/** Ends a command with an exit code; the message, if any, is printed. */
export class CommandExit extends Error {
  override readonly name = "CommandExit";
  constructor(
    readonly exitCode: number,
    message = "",
  ) {
    super(message);
  }
}
