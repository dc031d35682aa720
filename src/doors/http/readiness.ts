import type { Readiness } from "../../upkeep/checks/readiness.ts";
import { json } from "./answers.ts";

const RETRY_AFTER_S = "1";

/**
 * `/readyz`: 200 if everything is well apart from warnings, else 503. `checks` contains `ok` or what is
 * wrong, by name; it is public, so the sentences reveal nothing more.
 */
export function readinessAnswer({ checks, warnings }: Readiness): Response {
  const detail = checks.flatMap(([, fault]) => fault ?? []).join(" ");
  const shown = Object.fromEntries([
    ...checks.map(([name, fault]) => [name, fault ?? "ok"]),
    ...warnings,
  ]);
  if (detail === "") return json(200, { status: "ok", checks: shown }, {});
  const body = { code: "unavailable", detail, checks: shown };
  return json(503, body, { "retry-after": RETRY_AFTER_S });
}
