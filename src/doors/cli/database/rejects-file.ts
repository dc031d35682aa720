import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { stringifyExact } from "../../../catalog/imports/exact-number.ts";
import type { Reject } from "../../../catalog/imports/run-import.ts";
import { inEnglish } from "../../../values/messages/messages.ts";
import { CommandExit, EXIT_FAILED, EXIT_USAGE } from "../command-context.ts";

/**
 * Writes rejected rows into a file, where one is named.
 * @param inUse files that it must not be
 * @throws CommandExit where the file cannot be written, before anything is imported
 */
export function createRejectsFile(
  path: string | undefined,
  inUse: readonly string[],
): { add(reject: Reject): void; close(): void } {
  const file = path === undefined ? null : openForWriting(path, inUse);
  return {
    add({ line, column, fault, fields }) {
      if (file === null) return;
      const reason = inEnglish(fault);
      writeSync(file, `${stringifyExact({ line, column, reason, fields })}\n`);
    },
    close() {
      if (file !== null) closeSync(file);
    },
  };
}

function openForWriting(path: string, inUse: readonly string[]): number {
  const files = inUse.flatMap((used) => [used, `${used}-wal`, `${used}-shm`]);
  if (files.some((used) => resolve(used) === resolve(path) || isSameFile(used, path))) {
    throw new CommandExit(EXIT_USAGE, `--rejects: ${path} is the input or the database itself.`);
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
