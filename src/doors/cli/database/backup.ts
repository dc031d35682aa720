import { existsSync } from "node:fs";
import { Command } from "commander";
import { type Config, readConfig } from "../../../config.ts";
import {
  type DatabaseCopy,
  requireKanalogFile,
  writeCopy,
} from "../../../db/file/database-copy.ts";
import { replaceDatabase } from "../../../db/file/replace-database.ts";
import { openExisting, requireExisting } from "../../../db/open-database.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { needsSecret, secretPath } from "../../../push/webhooks/manage/secret-file.ts";
import { message } from "../../../values/messages/messages.ts";
import { fileStamp } from "../../../values/moscow-time.ts";
import { backups } from "../../../verbs/operator/backups.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import { type CommandContext, CommandExit, EXIT_USAGE } from "../command-context.ts";
import { printObject } from "../print.ts";
import { resourceCommand } from "../resource-command.ts";
import { requireFile } from "../with-domains.ts";
import { STANDARD_OUTPUT } from "./export-target.ts";

/** `kanalog backup`: copies the database, whether it is being served or not. */
export function backupCommand(context: CommandContext): Command {
  const { output } = context;
  return (
    resourceCommand(backups, context)
      .description("copy the database to a file, or list the daily backups")
      // Its own options are before a further command, which has options of the same names.
      .enablePositionalOptions()
      .argument("<file>", "the new file; an existing one is refused")
      .addOption(jsonOption())
      .action(async (file: string, { json }: AsJson) => {
        const config = readConfig(context.environment);
        requireFile(config);
        // SQLite cannot write a copy to standard output.
        if (file === STANDARD_OUTPUT) {
          throw new CommandExit(
            EXIT_USAGE,
            "A backup needs a file: name one (./- for a file named -).",
          );
        }
        const { clock } = context.ports(config);
        const { path, bytes, schemaVersion, hasWebhooks } = await copyTo(file, config, clock);
        if (config.cluster !== null) {
          output.note(
            "This is a node's copy, which is only useful with its cluster: back up PostgreSQL, or write a " +
              "database of its own with `kanalog cluster leave --to FILE`.",
          );
        }
        const secret = secretName(config);
        printObject(output, { path, bytes, schema_version: schemaVersion, secret }, json);
        if (secret !== null) {
          output.note(
            `A restore also needs ${secret}, which is not in the backup: store it separately.`,
          );
        } else if (hasWebhooks) {
          output.note(
            `The database has webhooks, but ${secretPath(config.databasePath)} is missing, which decrypts ` +
              "their signing secrets: a restore needs it.",
          );
        }
      })
  );
}

/** `kanalog restore`: replaces the database with a backup. */
export function restoreCommand(context: CommandContext): Command {
  const { output } = context;
  return new Command("restore")
    .description("replace the database with a backup; the replaced file is kept beside it")
    .argument("<file>", "the backup, which is not changed")
    .addOption(jsonOption())
    .action((file: string, { json }: AsJson) => {
      const config = readConfig(context.environment);
      requireFile(config);
      const { clock } = context.ports(config);
      const { databasePath } = config;
      if (config.cluster !== null) throw new AppError("conflict", message("restoreOnNode"));
      const suffix = `.before-restore-${fileStamp(clock.now())}`;
      const { schemaVersion, keptAs } = replaceDatabase(databasePath, file, suffix, clock);
      printObject(
        output,
        { path: databasePath, schema_version: schemaVersion, kept_as: keptAs },
        json,
      );
      // Reveals a mistyped KANALOG_DB.
      if (keptAs === null) output.note(`There was no database ${databasePath} before.`);
      const secret = secretName(config);
      output.note(
        secret === null
          ? `${secretPath(databasePath)} is missing: if the backup has webhooks, put the file from the ` +
              "time of the backup there before starting, or set KANALOG_SECRET to its text."
          : `${secret} decrypts the webhooks' signing secrets: it must be the one from the time of the backup.`,
      );
    });
}

/** Copies the file without migrating it, because a backup precedes an upgrade. */
async function copyTo(
  file: string,
  { databasePath }: Config,
  clock: Clock,
): Promise<DatabaseCopy & { hasWebhooks: boolean }> {
  requireExisting(databasePath);
  requireKanalogFile(databasePath);
  using db = openExisting(databasePath, clock);
  const copy = writeCopy(db, file, clock);
  return { ...copy, hasWebhooks: await needsSecret(db) };
}

/** Where the secret is that the database's webhooks need; null if none has been created yet. */
function secretName({ secret, databasePath }: Config): string | null {
  if (secret !== null) return "KANALOG_SECRET";
  const path = secretPath(databasePath);
  return existsSync(path) ? path : null;
}
