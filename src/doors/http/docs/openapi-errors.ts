import type { ErrorCode } from "../../../errors.ts";
import { type Documented, STATUS_OF } from "../../../verbs/method.ts";
import { headersOf, LIMIT_HEADERS } from "./document-head.ts";
import { withReferences } from "./named-schemas.ts";

/** When each error occurs. */
const WHEN: Record<ErrorCode, string> = {
  invalid: "A parameter or field is invalid; messages are listed by its name",
  not_authenticated: "No API key",
  authentication_failed:
    "The key is wrong, revoked or expired, its member suspended, or its organization archived",
  read_only_key: "The key is read-only",
  manager_required: "The key belongs to a member who is neither owner nor administrator",
  permission_denied: "The key may not do this",
  origin_not_allowed: "A page of this origin may not send this",
  tariff_required: "The plan does not include this",
  not_found: "There is no such object",
  method_not_allowed: "The path does not accept this method",
  conflict: "The state of the object does not allow this",
  in_progress: "The first request with this `Idempotency-Key` is still in progress; retry later",
  answer_lost:
    "The request with this `Idempotency-Key` was carried out, but its answer is lost; do not repeat it",
  parse_error: "The body is not JSON, or exceeds a limit, such as 32 levels or 1,000 members",
  payload_too_large: "The body is larger than the method accepts",
  unsupported_media_type: "The body's Content-Type is not application/json",
  throttled:
    "The organization's queries or changes have used up the plan's time, or wait behind its earlier ones; " +
    "for exports, two are under way; for webhooks, it was tested less than a minute ago, its host got six " +
    "pings and resends in the last minute, or too many attempts are in progress",
  timeout: "The database query took too long; retry later or narrow the selection",
  unavailable: "The storage or the sender is busy, or the server is stopping; retry later",
  rate_limited: "More requests per second than the plan allows",
  quota_exceeded: "The request units of the period are used up",
  internal: "The server failed; the cause is in its log under the X-Request-Id",
};

/** A method's possible errors, by status. */
export function errorResponses(
  method: Documented,
  hasParameters: boolean,
): Record<string, unknown> {
  const hasBody = method.takes !== undefined;
  const codes: ErrorCode[] = [
    ...(hasParameters || hasBody ? (["invalid"] as const) : []),
    ...(hasBody ? (["parse_error", "unsupported_media_type"] as const) : []),
    "payload_too_large",
    "not_authenticated",
    "authentication_failed",
    ...((method.audience ?? "everyone") === "everyone" ? [] : (["read_only_key"] as const)),
    ...(method.audience === "managers" ? (["manager_required"] as const) : []),
    ...(method.planRule === undefined ? [] : (["tariff_required"] as const)),
    ...method.errors,
    "throttled",
    ...(method.units === undefined
      ? (["permission_denied"] as const)
      : (["rate_limited", "timeout"] as const)),
    ...((method.units ?? 0) > 0 ? (["quota_exceeded"] as const) : []),
    "unavailable",
    "internal",
  ];
  const byStatus = Map.groupBy(codes, (code) => STATUS_OF[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${WHEN[code]}`).join("; "),
        headers: headersOf([
          "X-Request-Id",
          ...(status === 401 ? ["WWW-Authenticate"] : []),
          ...(status === 429 || status === 503 ? ["Retry-After"] : []),
          ...(status === 401 || method.units === undefined ? [] : LIMIT_HEADERS),
        ]),
        content: {
          "application/json": {
            schema: status === 400 ? badRequestSchema(group) : errorSchema(group),
          },
        },
      },
    ]),
  );
}

export const fieldErrorsSchema = {
  $id: "FieldErrors",
  type: "object",
  description:
    "Messages by the name of the parameter or field; those about several are under `non_field_errors`",
  additionalProperties: { type: "array", items: { type: "string" }, minItems: 1 },
};

function badRequestSchema(codes: readonly ErrorCode[]) {
  const others = codes.filter((code) => code !== "invalid");
  const fieldErrors = withReferences(fieldErrorsSchema);
  return others.length === 0 ? fieldErrors : { oneOf: [fieldErrors, errorSchema(others)] };
}

function errorSchema(codes: readonly ErrorCode[]) {
  return {
    type: "object",
    required: ["code", "detail"],
    properties: { code: { type: "string", enum: [...codes] }, detail: { type: "string" } },
    additionalProperties: false,
  };
}
