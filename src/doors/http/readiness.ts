import { json } from "./answers.ts";

/** Checks by name: each gives a sentence that says what is wrong, or null. */
export type ReadyChecks = Record<string, () => string | null | Promise<string | null>>;

const RETRY_AFTER_S = "1";

/** Checks of one process by their names: a sentence, or null where all is well. */
export interface Readiness {
  checks: [name: string, fault: string | null][];
  warnings: [name: string, warning: string | null][];
}

export async function checkReadiness(
  checks: ReadyChecks,
  warnings: ReadyChecks,
): Promise<Readiness> {
  const faults = await run(checks);
  // Warnings are read from the database, which has to answer for that.
  const isRead = faults.every(([name, fault]) => name !== "database" || fault === null);
  return { checks: faults, warnings: isRead ? await run(warnings) : [] };
}

/**
 * `/readyz`: 200 where all is well but for warnings, else 503. `checks` has `ok` or what is wrong, by
 * name; it is public, so no sentence tells more than that.
 * @param own what this process tells
 * @param others what the other workers tell: of each name the first thing that is wrong is told
 */
export function readinessAnswer(own: Readiness, others: readonly Readiness[]): Response {
  const faults = merged([own.checks, ...others.map(({ checks }) => checks)]);
  const warned = merged([own.warnings, ...others.map(({ warnings }) => warnings)]);
  const detail = [...faults.values()].flatMap((fault) => fault ?? []).join(" ");
  // A warning without a cause is left out, not `ok`: few appliances set what it is about.
  const told = Object.fromEntries([
    ...[...faults].map(([name, fault]) => [name, fault ?? "ok"]),
    ...[...warned].filter(([, warning]) => warning !== null),
  ]);
  if (detail === "") return json(200, { status: "ok", checks: told }, {});
  const body = { code: "unavailable", detail, checks: told };
  return json(503, body, { "retry-after": RETRY_AFTER_S });
}

function merged(told: readonly Readiness["checks"][]): Map<string, string | null> {
  const all = new Map<string, string | null>();
  for (const [name, said] of told.flat()) all.set(name, all.get(name) ?? said);
  return all;
}

function run(checks: ReadyChecks): Promise<[name: string, said: string | null][]> {
  return Promise.all(
    Object.entries(checks).map(
      async ([name, check]): Promise<[string, string | null]> => [name, await check()],
    ),
  );
}
