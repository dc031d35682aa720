import { hkdfSync } from "node:crypto";
import type { Config } from "../config.ts";
import type { AuthSettings } from "../customers/people/auth.ts";
import type { Database } from "../db/database.ts";
import { IN_MEMORY } from "../db/open-database.ts";
import { AppError } from "../errors.ts";
import type { Random } from "../ports/ports.ts";
import { makeSecretFile, readSecretFile, secretPath } from "../push/webhooks/manage/secret-file.ts";
import {
  anyWebhook,
  selectOperatorWebhooks,
  selectWebhooks,
} from "../push/webhooks/manage/webhooks.store.ts";
import { message } from "../values/messages/messages.ts";
import type { SecretBox } from "../values/secret-box.ts";

/**
 * Returns the installation's secret. A new one is created only for a database without webhooks, whose own
 * secrets would otherwise become unreadable.
 * @throws AppError `conflict` if the secret's file is missing
 */
export type InstallationSecret = (db: Database) => Promise<string>;

/** Reads or creates the secret on first use, because most commands need none. */
export function installationSecret(config: Config, random: Random): InstallationSecret {
  let secret: Promise<string> | null = null;
  return (db) => {
    secret ??= secretOf(config, db, random);
    return secret;
  };
}

async function secretOf(
  { secret, databasePath }: Config,
  db: Database,
  random: Random,
): Promise<string> {
  if (secret !== null) return secret;
  if (databasePath === IN_MEMORY) return Buffer.from(random.bytes(32)).toString("base64url");
  const path = secretPath(databasePath);
  const found = readSecretFile(path);
  if (found !== null) return found;
  if (await anyWebhook(db)) {
    throw new AppError("conflict", message("secretFileMissing", { path }));
  }
  return makeSecretFile(path, random);
}

/**
 * Checks at the start that webhooks' secrets can be decrypted: with a wrong installation secret every
 * delivery would fail, and each webhook would be disabled after a day.
 * @throws AppError `conflict` naming the webhooks
 */
export async function requireReadableSecrets(
  db: Database,
  secrets: SecretBox,
  config: Config,
): Promise<void> {
  const all = [...(await selectWebhooks(db, null)), ...(await selectOperatorWebhooks(db))];
  const unreadable = all.filter(
    ({ disabledReason, secret }) => disabledReason === "" && secrets.open(secret) === null,
  );
  if (unreadable.length === 0) return;
  const secret = config.secret === null ? secretPath(config.databasePath) : "KANALOG_SECRET";
  const webhooks = unreadable.map(({ id }) => id);
  throw new AppError("conflict", message("secretsUnreadable", { secret, webhooks }));
}

export function authSettings(secret: string): AuthSettings {
  return { secret: subkey(secret, "kanalog site sessions") };
}

export function subkey(secret: string, purpose: string): string {
  return Buffer.from(hkdfSync("sha256", secret, "", purpose, 32)).toString("base64url");
}
