import { existsSync } from "node:fs";
import { Command, Option } from "commander";
import { type Config, readConfig } from "../../../config.ts";
import type { Database } from "../../../db/database.ts";
import type { DatabaseCopy } from "../../../db/file/database-copy.ts";
import { replaceDatabase, requireKanalogFile, writeCopy } from "../../../db/file/database-copy.ts";
import { openExisting, requireExisting } from "../../../db/open-database.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { needsSecret, secretPath } from "../../../push/webhooks/manage/secret-file.ts";
import { backUp, backupPlace } from "../../../upkeep/backups/backup-files.ts";
import { type PageCopy, wholeBackup } from "../../../upkeep/backups/page-backup.ts";
import { message } from "../../../values/messages/messages.ts";
import { fileStamp } from "../../../values/moscow-time.ts";
import { backups } from "../../../verbs/operator/system/jobs.ts";
import { type AsJson, type CommandContext, jsonOption, usageError } from "../command-context.ts";
import { printObject } from "../print.ts";
import { resourceCommand } from "../resource-command.ts";
import { requireFile } from "../with-domains.ts";
import { STANDARD_OUTPUT } from "./export.ts";

/** `kanalog backup`: copies the database, whether it is being served or not. */
export function backupCommand(context: CommandContext): Command {
  return (
    resourceCommand(backups, context)
      .description("copy the database to a file, or what has changed of it to a folder of backups")
      // Its own options are before a further command, which has options of the same names.
      .enablePositionalOptions()
      .argument("[file]", "the new file; an existing one is refused")
      .option(
        "--to <folder>",
        "instead of a file: a folder, which gets what has changed since its last backup",
      )
      .addOption(jsonOption())
      .action((file: string | undefined, { to, json }: BackupOptions) => {
        // SQLite cannot write a copy to standard output.
        if (file === STANDARD_OUTPUT) {
          throw usageError("A backup needs a file: name one (./- for a file named -).");
        }
        if (file !== undefined && to === undefined) {
          return backUpWith((db, clock) => writeCopy(db, file, clock), context, json);
        }
        if (file === undefined && to !== undefined) {
          return backUpWith(
            (db, clock, { databasePath, backupsKept }) =>
              backUp(db, clock, { place: backupPlace(to, databasePath), kept: backupsKept }),
            context,
            json,
          );
        }
        throw usageError("Name a file, or a folder with --to.");
      })
  );
}

interface BackupOptions extends AsJson {
  to?: string;
}

type WriteBackup = (db: Database, clock: Clock, config: Config) => DatabaseCopy | Promise<PageCopy>;

/** Backs the file up without migrating it, because a backup precedes an upgrade. */
async function backUpWith(
  write: WriteBackup,
  { environment, output, ports }: CommandContext,
  asJson?: boolean,
): Promise<void> {
  const config = readConfig(environment);
  requireFile(config);
  const { databasePath } = config;
  requireExisting(databasePath);
  requireKanalogFile(databasePath);
  const { clock } = ports(config);
  using db = openExisting(databasePath, clock);
  const { path, bytes, schemaVersion, ...added } = await write(db, clock, config);
  const hasWebhooks = await needsSecret(db);
  if (config.cluster !== null) {
    output.note(
      "This is a node's copy, which is only useful with its cluster: back up PostgreSQL, or write a " +
        "database of its own with `kanalog cluster leave --to FILE`.",
    );
  }
  const secret = secretName(config);
  const taken = "addedBytes" in added ? { added_bytes: added.addedBytes } : {};
  printObject(output, { path, bytes, ...taken, schema_version: schemaVersion, secret }, asJson);
  if (secret !== null) {
    output.note(`A restore also needs ${secret}, which is not in the backup: store it separately.`);
  } else if (hasWebhooks) {
    output.note(
      `The database has webhooks, but ${secretPath(databasePath)} is missing, which decrypts ` +
        "their signing secrets: a restore needs it.",
    );
  }
}

export function restoreCommand(context: CommandContext): Command {
  const { output } = context;
  return new Command("restore")
    .description("replace the database with a backup; the replaced file is kept beside it")
    .argument("<file>", "the backup, which is not changed")
    .addOption(new Option("--yes", "nothing is asked: the replaced file is kept").hideHelp())
    .addOption(jsonOption())
    .action((file: string, { json }: AsJson) => {
      const config = readConfig(context.environment);
      requireFile(config);
      const { clock } = context.ports(config);
      const { databasePath } = config;
      if (config.cluster !== null) throw new AppError("conflict", message("restoreOnNode"));
      const suffix = `.before-restore-${fileStamp(clock.now())}`;
      using whole = wholeBackup(file, databasePath, clock);
      const { schemaVersion, keptAs } = replaceDatabase(databasePath, whole.path, suffix, clock);
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

/** Where the secret is that the database's webhooks need; null if none has been created yet. */
function secretName({ secret, databasePath }: Config): string | null {
  if (secret !== null) return "KANALOG_SECRET";
  const path = secretPath(databasePath);
  return existsSync(path) ? path : null;
}
