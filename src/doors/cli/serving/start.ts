import { existsSync, linkSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Command } from "commander";
import sampleChannels from "../../../../data/sample/channels.ndjson" with { type: "file" };
import samplePosts from "../../../../data/sample/posts.ndjson" with { type: "file" };
import sampleStatistics from "../../../../data/sample/stats.csv" with { type: "file" };
import type { Domains } from "../../../app/domains.ts";
import { recount } from "../../../catalog/directory/recount.ts";
import { importFile } from "../../../catalog/imports/import-file.ts";
import { type Config, type Environment, SETTINGS } from "../../../config.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { databaseExists } from "../../../db/open-database.ts";
import { isRunning } from "../../../ports/running.ts";
import type { CommandContext } from "../command-context.ts";
import { requireFile, withDomainsAt } from "../with-domains.ts";
import { type ServeOptions, serve, serveConfig, withServeOptions } from "./serving.ts";

/** `kanalog start`: `serve`, with sample data and a key to try it where the database is new. */
export function startCommand(context: CommandContext): Command {
  return withServeOptions(new Command("start"))
    .description("serve; a new database gets sample channels, an organization and a key")
    .action(async (options: ServeOptions) => {
      const config = serveConfig(context, options);
      requireFile(config);
      const key = databaseExists(config.databasePath) ? null : await makeSample(context, config);
      const memberId = await withDomainsAt(context, config, ({ accounts }) =>
        accounts.firstMemberId(),
      );
      const another = howToMakeAKey(commandPrefix(context.environment, config), memberId);
      await serve(context, config, (address) => {
        context.output.out(
          key === null
            ? knownDatabaseText(address, another)
            : newDatabaseText(address, key, another),
        );
      });
    });
}

/**
 * Makes the database under another name and moves it into place when it is whole, so that a first
 * start that is interrupted can be repeated.
 * @returns the sample organization's key; null where another process made the database meanwhile
 */
async function makeSample(context: CommandContext, config: Config): Promise<string | null> {
  const unfinished = `${config.databasePath}.unfinished-${process.pid}`;
  removeLeftovers(config.databasePath);
  try {
    const key = await withDomainsAt(context, { ...config, databasePath: unfinished }, fillSample);
    // Unlike a rename, a link does not replace the database of a start that was faster.
    linkSync(unfinished, config.databasePath);
    return key;
  } catch (error) {
    if (databaseExists(config.databasePath)) return null;
    throw error;
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(unfinished + suffix, { force: true });
  }
}

/** Removes the files of first starts that were interrupted. */
function removeLeftovers(databasePath: string): void {
  const name = `${basename(databasePath)}.unfinished-`;
  const folder = dirname(databasePath);
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder)) {
    if (!file.startsWith(name)) continue;
    const processId = Number.parseInt(file.slice(name.length), 10);
    if (!isRunning(processId)) rmSync(join(folder, file), { force: true });
  }
}

async function fillSample({ db, clock, accounts, keys }: Domains): Promise<string> {
  await importFile(db, clock, "channels", sampleChannels);
  await importFile(db, clock, "posts", samplePosts);
  await importFile(db, clock, "stats", sampleStatistics);
  await recount(db, clock);
  const organization = await accounts.createOrganization(
    { name: "Sample", plan: "profi" },
    COMMAND_LINE,
  );
  const owner = await accounts.addMember(
    {
      organizationId: organization.id,
      email: "owner@example.com",
      name: "Sample owner",
      role: "owner",
    },
    COMMAND_LINE,
  );
  const { token } = await keys.createKey(
    {
      memberId: owner.id,
      name: "First key",
      access: "read_write",
      expiresAt: null,
    },
    COMMAND_LINE,
  );
  return token;
}

function newDatabaseText(address: string, key: string, another: string): string {
  return `
Kanalog runs with 9 sample channels.

  Address        ${address}
  Documentation  ${address}/docs/
  API key        ${key}
                 (shown this once; another: ${another})

Try it in another terminal:

  curl -H "Authorization: Bearer ${key}" "${address}/v1/msgr/channels/?limit=2"
`;
}

function knownDatabaseText(address: string, another: string): string {
  return `
Kanalog runs with the database that was here.

  Address        ${address}
  Documentation  ${address}/docs/
  API key        stored only as a hash; make another: ${another}
`;
}

function howToMakeAKey(command: string, memberId: number | null): string {
  return memberId === null
    ? `${command} org create --help, then member add, then key create`
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
