import type { Caller } from "../customers/keys/keys.ts";
import { type FinishedRequest, quotaExceeded } from "../customers/limits/limits.ts";
import { AppError, type ErrorCode, storageUnavailable, toAppError } from "../errors.ts";
import type { Json } from "../values/json-text.ts";
import { inLanguage, type Language, message } from "../values/messages/messages.ts";
import { type ApiMethod, type Call, FileAnswer, NO_KEY, STATUS_OF } from "./method.ts";
import type { OpenedCursor } from "./paging.ts";
import { onlyFields } from "./parameters.ts";
import type { RawArguments } from "./read-arguments.ts";
import { continueList, filtersOf, positionAfter, readArguments } from "./read-arguments.ts";
import type { Services } from "./services.ts";

/**
 * Caller's errors that cost as much as a successful call; all others are free (specification, section 1).
 */
const BILLED_ERRORS: ReadonlySet<ErrorCode> = new Set(["invalid", "not_found", "parse_error"]);

/** Outcome of a call and the units it cost; `charged` is null if it was free. */
export type Outcome = { units: number; charged: Charged | null } & (
  | { ok: true; status: number; body: Json<unknown> | FileAnswer }
  | { ok: false; error: AppError }
);

interface Charged {
  /** The caller's account at the moment the units were committed. */
  caller: Caller;
  /** Units used, including this call. */
  used: number;
}

export function freeOutcome(error: AppError): Outcome {
  return { ok: false, error, units: 0, charged: null };
}

export interface CallContext {
  /** @throws AppError if the body is not valid JSON */
  readBody(): Promise<unknown>;
  services: Services;
  caller: Caller;
  /**
   * The caller's account at a later instant, for an answer that takes long to send.
   * @throws AppError if they may no longer call
   */
  callerAt(nowMs: number): Caller | Promise<Caller>;
  nowMs: number;
  /**
   * The next page as an answer names it: the method's address with a query, or a cursor.
   * @param query that of the address
   */
  nextPage(opened: OpenedCursor, query: () => URLSearchParams): string;
  /** Full URL of a path that the appliance serves, such as an image. */
  ownUrl(path: string): string;
  /** The reader's; by default English. */
  language?: Language;
}

/**
 * Runs a method for a caller whose key and rate have been checked, in the contract's order: the key's
 * access, role, plan, quota, parameters, lookup. A billed outcome is returned only after its units are
 * committed; if the quota no longer has room by then, the outcome is `quota_exceeded`. Never throws: an
 * unexpected failure is an outcome too, and costs nothing.
 */
export async function callMethod(
  method: ApiMethod,
  raw: RawArguments,
  context: CallContext,
): Promise<Outcome> {
  const { services, caller, nowMs } = context;
  const chargeMore = (atMs: number) => chargePart(method, context, atMs);
  let outcome: Outcome;
  try {
    requireAllowed(method, context);
    const body = await runMethod(method, raw, { ...context, chargeMore });
    outcome = { ok: true, status: method.status, body, units: method.units, charged: null };
  } catch (thrown) {
    const error = toAppError(thrown);
    const units = BILLED_ERRORS.has(error.code) ? method.units : 0;
    outcome = { ok: false, error, units, charged: null };
  }
  const status = outcome.ok ? outcome.status : STATUS_OF[outcome.error.code];
  const { units } = outcome;
  if (units === 0) {
    services.limits.record(caller, nowMs, { method: method.operationId, status });
    return outcome;
  }
  try {
    const request = { method: method.operationId, status, units };
    return { ...outcome, charged: await charge(method, context, request) };
  } catch (thrown) {
    closeFile(outcome);
    return freeOutcome(toAppError(thrown));
  }
}

/** Attempts to charge a caller whose account keeps changing on other nodes. */
const CHARGES_MAX = 3;

/**
 * Charges for an answer. If another node has changed the caller's account, or the key or the plan has ended
 * by the time of the commit, the caller is checked again, as of then.
 * @throws AppError if the request must not be answered
 */
async function charge(
  method: ApiMethod,
  context: CallContext,
  request: FinishedRequest,
): Promise<Charged> {
  const { services } = context;
  let { caller, nowMs } = context;
  for (let attempt = 1; ; attempt++) {
    const { allowed, used, isOutdated, at } = await services.limits.charge(caller, nowMs, request);
    if (allowed) return { caller, used };
    nowMs = at;
    if (!isOutdated) throw quotaExceeded(caller, nowMs);
    if (attempt >= CHARGES_MAX) throw storageUnavailable(new Error("the account keeps changing"));
    await services.copyNewest();
    caller = await context.callerAt(nowMs);
    requireAllowed(method, { ...context, caller, nowMs });
  }
}

