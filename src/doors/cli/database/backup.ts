import { existsSync } from "node:fs";
import { Command } from "commander";
import { type Config, readConfig } from "../../../config.ts";
import { type DatabaseCopy, writeCopy } from "../../../db/database-copy.ts";
import { openExisting } from "../../../db/open-database.ts";
import { replaceDatabase } from "../../../db/replace-database.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { needsSecret, secretPath } from "../../../push/webhooks/manage/secret-file.ts";
import { message } from "../../../values/messages/messages.ts";
import { fileStamp } from "../../../values/moscow-time.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import { type CommandContext, CommandExit, EXIT_USAGE } from "../command-context.ts";
import { printObject } from "../print.ts";
import { requireFile } from "../with-domains.ts";
import { STANDARD_OUTPUT } from "./export-target.ts";

/** `kanalog backup`: copies the database, whether it is being served or not. */
export function backupCommand(context: CommandContext): Command {
  const { output } = context;
  return new Command("backup")
    .description("write a copy of the database, while the appliance runs or not")
    .argument("<file>", "the file to write; one that exists is refused")
    .addOption(jsonOption())
    .action(async (file: string, { json }: AsJson) => {
      const config = readConfig(context.environment);
      requireFile(config);
      // SQLite cannot write a copy to standard output.
      if (file === STANDARD_OUTPUT) {
        throw new CommandExit(
          EXIT_USAGE,
          "A backup goes to a file: name one (./- for one named -).",
        );
      }
      const { clock } = context.ports(config);
      const { path, bytes, schemaVersion, hasWebhooks } = await copyTo(file, config, clock);
      if (config.cluster !== null) {
        output.note(
          "This is a node's copy, of use with its cluster only: back PostgreSQL up, or write an appliance " +
            "with `kanalog cluster leave --to FILE`.",
        );
      }
      const secret = secretName(config);
      printObject(output, { path, bytes, schema_version: schemaVersion, secret }, json);
      if (secret !== null) {
        output.note(`A restore needs ${secret} too, which is not in the file: keep it apart.`);
      } else if (hasWebhooks) {
        output.note(
          `The database holds webhooks, but ${secretPath(config.databasePath)} is missing, by which ` +
            "their signing secrets are read: a restore needs it.",
        );
      }
    });
}

/** `kanalog restore`: replaces the database with a backup. */
export function restoreCommand(context: CommandContext): Command {
  const { output } = context;
  return new Command("restore")
    .description("put a backup in the place of the database, which is kept beside it")
    .argument("<file>", "the backup; it stays as it is")
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
          ? `${secretPath(databasePath)} is missing here: if the backup holds webhooks, put the one ` +
              "of the backup's time there before the start, or give its text as KANALOG_SECRET."
          : `Webhooks' signing secrets are read with ${secret}: it must be that of the backup's time.`,
      );
    });
}

/** Copies the file without migrating it, because a backup precedes an upgrade. */
async function copyTo(
  file: string,
  { databasePath }: Config,
  clock: Clock,
): Promise<DatabaseCopy & { hasWebhooks: boolean }> {
  const db = openExisting(databasePath, clock);
  try {
    const copy = writeCopy(db, file, clock);
    return { ...copy, hasWebhooks: await needsSecret(db) };
  } finally {
    db.close();
  }
}

/** Where the secret is that the database's webhooks need; null if none has been created yet. */
function secretName({ secret, databasePath }: Config): string | null {
  if (secret !== null) return "KANALOG_SECRET";
  const path = secretPath(databasePath);
  return existsSync(path) ? path : null;
}
