import { json } from "./answers.ts";

/** Checks by name: each returns a sentence that says what is wrong, or null. */
export type ReadyChecks = Record<string, () => string | null | Promise<string | null>>;

const RETRY_AFTER_S = "1";

/** Results of one process's checks by name: a sentence, or null if all is well. */
export interface Readiness {
  checks: [name: string, fault: string | null][];
  warnings: [name: string, warning: string | null][];
}

export async function checkReadiness(
  checks: ReadyChecks,
  warnings: ReadyChecks,
): Promise<Readiness> {
  const faults = await run(checks);
  // Warnings are read from the database, so only if it responds.
  const isRead = faults.every(([name, fault]) => name !== "database" || fault === null);
  return { checks: faults, warnings: isRead ? await run(warnings) : [] };
}

/**
 * `/readyz`: 200 if everything is well apart from warnings, else 503. `checks` contains `ok` or what is
 * wrong, by name; it is public, so the sentences reveal nothing more.
 * @param own this process's results
 * @param others results of the other workers; for each name, their different faults are reported
 */
export function readinessAnswer(own: Readiness, others: readonly Readiness[]): Response {
  const faults = merged([own.checks, ...others.map(({ checks }) => checks)]);
  const warned = merged([own.warnings, ...others.map(({ warnings }) => warnings)]);
  const detail = [...faults.values()].flatMap((fault) => fault ?? []).join(" ");
  // A warning without a cause is omitted instead of `ok`, because few appliances configure what it is
  // about.
  const shown = Object.fromEntries([
    ...[...faults].map(([name, fault]) => [name, fault ?? "ok"]),
    ...[...warned].filter(([, warning]) => warning !== null),
  ]);
  if (detail === "") return json(200, { status: "ok", checks: shown }, {});
  const body = { code: "unavailable", detail, checks: shown };
  return json(503, body, { "retry-after": RETRY_AFTER_S });
}

/** The different faults of each name, of several processes' results. */
function merged(results: readonly Readiness["checks"][]): Map<string, string | null> {
  const all = new Map<string, string | null>();
  for (const [name, fault] of results.flat()) {
    const before = all.get(name) ?? null;
    const isSaid = fault === null || before?.includes(fault) === true;
    all.set(name, isSaid ? before : [before, fault].filter(Boolean).join(" "));
  }
  return all;
}

function run(checks: ReadyChecks): Promise<Readiness["checks"]> {
  return Promise.all(
    Object.entries(checks).map(
      async ([name, check]): Promise<[string, string | null]> => [name, await check()],
    ),
  );
}
