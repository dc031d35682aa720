import {
  AppError,
  type ErrorCode,
  type FieldErrors,
  fieldError,
  notFound,
  toAppError,
} from "../errors.ts";
import { REQUIRED, type Read } from "../fields.ts";
import type { JsonText } from "../json-text.ts";
import type { Caller } from "../keys/keys.ts";
import { quotaExceeded } from "../limits/limits.ts";
import type { ApiMethod } from "./method.ts";
import type { Parameter } from "./parameters.ts";
import type { Services } from "./services.ts";
import { STATUS_OF } from "./statuses.ts";

/**
 * Arguments as texts by parameter name; one not given is absent. A null text could not be decoded
 * (bad UTF-8).
 */
export type RawArguments = Record<string, string | null>;

/** The caller's errors that cost what the method costs; all others are free (section 1). */
const BILLED_ERRORS: ReadonlySet<ErrorCode> = new Set(["invalid", "not_found"]);

/** What a call came to, and the units it cost. */
export type Outcome = { units: number; usedAfter: number | null } & (
  | { ok: true; body: JsonText<unknown> }
  | { ok: false; error: AppError }
);

/** An outcome that costs nothing. */
export function freeOutcome(error: AppError): Outcome {
  return { ok: false, error, units: 0, usedAfter: null };
}

export interface CallContext {
  services: Services;
  caller: Caller;
  nowMs: number;
  /** The address of the method's page with these query values. */
  pageUrl(query: URLSearchParams): string;
}

/**
 * Runs a method for a caller whose key and rate were checked, in the contract's order: plan, quota,
 * parameters, lookup. A billed outcome is given only once its units are committed; where the quota
 * had no room for them by then, the outcome is that (decisions, sections 1 and 4). Nothing is
 * thrown: an unforeseen failure is an outcome too, and costs nothing.
 */
export async function callMethod(
  method: ApiMethod,
  raw: RawArguments,
  context: CallContext,
): Promise<Outcome> {
  const { services, caller, nowMs } = context;
  const ended = (status: number) => ({ method: method.operationId, status });
  let outcome: Outcome;
  try {
    requirePlanAndQuota(method, context);
    const body = await runMethod(method, raw, context);
    outcome = { ok: true, body, units: method.units, usedAfter: null };
  } catch (thrown) {
    const error = toAppError(thrown);
    const units = BILLED_ERRORS.has(error.code) ? method.units : 0;
    outcome = { ok: false, error, units, usedAfter: null };
  }
  const status = outcome.ok ? 200 : STATUS_OF[outcome.error.code];
  const { units } = outcome;
  if (units === 0) {
    services.limits.record(caller, nowMs, ended(status));
    return outcome;
  }
  try {
    const { allowed, used } = await services.limits.charge(caller, nowMs, {
      ...ended(status),
      units,
    });
    return allowed ? { ...outcome, usedAfter: used } : freeOutcome(quotaExceeded(caller, nowMs));
  } catch (thrown) {
    return freeOutcome(toAppError(thrown));
  }
}

/** @throws AppError `tariff_required`, `quota_exceeded` */
function requirePlanAndQuota(
  { feature, units }: ApiMethod,
  { services, caller, nowMs }: CallContext,
): void {
  const { plan } = caller;
  if (feature !== undefined && !plan[feature]) {
    throw new AppError("tariff_required", `The plan ${plan.code} does not include this method.`);
  }
  // What is known to be exhausted is refused unread; the last word is the commit's.
  if (units > 0 && services.limits.usage(caller, nowMs).used >= plan.requestsPerPeriod) {
    throw quotaExceeded(caller, nowMs);
  }
}

function runMethod(
  method: ApiMethod,
  raw: RawArguments,
  { services, caller, nowMs, pageUrl }: CallContext,
): JsonText<unknown> | Promise<JsonText<unknown>> {
  return method.run(readArguments(method, raw), {
    services,
    caller,
    nowMs,
    nextUrl: (cursor) => pageUrl(nextQuery(method, raw, cursor)),
  });
}

/** @throws AppError `invalid` with all faults at once; `not_found` for a fault in the path */
function readArguments(
  { parameters, soleParameter }: ApiMethod,
  raw: RawArguments,
): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  const faults: FieldErrors = {};
  const names = soleParameter && raw[soleParameter] ? [soleParameter] : Object.keys(parameters);
  for (const name of names) {
    const parameter = parameters[name];
    const given = raw[name];
    if (parameter === undefined) continue;
    if (given === undefined || given === "") {
      if (parameter.required) faults[name] = [REQUIRED];
      args[name] = parameter.default;
      continue;
    }
    const read = readArgument(parameter, given);
    if ("value" in read) args[name] = read.value;
    else if (parameter.in === "path") throw notFound("This object");
    else faults[name] = [read.fault];
  }
  if (Object.keys(faults).length > 0) throw fieldError(faults);
  return args;
}

function readArgument(parameter: Parameter<unknown>, given: string | null): Read<unknown> {
  if (given === null) return { fault: "This value is not valid UTF-8." };
  if (given.includes("\0")) return { fault: "Null characters are not allowed." };
  return parameter.read(given);
}

function nextQuery({ parameters }: ApiMethod, raw: RawArguments, cursor: string): URLSearchParams {
  const query = new URLSearchParams();
  for (const name in parameters) {
    const given = raw[name];
    if (parameters[name]?.in === "query" && given && name !== "cursor") query.set(name, given);
  }
  query.set("cursor", cursor);
  return query;
}
