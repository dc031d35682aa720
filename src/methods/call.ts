import {
  AppError,
  type ErrorCode,
  type FieldErrors,
  fieldError,
  notFound,
  toAppError,
} from "../errors.ts";
import { NOT_NULL, REQUIRED, type Read, typeName, UNKNOWN_FIELD } from "../fields.ts";
import type { JsonText } from "../json-text.ts";
import type { Key } from "../keys/keys.table.ts";
import type { Caller } from "../keys/keys.ts";
import { quotaExceeded } from "../limits/limits.ts";
import { type ApiMethod, takesBody } from "./method.ts";
import type { Parameter } from "./parameters.ts";
import type { Services } from "./services.ts";
import { STATUS_OF } from "./statuses.ts";

/** A text that could not be decoded. */
export const UNDECODABLE = Symbol("bad UTF-8");

/** Arguments by parameter name, as texts or JSON values; one not given is absent. */
export type RawArguments = Record<string, unknown>;

/** The caller's errors that cost what the method costs; all others are free (section 1). */
const BILLED_ERRORS: ReadonlySet<ErrorCode> = new Set(["invalid", "not_found"]);

/** What a call came to, and the units it cost. */
export type Outcome = { units: number; usedAfter: number | null } & (
  | { ok: true; status: number; body: JsonText<unknown> }
  | { ok: false; error: AppError }
);

/** An outcome that costs nothing. */
export function freeOutcome(error: AppError): Outcome {
  return { ok: false, error, units: 0, usedAfter: null };
}

export interface CallContext {
  /** @throws AppError for a body that cannot be had as JSON */
  readBody(): Promise<unknown>;
  services: Services;
  caller: Caller;
  nowMs: number;
  /** The address of the method's page with these query values. */
  pageUrl(query: URLSearchParams): string;
}

/**
 * Runs a method for a caller whose key and rate were checked, in the contract's order: mark, role,
 * plan, quota, parameters, lookup. A billed outcome is given only once its units are committed; where the quota
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
    requireAccess(method, context);
    requirePlanAndQuota(method, context);
    const body = await runMethod(method, raw, context);
    outcome = { ok: true, status: method.status, body, units: method.units, usedAfter: null };
  } catch (thrown) {
    const error = toAppError(thrown);
    const units = BILLED_ERRORS.has(error.code) ? method.units : 0;
    outcome = { ok: false, error, units, usedAfter: null };
  }
  const status = outcome.ok ? outcome.status : STATUS_OF[outcome.error.code];
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

/** Nobody's: pages show data without a key. */
const NO_KEY: Key = {
  id: 0,
  memberId: 0,
  name: "",
  prefix: "",
  access: "read_only",
  createdAt: 0,
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
};

/**
 * What a reading method answers to somebody who looks at a page: the plan's rules hold, but nothing
 * is counted and nothing costs.
 * @throws AppError what the method's errors are, `tariff_required` included
 */
export function viewMethod(
  method: ApiMethod,
  raw: RawArguments,
  { services, viewer, nowMs }: { services: Services; viewer: Omit<Caller, "key">; nowMs: number },
): Promise<JsonText<unknown>> {
  const context: CallContext = {
    services,
    caller: { ...viewer, key: NO_KEY },
    nowMs,
    readBody: async () => ({}),
    // A page has addresses of its own; it takes the cursor out of this one.
    pageUrl: (query) => `?${query}`,
  };
  requirePlanAndQuota({ ...method, units: 0 }, context);
  return runMethod(method, raw, context);
}

/** @throws AppError `read_only_key`, `manager_required` */
function requireAccess({ audience }: ApiMethod, { caller: { key, member } }: CallContext): void {
  if (audience === "everyone") return;
  if (key.access !== "read_write") {
    throw new AppError("read_only_key", "This needs a key marked read and write.");
  }
  if (member.role === "member") {
    throw new AppError("manager_required", "This needs a key of an owner or administrator.");
  }
}

/** @throws AppError `tariff_required`, `quota_exceeded` */
function requirePlanAndQuota(
  { planRule, units }: ApiMethod,
  { services, caller, nowMs }: CallContext,
): void {
  const denial = planRule?.(caller, services) ?? null;
  if (denial !== null) throw new AppError("tariff_required", denial);
  // What is known to be exhausted is refused unread; the last word is the commit's.
  if (units > 0 && services.limits.isExhausted(caller, nowMs)) throw quotaExceeded(caller, nowMs);
}

async function runMethod(
  method: ApiMethod,
  raw: RawArguments,
  { services, caller, nowMs, pageUrl, readBody }: CallContext,
): Promise<JsonText<unknown>> {
  const body = takesBody(method.verb) ? await readBody() : {};
  return method.run(readArguments(method, raw, body), {
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
  body: unknown,
): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  // Without a prototype, since a field may be called anything.
  const faults: FieldErrors = Object.create(null);
  const fields = readObject(body);
  for (const name of Object.keys(fields)) {
    if (parameters[name]?.in !== "body") faults[name] = [UNKNOWN_FIELD];
  }
  const sole = soleParameter === undefined ? undefined : raw[soleParameter];
  const names =
    soleParameter !== undefined && sole !== undefined && sole !== ""
      ? [soleParameter]
      : Object.keys(parameters);
  for (const name of names) {
    const parameter = parameters[name];
    if (parameter === undefined) continue;
    const given = parameter.in === "body" ? fields[name] : raw[name];
    if (given === undefined || (given === "" && parameter.in !== "body")) {
      if (parameter.required) faults[name] = [REQUIRED];
      args[name] = parameter.default;
      continue;
    }
    const read = readArgument(parameter, given);
    if ("value" in read) args[name] = read.value;
    else if (parameter.in === "path" && isText(given)) throw notFound("This object");
    else faults[name] = [read.fault];
  }
  if (Object.keys(faults).length > 0) throw fieldError(faults);
  return args;
}

/** What a path can hold: a JSON value of another type is a fault of its own. */
function isText(given: unknown): boolean {
  return given === UNDECODABLE || typeof given === "string" || typeof given === "number";
}

/** @throws AppError `invalid` for JSON that is no object */
function readObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) {
    return body as Record<string, unknown>;
  }
  const fault = `Invalid data. Expected a dictionary, but got ${typeName(body)}.`;
  throw fieldError({ non_field_errors: [fault] });
}

function readArgument(parameter: Parameter<unknown>, given: unknown): Read<unknown> {
  if (given === UNDECODABLE) return { fault: "This value is not valid UTF-8." };
  if (given === null) return { fault: NOT_NULL };
  if (typeof given === "string" && given.includes("\0")) {
    return { fault: "Null characters are not allowed." };
  }
  return parameter.read(given);
}

function nextQuery({ parameters }: ApiMethod, raw: RawArguments, cursor: string): URLSearchParams {
  const query = new URLSearchParams();
  for (const name in parameters) {
    const given = raw[name];
    if (parameters[name]?.in !== "query" || name === "cursor") continue;
    if (given !== undefined && given !== "") query.set(name, String(given));
  }
  query.set("cursor", cursor);
  return query;
}
