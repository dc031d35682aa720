import { Command } from "commander";
import type { Domains } from "../../../app/domains.ts";
import { type Config, type Environment, SETTINGS } from "../../../config.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import type { CommandContext } from "../command-context.ts";
import { requireFile } from "../with-domains.ts";
import type { Listening, ServeOptions } from "./until-stopped.ts";
import { serve, serveConfig, servesText, withServeOptions } from "./until-stopped.ts";

export function startCommand(context: CommandContext): Command {
  return withServeOptions(new Command("start"))
    .description("like serve, but a new database gets sample channels, an organization and a key")
    .option("--demo", "300 made-up channels and some customers instead of the sample", false)
    .action(async (options: ServeOptions & { demo: boolean }) => {
      const config = serveConfig(context, options);
      requireFile(config);
      const { output } = context;
      await serve(context, options, async (listening, withDomains) => {
        output.note(servesText(listening));
        await withDomains(async (domains) => {
          const hasDemo = await fillEmpty(domains, options.demo);
          const key = await domains.keys.createFirst(COMMAND_LINE);
          if (hasDemo) await domains.loadDemoCustomers();
          const memberId = await domains.accounts.firstMemberId();
          const another = newKeyCommand(commandPrefix(context.environment, config), memberId);
          const { length: channels } = domains.sample.ids();
          // Printed as one text, so that no log line appears within it.
          output.out(startText(listening, channels, key, another));
        });
      });
    });
}

/**
 * Loads the sample into an empty database. It happens while the appliance listens, so that a start that
 * cannot listen creates nothing; an interrupted one is continued.
 * @returns whether it was the demonstration
 */
async function fillEmpty({ accounts, sample }: Domains, isDemo: boolean): Promise<boolean> {
  const isNew = (await accounts.organizations()).length === 0 && sample.isCatalogEmpty();
  if (isNew && isDemo) await sample.loadDemo();
  else if (isNew || sample.isUnfinished()) await sample.load();
  return isNew && isDemo;
}

/** Text of every `start`: addresses to open, and if there is a new key, the key and a command to paste. */
function startText(
  { address, setUpAddress }: Listening,
  sampleChannels: number,
  key: string | null,
  another: string,
): string {
  const rows: [label: string, text: string][] = [
    ["Address", address],
    ["Documentation", `${address}/docs/`],
  ];
  if (sampleChannels > 0) rows.push(["Data", `${sampleChannels} sample channels, to try it with`]);
  if (key === null) rows.push(["API key", `stored only as a hash; create another: ${another}`]);
  else rows.push(["API key", key], ["", `(shown only once; another: ${another})`]);
  if (setUpAddress !== null) {
    rows.push(["First account", setUpAddress], ["", "(create it here within 30 minutes)"]);
  }
  const table = rows.map(([label, text]) => `  ${label.padEnd(15)}${text}\n`).join("");
  if (key === null) return `\n${table}`;
  const call = `curl -H "Authorization: Bearer ${key}" "${address}/v1/msgr/channels/?limit=2"`;
  return `\n${table}\nTry it in another terminal:\n\n  ${call}\n`;
}

function newKeyCommand(command: string, memberId: number | null): string {
  return memberId === null
    ? `${command} org create --help`
    : `${command} key create --member ${memberId}`;
}

/**
 * How the person who started this calls `kanalog`: the executable under the name it was called by, or Bun,
 * through npx if npm runs it. A database elsewhere than usual is named by its variable, the only way in
 * which commands find it.
 */
function commandPrefix(environment: Environment, { databasePath }: Config): string {
  const variable =
    databasePath === SETTINGS.KANALOG_DB.fallback ? "" : `KANALOG_DB='${databasePath}' `;
  if (Bun.isStandaloneExecutable) return variable + process.argv0;
  const isNpm = environment["npm_config_user_agent"]?.startsWith("npm/");
  // The npm package has the bundled program, a clone `main.ts`.
  if (Bun.main.endsWith("program.js")) return `${variable}${isNpm ? "npx" : "bunx"} kanalog`;
  return `${variable}${isNpm ? `npx --yes bun@${Bun.version}` : "bun"} kanalog`;
}
