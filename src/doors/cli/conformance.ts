import { Command } from "commander";
import { readConfig } from "../../config.ts";
import type { Kit, Receiver } from "../../conformance/check.ts";
import { createKit } from "../../conformance/client.ts";
import {
  jsonReport,
  listOf,
  listText,
  tapHead,
  tapLine,
  textReport,
} from "../../conformance/report.ts";
import { ALL_CHECKS, type Result, runChecks } from "../../conformance/run.ts";
import { systemClock } from "../../ports/clock.ts";
import { sendTo } from "../../ports/download.ts";
import { receiveRequests } from "../../ports/receive-requests.ts";
import type { AsJson, CommandContext } from "./command-context.ts";
import { CommandExit, EXIT_FAILED, jsonOption, usageError } from "./command-context.ts";
import { forTerminal } from "./print.ts";
import { portText } from "./serving/until-stopped.ts";
import { withSettings } from "./with-domains.ts";

interface ConformanceOptions extends AsJson {
  url?: string;
  key?: string;
  operatorKey?: string;
  write?: boolean;
  receiver?: string;
  listen?: string;
  tap?: boolean;
  list?: boolean;
}

/** `kanalog conformance`: the specification as a program, against any implementation of it. */
export function conformanceCommand(context: CommandContext): Command {
  return new Command("conformance")
    .description("check any appliance against the specification; exit 1 if it breaks it")
    .option("--url <url>", "address of the appliance (KANALOG_URL)")
    .option("--key <key>", "API key; requests cost its units (KANALOG_KEY)")
    .option("--operator-key <key>", "key of the operator's API, to check that too")
    .option(
      "--write",
      "also check what changes something, with objects that are removed afterwards",
    )
    .option("--receiver <url>", "https address that leads to --listen, to check deliveries")
    .option("--listen <port>", "port of this machine where deliveries arrive as http", portText)
    .option("--list", "print which part of the specification has which checks, and ask nothing")
    .option("--tap", "print each check as a line of the Test Anything Protocol")
    .addOption(jsonOption())
    .action(async (options: ConformanceOptions) => {
      const { out } = context.output;
      if (options.list) {
        out(options.json ? JSON.stringify({ parts: listOf(ALL_CHECKS) }) : listText(ALL_CHECKS));
        return;
      }
      const kit = kitOf(context, options);
      await requireAppliance(kit);
      const stop = await listen(kit.receiver, options);
      const results = await run(context, kit, options).finally(stop);
      if (results.some(({ outcome }) => outcome === "fault")) throw new CommandExit(EXIT_FAILED);
    });
}

function kitOf({ environment }: CommandContext, options: ConformanceOptions): Kit {
  const given = { KANALOG_URL: options.url, KANALOG_KEY: options.key };
  const { url, key } = readConfig(withSettings(environment, given));
  if (url === null) throw usageError("Give --url, or set KANALOG_URL.");
  if (key === null) throw usageError("Give --key, or set KANALOG_KEY.");
  const target = {
    base: url.replace(/\/$/, ""),
    key,
    operatorKey: options.operatorKey ?? null,
    mayWrite: options.write ?? false,
    receiver: receiverOf(options),
  };
  const { now, sleep } = systemClock;
  return createKit(target, { send: sendTo, now, sleep });
}

function receiverOf({ receiver, listen }: ConformanceOptions): Receiver | null {
  if (receiver === undefined && listen === undefined) return null;
  if (receiver !== undefined && listen !== undefined) {
    return { url: receiver, requests: [], status: 200 };
  }
  throw usageError("Give both --receiver and --listen, or neither.");
}

/** @returns stops it */
async function listen(receiver: Receiver | null, { listen: port }: ConformanceOptions) {
  if (receiver === null) return () => {};
  return receiveRequests(Number(port), (request) => {
    receiver.requests.push(request);
    return receiver.status;
  });
}

/** @throws CommandExit if nothing that the kit could check answers, or it takes no such key */
async function requireAppliance(kit: Kit): Promise<void> {
  const fail = (why: string): never => {
    throw usageError(why);
  };
  const answer = await kit.ask("/v1/me/").catch((error: unknown) => {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return fail(`Nothing answers at ${kit.base}: ${code ?? message}.`);
  });
  if (answer.status === 401) fail(`The key is refused: ${forTerminal(answer.text)}`);
  if (answer.status !== 200 || answer.body["api_tariff"] === undefined) {
    fail(`What answers at ${kit.base} is no appliance: GET /v1/me/ is ${answer.status}.`);
  }
}

/** Runs all checks, and prints them as wanted. */
async function run(
  { output }: CommandContext,
  kit: Kit,
  { json, tap }: ConformanceOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  const beganAt = systemClock.monotonic();
  const isShown = process.stderr.isTTY && !tap;
  if (tap) output.out(tapHead(ALL_CHECKS));
  await runChecks(ALL_CHECKS, kit, (result) => {
    results.push(result);
    if (tap) output.out(tapLine(result, results.length));
    if (isShown) process.stderr.write(`\r${results.length} of ${ALL_CHECKS.length} checks`);
  });
  if (isShown) process.stderr.write("\r\u001b[K");
  const seconds = (systemClock.monotonic() - beganAt) / 1000;
  if (json) output.out(JSON.stringify(jsonReport(results)));
  else if (!tap) output.out(textReport(results, seconds));
  return results;
}
