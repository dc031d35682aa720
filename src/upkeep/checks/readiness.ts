/** Checks by name: each returns a sentence that says what is wrong, or null. */
export type ReadyChecks = Record<string, () => string | null | Promise<string | null>>;

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
 * Faults of all processes by name; null for a check that found none. A warning
 * without a cause is omitted, because few appliances configure what it is about.
 * @param others results of the other workers; for each name, their different faults are reported
 */
export function mergedReadiness(own: Readiness, others: readonly Readiness[]): Readiness {
  const warnings = merged([own.warnings, ...others.map((one) => one.warnings)]);
  return {
    checks: [...merged([own.checks, ...others.map(({ checks }) => checks)])],
    warnings: [...warnings].filter(([, warning]) => warning !== null),
  };
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
