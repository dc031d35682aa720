import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Domains } from "../../app/domains.ts";
import { endCopy } from "../../cluster/make-cluster.ts";
import { type Config, readConfig } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { IN_MEMORY, openDatabase } from "../../db/open-database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AsJson } from "./arguments.ts";
import { type CommandContext, CommandExit, EXIT_USAGE } from "./command-context.ts";
import { type Printable, printObject } from "./print.ts";

/** Opens the configured database, creating it if necessary, and closes it afterwards. */
export async function withDomains<T>(
  context: CommandContext,
  work: (domains: Domains) => T | Promise<T>,
): Promise<T> {
  const config = readConfig(context.environment);
  requireFile(config);
  const isNew = !existsSync(config.databasePath);
  return withDomainsAt(context, config, (domains) => {
    // Reveals a mistyped KANALOG_DB.
    if (isNew) context.output.note(`Created a new database, ${config.databasePath}.`);
    return work(domains);
  });
}

/** As `withDomains`, and prints what the work returns. */
export function printResult(
  context: CommandContext,
  { json }: AsJson,
  work: (domains: Domains) => Promise<Printable>,
): Promise<void> {
  return withDomains(context, async (domains) =>
    printObject(context.output, await work(domains), json),
  );
}

/** As `withDomains`, with the given settings, and without a note about a new database. */
export async function withDomainsAt<T>(
  context: CommandContext,
  config: Config,
  work: (domains: Domains) => T | Promise<T>,
): Promise<T> {
  const domains = await context.openDomains(config, context.ports(config));
  try {
    return await work(domains);
  } finally {
    domains.db.close();
  }
}

/**
 * As `withDomains`, on a temporary copy beside the database, or on a new database if there is none. For
 * trying what a command would do.
 */
export async function withDomainsOfCopy<T>(
  context: CommandContext,
  work: (domains: Domains) => T | Promise<T>,
): Promise<T> {
  const config = readConfig(context.environment);
  requireFile(config);
  const exists = existsSync(config.databasePath);
  const place = exists ? dirname(config.databasePath) : tmpdir();
  const folder = mkdtempSync(join(place, "kanalog-dry-run-"));
  const databasePath = join(folder, "copy.db");
  try {
    if (exists)
      await withDomainsAt(context, config, ({ db, clock }) => copyApart(db, databasePath, clock));
    return await withDomainsAt(context, { ...config, cluster: null, databasePath }, work);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies a database; a node's copy is detached, so that what is written to it reaches no other node. */
async function copyApart(db: Database, path: string, clock: Clock): Promise<void> {
  db.copyTo(path);
  using copy = openDatabase(path, clock);
  await endCopy(copy, clock);
}

/** Refuses an in-memory database, which would disappear with this command. @throws CommandExit */
export function requireFile({ databasePath }: Config): void {
  if (databasePath === IN_MEMORY) {
    throw new CommandExit(
      EXIT_USAGE,
      "KANALOG_DB: name a file; a database in memory would be lost when the command ends.",
    );
  }
}
