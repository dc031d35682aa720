import { Command } from "commander";
import { readConfig } from "../../config.ts";
import { mcpAddressOf } from "../../customers/keys/connect-snippets.ts";
import { CONNECTION_STEPS, testConnection } from "../../customers/oauth/connection-test.ts";
import { WORDS } from "../../words/words.ts";
import { type AsJson, jsonOption } from "./arguments.ts";
import { type CommandContext, CommandExit, EXIT_FAILED, EXIT_USAGE } from "./command-context.ts";
import { withSettings } from "./with-settings.ts";

const NO_URL = "Give --url, or set KANALOG_URL.";

/** `kanalog mcp`: the bridge for assistants that only speak stdio, and a test for the others. */
export function mcpCommand(context: CommandContext): Command {
  const { environment, runMcpBridge } = context;
  return new Command("mcp")
    .description("forward an assistant's MCP messages from standard input to an appliance")
    .option("--url <url>", "address of the appliance (KANALOG_URL)")
    .option(
      "--key <key>",
      "API key (KANALOG_KEY, which, unlike this option, process lists do not show)",
    )
    .action(async (options: { url?: string; key?: string }) => {
      const given = { KANALOG_URL: options.url, KANALOG_KEY: options.key };
      const { url, key } = readConfig(withSettings(environment, given));
      if (url === null) throw new CommandExit(EXIT_USAGE, NO_URL);
      if (key === null) throw new CommandExit(EXIT_USAGE, "Give --key, or set KANALOG_KEY.");
      await runMcpBridge({ url, key });
    })
    .addCommand(testCommand(context));
}

/** `kanalog mcp test`: connects as hosted assistants do, and says which step fails. */
function testCommand({ environment, output, ports }: CommandContext): Command {
  return new Command("test")
    .description("connect to an appliance as hosted assistants do, and say which step fails")
    .option("--url <url>", "address that assistants are given (KANALOG_URL)")
    .addOption(jsonOption())
    .action(async ({ json }: AsJson, command: Command) => {
      const { url: given } = command.optsWithGlobals<{ url?: string }>();
      const config = readConfig(withSettings(environment, { KANALOG_URL: given }));
      if (config.url === null) throw new CommandExit(EXIT_USAGE, NO_URL);
      const url = mcpAddressOf(config.url);
      const words = WORDS.en.connectionTest;
      const { network } = ports(config);
      const steps = await testConnection(url, network.ask);
      if (json) {
        output.out(JSON.stringify({ address: url, steps }));
        if (steps.some(({ fault }) => fault !== null)) throw new CommandExit(EXIT_FAILED);
        return;
      }
      for (const { step, fault } of steps) {
        const at = `${CONNECTION_STEPS.indexOf(step) + 1}/${CONNECTION_STEPS.length}`;
        output.out(`${at} ${words.steps[step]}: ${fault === null ? "ok" : "failed"}`);
        if (fault === null) continue;
        output.out(`    ${words.got}: ${fault}\n    ${words.advice[step]}`);
        throw new CommandExit(EXIT_FAILED);
      }
      output.out(`${words.passed} ${url}`);
    });
}
