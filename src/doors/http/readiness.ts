import { json } from "./answers.ts";

/** Checks by name: each gives a sentence that says what is wrong, or null. */
export type ReadyChecks = Record<string, () => string | null | Promise<string | null>>;

const RETRY_AFTER_S = "1";

/**
 * `/readyz`: 200 where all is well but for warnings, else 503. `checks` has `ok` or what is wrong, by
 * name; it is public, so no sentence tells more than that.
 */
export async function readinessAnswer(
  checks: ReadyChecks,
  warnings: ReadyChecks,
): Promise<Response> {
  const faults = await lookAt(checks);
  const detail = faults.flatMap(([, fault]) => fault ?? []).join(" ");
  // Warnings are read from the database, which has to answer for that.
  const isRead = faults.every(([name, fault]) => name !== "database" || fault === null);
  const warned = isRead ? await lookAt(warnings) : [];
  // A warning without a cause is left out, not `ok`: few appliances set what it is about.
  const told = Object.fromEntries([
    ...faults.map(([name, fault]) => [name, fault ?? "ok"]),
    ...warned.filter(([, warning]) => warning !== null),
  ]);
  if (detail === "") return json(200, JSON.stringify({ status: "ok", checks: told }), {});
  const body = { code: "unavailable", detail, checks: told };
  return json(503, JSON.stringify(body), { "retry-after": RETRY_AFTER_S });
}

function lookAt(checks: ReadyChecks): Promise<(readonly [name: string, said: string | null])[]> {
  return Promise.all(
    Object.entries(checks).map(async ([name, look]) => [name, await look()] as const),
  );
}
