import { Command } from "commander";
import type { Domains } from "../../../app/domains.ts";
import { type Config, type Environment, SETTINGS } from "../../../config.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import type { CommandContext } from "../command-context.ts";
import { requireFile } from "../with-domains.ts";
import { type ServeOptions, serve, serveConfig, withServeOptions } from "./serving.ts";

/** `kanalog start`: `serve`, with sample data and a key to try it where the database is new. */
export function startCommand(context: CommandContext): Command {
  return withServeOptions(new Command("start"))
    .description("serve; a new database gets sample channels, an organization and a key")
    .action(async (options: ServeOptions) => {
      const config = serveConfig(context, options);
      requireFile(config);
      const { output } = context;
      await serve(context, options, async (address, withDomains) => {
        output.out(`\n  Address        ${address}\n  Documentation  ${address}/docs/`);
        await withDomains(async (domains) => {
          await fillEmpty(domains);
          const { length: channels } = domains.sample.ids();
          if (channels > 0)
            output.out(`  Data           ${channels} sample channels, to try it with`);
          const key = await domains.keys.createFirst(COMMAND_LINE);
          const memberId = await domains.accounts.firstMemberId();
          const another = howToMakeAKey(commandPrefix(context.environment, config), memberId);
          if (key !== null) output.out(newKeyText(address, key, another));
          else output.out(`  API key        stored only as a hash; make another: ${another}\n`);
        });
      });
    });
}

/**
 * Gives a database with nothing in it the sample. It is done while the appliance listens, so that a start
 * that cannot listen makes nothing; one that was interrupted goes on.
 */
async function fillEmpty({ accounts, sample }: Domains): Promise<void> {
  const isNew = (await accounts.organizations()).length === 0 && sample.isCatalogEmpty();
  if (isNew || sample.isUnfinished()) await sample.load();
}

function newKeyText(address: string, key: string, another: string): string {
  return `  API key        ${key}
                 (shown this once; another: ${another})

Try it in another terminal:

  curl -H "Authorization: Bearer ${key}" "${address}/v1/msgr/channels/?limit=2"
`;
}

function howToMakeAKey(command: string, memberId: number | null): string {
  return memberId === null
    ? `${command} org create --help`
    : `${command} key create --member ${memberId}`;
}

/**
 * The command line by which whoever started this calls `kanalog`: the executable as it was called, or
 * Bun, through npx where npm runs it. A database elsewhere than usual is named by the variable, the only
 * way in which commands find it.
 */
function commandPrefix(environment: Environment, { databasePath }: Config): string {
  const variable =
    databasePath === SETTINGS.KANALOG_DB.fallback ? "" : `KANALOG_DB='${databasePath}' `;
  if (Bun.isStandaloneExecutable) return variable + process.argv0;
  const command = environment["npm_config_user_agent"]?.startsWith("npm/")
    ? `npx --yes bun@${Bun.version} kanalog`
    : "bun kanalog";
  return variable + command;
}
