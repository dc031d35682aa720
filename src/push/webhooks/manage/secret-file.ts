import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Database } from "../../../db/database.ts";
import { giveToOwnerOf, realFile } from "../../../db/file/file-access.ts";
import { AppError } from "../../../errors.ts";
import type { Random } from "../../../ports/ports.ts";
import { message } from "../../../values/messages/messages.ts";
import { anyWebhook } from "./webhooks.store.ts";

const SECRET_BYTES = 32;

/** Whether a database has webhooks: their secrets are sealed with the appliance's. */
export const needsSecret = (db: Database): boolean => anyWebhook(db);

/**
 * Path of the file of the secret that is created by itself: beside the database, never in it. If the path
 * of the database is a symbolic link, a secret beside the link takes precedence.
 */
export function secretPath(databasePath: string): string {
  const besideName = `${databasePath}.secret`;
  return existsSync(besideName) ? besideName : `${realFile(databasePath)}.secret`;
}

/**
 * The secret in the file; null if there is no file.
 * @throws AppError `unavailable` naming the file if it cannot be read
 */
export function readSecretFile(path: string): string | null {
  try {
    const text = readFileSync(path, "utf8").trim();
    if (text === "") throw new Error("the file is empty");
    return text;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw unusable(path, error);
  }
}

/**
 * Creates the file, readable by its owner only. It appears complete or not at all; if two processes start
 * together, both use the same secret.
 * @throws AppError `unavailable` naming the file if it cannot be created
 */
export function makeSecretFile(path: string, random: Random): string {
  const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString("base64url");
  const draft = `${path}.${Buffer.from(random.bytes(6)).toString("hex")}`;
  try {
    writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true });
    giveToOwnerOf(dirname(resolve(path)), draft);
    linkSync(draft, path);
  } catch (error) {
    // No error if another process created the file first.
    if (readSecretFile(path) === null) throw unusable(path, error);
  } finally {
    rmSync(draft, { force: true });
  }
  return readSecretFile(path) ?? secret;
}

function unusable(path: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError("unavailable", message("secretFileUnusable", { path, reason }), { cause });
}
