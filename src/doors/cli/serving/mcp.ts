import { Command } from "commander";
import { readConfig } from "../../../config.ts";
import { type CommandContext, CommandExit, EXIT_USAGE } from "../command-context.ts";
import { withSettings } from "../with-settings.ts";

/** `kanalog mcp`: the bridge for assistants that only speak stdio. */
export function mcpCommand({ environment, runMcpBridge }: CommandContext): Command {
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
      if (url === null) throw new CommandExit(EXIT_USAGE, "Give --url, or set KANALOG_URL.");
      if (key === null) throw new CommandExit(EXIT_USAGE, "Give --key, or set KANALOG_KEY.");
      await runMcpBridge({ url, key });
    });
}
