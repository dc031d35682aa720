import type { ErrorCode } from "../errors.ts";

/** HTTP status of each error code; texts for assistants mention them too (specification, section 7). */
export const STATUS_OF: Record<ErrorCode, number> = {
  invalid: 400,
  not_authenticated: 401,
  authentication_failed: 401,
  read_only_key: 403,
  manager_required: 403,
  permission_denied: 403,
  origin_not_allowed: 403,
  tariff_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  in_progress: 409,
  answer_lost: 409,
  parse_error: 400,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  throttled: 429,
  quota_exceeded: 429,
  timeout: 503,
  unavailable: 503,
  internal: 500,
};
