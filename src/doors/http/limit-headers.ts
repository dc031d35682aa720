import type { Plan } from "../../customers/accounts/accounts.table.ts";
import { PERIOD_DAYS } from "../../customers/accounts/plan.ts";
import type { Admitted } from "../../verbs/admission.ts";
import type { Headers } from "./answers.ts";

const PERIOD_S = PERIOD_DAYS * 24 * 60 * 60;

/** Policy headers, formatted once per plan object. */
const policies = new WeakMap<Plan, string>();

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers. */
export function setLimitHeaders(
  headers: Headers,
  limits: ReturnType<Admitted["limitsAfter"]>,
): void {
  const { plan, rate, quota, cost } = limits;
  headers["ratelimit-policy"] = policyOf(plan);
  headers["ratelimit"] =
    `"rate";r=${rate.remaining};t=${rate.resetS}, "quota";r=${quota.remaining};t=${quota.resetS}`;
  headers["x-request-cost"] = String(cost);
}

function policyOf(plan: Plan): string {
  const cached = policies.get(plan);
  if (cached !== undefined) return cached;
  const { requestsPerSecond, requestsPerPeriod } = plan;
  const policy = `"rate";q=${requestsPerSecond};w=1, "quota";q=${requestsPerPeriod};w=${PERIOD_S}`;
  policies.set(plan, policy);
  return policy;
}
