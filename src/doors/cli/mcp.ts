import { Command, Option } from "commander";
import { rebuildWhole } from "../../catalog/post-search/catch-up.ts";
import { type Config, readConfig } from "../../config.ts";
import { mcpAddressOf } from "../../customers/keys/connect-snippets.ts";
import { CONNECTION_STEPS, testConnection } from "../../customers/oauth/connection-test.ts";
import type { Database } from "../../db/database.ts";
import { IN_MEMORY } from "../../db/open-database.ts";
import { postTextTo } from "../../ports/download.ts";
import { WORDS } from "../../words/words.ts";
import type { AsJson, CommandContext } from "./command-context.ts";
import { CommandExit, EXIT_FAILED, jsonOption, usageError } from "./command-context.ts";
import { openReader, requireFile, withDomainsAt, withSettings } from "./with-domains.ts";

const NO_URL = "Give --url, or set KANALOG_URL.";

interface McpOptions {
  url?: string;
  key?: string;
  db?: string;
  sample?: boolean;
}

/** `kanalog mcp`: for assistants that only speak stdio, and a test for the others. */
export function mcpCommand(context: CommandContext): Command {
  return new Command("mcp")
    .description(
      "answer an assistant's MCP messages from standard input: forward them to an appliance, or read a file",
    )
    .option("--url <url>", "address of the appliance (KANALOG_URL)")
    .option(
      "--key <key>",
      "API key (KANALOG_KEY, which, unlike this option, process lists do not show)",
    )
    .addOption(
      new Option(
        "--db <file>",
        "read this database instead, without an appliance or a key",
      ).conflicts(["url", "key", "sample"]),
    )
    .addOption(new Option("--sample", "read the sample channels instead").conflicts(["url", "key"]))
    .action(async (options: McpOptions) => {
      if (options.sample) return answerFromSample(context);
      if (options.db !== undefined) return answerFromFile(context, options.db);
      const given = { KANALOG_URL: options.url, KANALOG_KEY: options.key };
      const { url, key } = readConfig(withSettings(context.environment, given));
      if (url === null) {
        throw usageError(`${NO_URL} To read a file, give --db or --sample.`);
      }
      if (key === null) throw usageError("Give --key, or set KANALOG_KEY.");
      await context.runMcpBridge(postTextTo(mcpAddressOf(url), key));
    })
    .addCommand(testCommand(context))
    .addCommand(manifestCommand(context));
}

/** Answers from a file, which an appliance may be serving. */
async function answerFromFile(context: CommandContext, databasePath: string): Promise<void> {
  const given = withSettings(context.environment, { KANALOG_DB: databasePath });
  const config = { ...readConfig(given), cluster: null };
  requireFile(config);
  using db = openReader(databasePath, context.ports(config).clock);
  await answerFrom(context, db, config);
}

function answerFromSample(context: CommandContext): Promise<void> {
  const given = withSettings(context.environment, { KANALOG_DB: IN_MEMORY });
  const config = { ...readConfig(given), cluster: null };
  return withDomainsAt(context, config, async ({ db, clock, sample }) => {
    await sample.load();
    await rebuildWhole(db, clock, () => {});
    await answerFrom(context, db, config);
  });
}

async function answerFrom(context: CommandContext, db: Database, config: Config): Promise<void> {
  const local = await context.localMcp(db, config, context.ports(config));
  try {
    await context.runMcpBridge(local.post);
  } finally {
    await local.close();
  }
}

function manifestCommand(context: CommandContext): Command {
  return new Command("manifest")
    .description("print the server.json of this appliance for the official MCP registry")
    .addOption(jsonOption())
    .action(async () => {
      const config = readConfig(context.environment);
      const { baseUrl } = config;
      if (!baseUrl?.startsWith("https://")) {
        throw usageError(
          "KANALOG_BASE_URL: set the https address of the appliance, which the registry lists.",
        );
      }
      const manifest = await context.registryManifest(baseUrl, config);
      context.output.out(JSON.stringify(manifest, null, 2));
    });
}

function testCommand({ environment, output, ports }: CommandContext): Command {
  return new Command("test")
    .description("connect to an appliance as hosted assistants do, and say which step fails")
    .option("--url <url>", "address that assistants are given (KANALOG_URL)")
    .addOption(jsonOption())
    .action(async ({ json }: AsJson, command: Command) => {
      const { url: given } = command.optsWithGlobals<{ url?: string }>();
      const config = readConfig(withSettings(environment, { KANALOG_URL: given }));
      if (config.url === null) throw usageError(NO_URL);
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