/**
 * Charges one more unit, as of an instant, for an answer that is already being sent.
 * @returns why that is impossible, or null once it is committed
 */
async function chargePart(
  method: ApiMethod,
  context: CallContext,
  atMs: number,
): Promise<AppError | null> {
  const { operationId, status, units } = method;
  try {
    const caller = await context.callerAt(atMs);
    const current = { ...context, caller, nowMs: atMs };
    requireAllowed(method, current);
    await charge(method, current, { method: operationId, status, units, isPart: true });
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Closes the file of an answer that will not be sent. */
function closeFile(outcome: Outcome): void {
  if (outcome.ok && outcome.body instanceof FileAnswer) outcome.body.file.close();
}

/** Pages have their own addresses, and only extract the cursor from this one. */
const queryAlone: CallContext["nextPage"] = (_opened, query) => `?${query()}`;

/**
 * Runs a method for somebody on a page, who has no key: the plan's rules apply, but nothing is counted or
 * charged. A page that changes something checks the person's role itself.
 * @throws AppError any of the method's errors, including `tariff_required`
 */
export async function viewMethod(
  method: ApiMethod,
  raw: RawArguments,
  viewing: Pick<CallContext, "services" | "nowMs" | "language"> & {
    viewer: Omit<Caller, "key">;
    body?: object;
  },
  nextPage = queryAlone,
): Promise<Json<unknown>> {
  const { viewer, body = {}, ...asking } = viewing;
  const caller = { ...viewer, key: NO_KEY };
  const context: CallContext = {
    ...asking,
    caller,
    callerAt: () => caller,
    readBody: async () => body,
    nextPage,
    ownUrl: (path) => path,
  };
  requirePlan({ ...method, units: 0 }, context);
  const chargeMore = async () => new AppError("internal", message("internal"));
  const answer = await runMethod(method, raw, { ...context, chargeMore });
  if (answer instanceof FileAnswer)
    throw new Error(`${method.operationId} cannot be shown on a page`);
  return answer;
}

type Asking = Pick<CallContext, "services" | "caller" | "nowMs">;

/** @throws AppError if the caller may not, or no longer, use the method */
function requireAllowed(method: ApiMethod, asking: Asking): void {
  requireAccess(method, asking.caller);
  requirePlan(method, asking);
}

/** @throws AppError if the key or its member's role does not allow the method */
function requireAccess({ audience }: ApiMethod, { key, member }: Caller): void {
  if (audience === "everyone") return;
  if (key.access !== "read_write") {
    throw new AppError("read_only_key", message("readWriteKeyNeeded"));
  }
  if (audience === "managers" && member.role === "member") {
    throw new AppError("manager_required", message("managerKeyNeeded"));
  }
}

/** @throws AppError if the plan does not include the method, or its quota is used up */
function requirePlan({ planRule, units }: ApiMethod, { services, caller, nowMs }: Asking): void {
  const denial = planRule?.(caller, services) ?? null;
  if (denial !== null) throw new AppError("tariff_required", denial);
  // A quota known to be exhausted is refused before anything is read; the commit makes the final decision.
  if (units > 0 && services.limits.isExhausted(caller, nowMs)) throw quotaExceeded(caller, nowMs);
}

type RunContext = CallContext & Pick<Call, "chargeMore">;

async function runMethod(
  method: ApiMethod,
  raw: RawArguments,
  { services, caller, nowMs, nextPage, ownUrl, readBody, chargeMore, language = "en" }: RunContext,
): Promise<Json<unknown> | FileAnswer> {
  const body = method.takes === undefined ? {} : await readBody();
  if (method.refuse !== undefined) await method.refuse(raw, body, { services, caller });
  const { cursors } = services;
  const list = continueList(method, raw, cursors);
  // A cursor carries required arguments, so if it is unreadable, only the cursor is reported.
  const args = readArguments(method, list.raw, body, { mayMiss: list.fault !== null });
  if (list.fault !== null) throw list.fault;
  const call: Call = {
    services,
    caller,
    nowMs,
    after: (fixed) => positionAfter(list, fixed),
    nextUrl(at, fixed) {
      const filters = filtersOf(method, list.raw);
      const opened = { at, of: { ...filters, ...fixed } };
      return nextPage(opened, () => {
        const cursor = cursors.write(method.operationId, opened);
        return new URLSearchParams({ ...filters, cursor });
      });
    },
    chargeMore,
    ownUrl,
    told: (one) => inLanguage(language, one),
  };
  const answer = method.run(args, call);
  const fields = args["fields"] as string[] | undefined;
  if (fields === undefined) return answer;
  const included = args["include"] as string | undefined;
  return onlyFields(await answer, included === undefined ? fields : [...fields, included]);
}
