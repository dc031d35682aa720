import { openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import {
  createRejectsWriter,
  type RejectsWriter,
} from "../../../catalog/imports/writing/rejects-writer.ts";
import { TURNS_ENDING } from "../../../db/lock-turns.ts";
import { CommandExit, EXIT_FAILED, EXIT_USAGE } from "../command-context.ts";

/**
 * Writes rejected rows to a file, if one is named.
 * @param inUse files that it must not overwrite
 * @throws CommandExit if the file cannot be written, before anything is imported
 */
export function createRejectsFile(
  path: string | undefined,
  inUse: readonly string[],
): Pick<RejectsWriter, "add" | "close"> {
  if (path === undefined) return { add() {}, close() {} };
  const file = openForWriting(path, inUse);
  return createRejectsWriter(() => file, Number.POSITIVE_INFINITY);
}

function openForWriting(path: string, inUse: readonly string[]): number {
  const files = inUse.flatMap((used) => [used, `${used}-wal`, `${used}-shm`, used + TURNS_ENDING]);
  if (files.some((used) => resolve(used) === resolve(path) || isSameFile(used, path))) {
    throw new CommandExit(
      EXIT_USAGE,
      `--rejects: ${path} is the input, the database or its secret.`,
    );
  }
  try {
    return openSync(path, "w");
  } catch {
    throw new CommandExit(EXIT_FAILED, `--rejects: the file ${path} cannot be written.`);
  }
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}
