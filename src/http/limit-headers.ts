import { PERIOD_DAYS } from "../accounts/plan.ts";
import type { Standing } from "../limits/limits.ts";
import type { Headers } from "./answers.ts";

const PERIOD_S = PERIOD_DAYS * 24 * 60 * 60;

/** After draft-ietf-httpapi-ratelimit-headers (decisions, section 1). */
export function limitHeaders({ rate, quota }: Standing): Headers {
  return {
    "ratelimit-policy": `"rate";q=${rate.limit};w=1, "quota";q=${quota.limit};w=${PERIOD_S}`,
    ratelimit:
      `"rate";r=${rate.remaining};t=${rate.resetS}, ` +
      `"quota";r=${quota.remaining};t=${quota.resetS}`,
  };
}
