import { AppError } from "../errors.ts";
import { message } from "../values/messages/messages.ts";
import type { Database } from "./database.ts";

/**
 * The version that `schema.sql` creates; a file's version is its `user_version`. Programs before the first
 * release counted from 1: a number far above theirs tells their files apart, and makes them refuse ours.
 */
export const FIRST_VERSION = 118;

/**
 * SQL that takes a file to the next version, in order; a released one is never edited. Foreign keys are off
 * meanwhile, because rebuilding a table drops the old one, and are checked at the end.
 */
export const MIGRATIONS: readonly string[] = [];

/** The newest version that a program with these migrations knows. */
export const newestWith = (migrations: readonly string[]): number =>
  FIRST_VERSION + migrations.length;

export const SCHEMA_VERSION = newestWith(MIGRATIONS);

export function schemaVersion(db: Database): number {
  return db.pragmaValue("user_version") as number;
}

/**
 * @param file its path, for the error
 * @throws AppError `conflict`, with advice, if a program before the first release wrote it
 */
export function requireReleased(file: string, version: number): void {
  if (version >= FIRST_VERSION) return;
  throw new AppError("conflict", message("fileBeforeRelease", { file, version }));
}

/** @throws AppError as `requireReleased`; `conflict` naming both versions if it is newer than `known` */
export function requireKnownVersion(
  file: string,
  version: number,
  known: number = SCHEMA_VERSION,
): void {
  requireReleased(file, version);
  if (version <= known) return;
  throw new AppError("conflict", message("newerFile", { file, version, known }));
}
