import { Command } from "commander";
import type { Config } from "../../../config.ts";
import { getText, type TextResult } from "../../../ports/download.ts";
import { localAddress } from "../../../values/network/address-ranges.ts";
import type { AsJson, CommandContext } from "../command-context.ts";
import { CommandExit, EXIT_FAILED, jsonOption, usageError } from "../command-context.ts";
import { hostText, portText, serveConfig } from "./until-stopped.ts";

/** State of the serving process, as `--json` prints it. */
interface Health {
  ready: boolean;
  address: string;
  detail: string;
  /** Checks by name: `ok`, or what is wrong. Empty if nothing answered. */
  checks: Record<string, string>;
}

/** How long to wait for an answer. It takes two seconds if one of the workers does not respond. */
const ANSWER_MAX_MS = 4_000;
/** Further connections to try if one is not answered: it may have reached the only worker that hangs. */
const MORE_CONNECTIONS = 4;
/** The loopback address to use for each wildcard address. */
const LOOPBACK_OF: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1", "[::]": "::1" };

export function healthCommand(context: CommandContext): Command {
  return new Command("health")
    .description("check whether the serving process is ready; exit 0 if it is, else 1")
    .option("--host <host>", "address that it listens on (KANALOG_HOST)", hostText)
    .option("--port <port>", "port that it listens on (KANALOG_PORT)", portText)
    .addOption(jsonOption())
    .action(async ({ json, ...options }: AsJson & { host?: string; port?: string }) => {
      const health = await healthOf(addressOf(serveConfig(context, options)));
      if (json) context.output.out(JSON.stringify(health));
      else if (health.ready) context.output.out([health.detail, ...warnings(health)].join("\n"));
      if (!health.ready) throw new CommandExit(EXIT_FAILED, json ? "" : health.detail);
    });
}

/** Warnings that `/readyz` contains although the appliance is ready. */
function warnings({ checks }: Health): string[] {
  return Object.values(checks)
    .filter((state) => state !== "ok")
    .map((warning) => `Warning: ${warning}`);
}

/** @throws CommandExit if the settings do not determine the port */
export function addressOf({ host, port }: Config): string {
  if (port === 0) {
    const detail =
      "KANALOG_PORT is 0, which chooses any free port: give --port with the chosen one.";
    throw usageError(detail);
  }
  return localAddress(LOOPBACK_OF[host] ?? host, port);
}

export async function healthOf(address: string): Promise<Health> {
  const got = await answerOfAny(`${address}/readyz`);
  const notReady = (detail: string, checks: Health["checks"] = {}): Health => {
    return { ready: false, address, detail, checks };
  };
  if ("fault" in got) return notReady(`Nothing answers at ${address} (${got.fault}).`);
  const answer = readAnswer(got.body);
  if (answer === null) {
    return notReady(`What answers at ${address} is not Kanalog (status ${got.status}).`);
  }
  if (got.status === 200) {
    return { ready: true, address, detail: `Ready at ${address}.`, checks: answer.checks };
  }
  return notReady(`Not ready at ${address}: ${answer.detail}`, answer.checks);
}

async function answerOfAny(url: string): Promise<TextResult> {
  const first = await getText(url, ANSWER_MAX_MS);
  if (!("fault" in first)) return first;
  const more = Array.from({ length: MORE_CONNECTIONS }, async () => {
    const got = await getText(url, ANSWER_MAX_MS);
    if ("fault" in got) throw new Error(got.fault);
    return got;
  });
  return Promise.any(more).catch(() => first);
}

/** Parses an answer of `/readyz`; null if it comes from another program. */
function readAnswer(body: string): { detail: string; checks: Health["checks"] } | null {
  try {
    const { detail = "", checks } = JSON.parse(body);
    return typeof checks === "object" && checks !== null
      ? { detail: String(detail), checks }
      : null;
  } catch {
    return null;
  }
}
