import type { Database } from "../../db/database.ts";
import { differences, expectedShape, type SchemaShape, shapeOf } from "../../db/migrate.ts";
import {
  channelFaults,
  directoryFaults,
  fileSteps,
  foreignKeyFaults,
  twinFaults,
} from "./channels.store.ts";
import { usageFaults, webhookFaults } from "./customers.store.ts";
import { postSearchSteps } from "./post-search.store.ts";
import { searchFaults } from "./search.store.ts";

/** One part of the check, with its faults as sentences; empty if all is well. */
export interface CheckResult {
  name: string;
  faults: string[];
}

/** A part's work on one thing, such as a table. */
export interface CheckStep {
  /** Empty if the part has no other. */
  name: string;
  faults(): string[];
}

const whole = (faults: (db: Database) => string[]) => (db: Database) => [
  { name: "", faults: () => faults(db) },
];

const CHECKS: Readonly<Record<string, (db: Database) => CheckStep[]>> = {
  schema: whole(schemaFaults),
  file: fileSteps,
  "foreign keys": whole(foreignKeyFaults),
  channels: whole(channelFaults),
  twins: whole(twinFaults),
  directories: whole(directoryFaults),
  "search index": whole(searchFaults),
  "post search": postSearchSteps,
  usage: whole(usageFaults),
  webhooks: whole(webhookFaults),
};

export const CHECK_NAMES = Object.keys(CHECKS);

/** Names of a part's steps; none if it is done at once. */
export function stepNames(db: Database, part: string): string[] {
  return (CHECKS[part]?.(db) ?? []).map(({ name }) => name).filter((name) => name !== "");
}

interface CheckOptions {
  /** The part to begin with, such as `file`, or a step of it, such as `file/posts`. */
  from?: string;
  /** Called before each step with its number within the part, and how many the part has. */
  onStep?(name: string, at: number, of: number): void;
}

/**
 * Checks the invariants of a database in one snapshot; others may write meanwhile. Use a separate reading
 * connection, because FTS5 caches the index's structure.
 * @param onResult called after each part
 */
export function checkDatabase(
  db: Database,
  onResult: (result: CheckResult) => void,
  { from = "schema", onStep = () => {} }: CheckOptions = {},
): void {
  const [firstName = "", firstStep = ""] = from.split("/");
  db.exec("BEGIN");
  try {
    for (const name of CHECK_NAMES.slice(CHECK_NAMES.indexOf(firstName))) {
      const faults: string[] = [];
      const steps = attempt("", () => CHECKS[name]?.(db) ?? [], faults) ?? [];
      const first = steps.findIndex((step) => name === firstName && step.name === firstStep);
      for (const [at, step] of steps.entries()) {
        if (at < first) continue;
        onStep(step.name === "" ? name : `${name}/${step.name}`, at + 1, steps.length);
        faults.push(...(attempt(step.name, step.faults, faults) ?? []));
      }
      onResult({ name, faults });
      if (name === "schema" && faults.length > 0) return;
    }
  } finally {
    // Rolled back, since nothing was written and a commit would fail on a damaged file.
    if (db.isInTransaction) db.exec("ROLLBACK");
  }
}

/** Built once, since it is the same for every file. */
let expected: SchemaShape | null = null;

function schemaFaults(db: Database): string[] {
  expected ??= expectedShape();
  return differences(shapeOf(db), expected).map(
    ({ type, name }) => `The ${type} ${name} is missing or differs from what this program creates.`,
  );
}

/** What cannot be read is a fault as well. */
function attempt<T>(step: string, work: () => T, faults: string[]): T | null {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    faults.push(`${step || "It"} cannot be read: ${reason}.`);
    return null;
  }
}
