import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Domains } from "../../app/domains.ts";
import { endCopy } from "../../cluster/make-cluster.ts";
import { type Config, type Environment, readConfig, SETTINGS } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { requireKanalogFile } from "../../db/file/database-copy.ts";
import { IN_MEMORY, openDatabase, openExisting, requireExisting } from "../../db/open-database.ts";
import { requireKnownVersion, SCHEMA_VERSION, schemaVersion } from "../../db/schema-version.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { nearestCodes } from "../../values/fold-text.ts";
import { message } from "../../values/messages/messages.ts";
import { type AsJson, type CommandContext, usageError } from "./command-context.ts";
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
    throw usageError(
      "KANALOG_DB: name a file; a database in memory would be lost when the command ends.",
    );
  }
}

/**
 * The environment with options in place of settings; options that were not given change nothing. An option
 * also removes the setting's `_FILE` variable, because giving both is an error.
 */
export function withSettings(environment: Environment, given: Environment): Environment {
  const options = Object.entries(given).filter(([, text]) => text !== undefined);
  const files = options.map(([name]) => [`${name}_FILE`, undefined]);
  return { ...environment, ...Object.fromEntries([...options, ...files]) };
}

const PREFIX = "KANALOG_";
/** Prefix of the variables that only tests read. */
const TEST_PREFIX = "KANALOG_TEST_";

const NAMES = Object.keys(SETTINGS).flatMap((name) => [name, `${name}_FILE`]);
const ENTRIES = NAMES.map((name) => {
  const slug = name.slice(PREFIX.length).toLowerCase();
  return { slug, name: slug };
});

/** A sentence for each variable that is named like a setting but is none: a misspelt one would go unnoticed. */
export function unknownSettings(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([given, value]) => {
    const isOurs = given.startsWith(PREFIX) && !given.startsWith(TEST_PREFIX);
    if (!isOurs || !value || NAMES.includes(given)) return [];
    const nearest = nearestCodes(given.slice(PREFIX.length), ENTRIES).map(
      (slug) => PREFIX + slug.toUpperCase(),
    );
    const meant = nearest.length === 0 ? "." : `; did you mean ${nearest.join(" or ")}?`;
    return [`${given} is not a setting${meant}`];
  });
}

export function warnOfUnknownSettings({ environment, output }: CommandContext): void {
  for (const fault of unknownSettings(environment)) output.note(`Warning: ${fault}`);
}

/**
 * Opens the existing database for reading; the caller closes it.
 * @throws AppError `not_found`; `conflict` for an older one, which only commands that write migrate
 */
export function openReader(path: string, clock: Clock): Database {
  requireExisting(path);
  requireKanalogFile(path);
  const db = openExisting(path, clock);
  try {
    const version = schemaVersion(db);
    requireKnownVersion(path, version);
    if (version < SCHEMA_VERSION) {
      const reason = message("olderFile", { file: path, version, known: SCHEMA_VERSION });
      throw new AppError("conflict", reason);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
