import type { ErrorCode } from "../errors.ts";

/** HTTP statuses of the error codes (specification, section 7; decisions, section 1). */
export const STATUS_OF: Record<ErrorCode, number> = {
  invalid: 400,
  not_authenticated: 401,
  authentication_failed: 401,
  tariff_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  timeout: 503,
  unavailable: 503,
  internal: 500,
};
