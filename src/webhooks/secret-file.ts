import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { AppError } from "../errors.ts";
import type { Random } from "../ports/random.ts";

const SECRET_BYTES = 32;

/** Where the secret lies that nobody set: beside the database, never in it. */
export function secretPath(databasePath: string): string {
  return `${databasePath}.secret`;
}

/**
 * The secret of a file beside the database, made on the first start, for its owner's eyes only
 * (decisions, section 6).
 * @throws AppError `unavailable` naming the file, where it can be neither read nor made
 */
export function readOrMakeSecret(path: string, random: Random): string {
  try {
    return readSecret(path) ?? makeSecret(path, random);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("unavailable", `Cannot read or make the secret ${path}: ${reason}.`, {
      cause,
    });
  }
}

function readSecret(path: string): string | null {
  try {
    const text = readFileSync(path, "utf8").trim();
    if (text === "") throw new Error("the file is empty");
    return text;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** Appears whole or not at all, and once only where two processes start together. */
function makeSecret(path: string, random: Random): string {
  const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString("base64url");
  const draft = `${path}.${Buffer.from(random.bytes(6)).toString("hex")}`;
  try {
    writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true });
    linkSync(draft, path);
  } catch (error) {
    // Another process was first.
    if (readSecret(path) === null) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readSecret(path) ?? secret;
}
