import type { Caller, Keys, KeyUse } from "../customers/keys/keys.ts";
import { type LimitStatus, messagesLimited, rateLimited } from "../customers/limits/limits.ts";
import type { RateVerdict } from "../customers/limits/rates.ts";
import { AppError } from "../errors.ts";
import { limitReached } from "../push/webhooks/manage/webhook-limits.ts";
import { type Message, message } from "../values/messages/messages.ts";
import { type CallContext, callMethod, freeOutcome, type Outcome } from "./call.ts";
import { type ApiMethod, STATUS_OF } from "./method.ts";
import type { RawArguments } from "./read-arguments.ts";
import type { Services } from "./services.ts";

export interface Gate {
  keys: Pick<Keys, "verify">;
  keyUse: Pick<KeyUse, "note">;
  services: Services;
}

type Admission = Admitted | { ok: false; error: AppError };

type DoorContext = Omit<CallContext, "services" | "caller" | "callerAt" | "nowMs">;

/**
 * A request with a valid key. The door must have it counted exactly once, by `call`, `refuse` or `record`.
 */
export interface Admitted {
  ok: true;
  caller: Caller;
  /**
   * Counts it against the plan's rate. @returns the refusal for the door to answer, if the rate is exceeded
   */
  takeRequest(): AppError | null;
  /** As `takeRequest`, for a request that may wait briefly; returns a promise only if it has to. */
  takeRequestSoon(): AppError | null | Promise<null>;
  /** Counts it as an MCP protocol message, which does not count against the plan's rate. */
  takeMessage(): AppError | null;
  call(method: ApiMethod, raw: RawArguments, door: DoorContext): Promise<Outcome>;
  /** @param operation id under which daily usage counts the refused request */
  refuse(operation: string, error: AppError): Outcome;
  /** Counts a request that the door answered without running a method. */
  record(operation: string, status: number): void;
  /** Values of the limit headers: after an outcome, or null for a request that ran no method. */
  limitsAfter(outcome: Outcome | null): LimitStatus & { cost: number };
}

/**
 * Checks the key, the first step in the contract's order. The door then counts the request against a rate;
 * after that, the method's own checks follow.
 */
export function admit(authorization: string | null, nowMs: number, gate: Gate): Admission {
  const { limits } = gate.services;
  const verification = gate.keys.verify(authorization, nowMs);
  if (!verification.ok) {
    return { ok: false, error: new AppError(verification.code, verification.reason) };
  }
  const { caller } = verification;
  gate.keyUse.note(caller.key, nowMs);
  let rate: RateVerdict | null = null;
  const record = (method: string, status: number): void =>
    limits.record(caller, nowMs, { method, status });
  const callerAt = (atMs: number): Caller => {
    const later = gate.keys.verify(authorization, atMs);
    if (!later.ok) throw new AppError(later.code, later.reason);
    return later.caller;
  };
  return {
    ok: true,
    caller,
    takeRequest() {
      rate = limits.takeRequest(caller, nowMs);
      return rate.allowed ? null : rateLimited(rate, caller.plan.requestsPerSecond);
    },
    takeRequestSoon() {
      rate = limits.takeRequestSoon(caller, nowMs);
      if (!rate.allowed) return rateLimited(rate, caller.plan.requestsPerSecond);
      return rate.waitMs === 0 ? null : limits.wait(rate.waitMs).then(() => null);
    },
    takeMessage() {
      const verdict = limits.takeMessage(caller, nowMs);
      return verdict.allowed ? null : messagesLimited(verdict);
    },
    call: (method, raw, door) =>
      callMethod(method, raw, { ...door, services: gate.services, caller, callerAt, nowMs }),
    refuse(operation, error) {
      record(operation, STATUS_OF[error.code]);
      return freeOutcome(error);
    },
    record,
    limitsAfter(outcome) {
      const charged = outcome?.charged ?? null;
      const status = limits.status(charged?.caller ?? caller, nowMs, rate, charged?.used ?? null);
      return { ...status, cost: outcome?.units ?? 0 };
    },
  };
}

/**
 * Checks a key again after this node refused it: another node may just have created it or its account.
 * @param refused the result if this node's copy was up to date
 * @throws AppError `unavailable` if that cannot be known
 */
export async function admitAgain(
  refused: Admission & { ok: false },
  authorization: string | null,
  nowMs: number,
  gate: Gate,
): Promise<Admission> {
  return (await gate.services.copyNewest()) ? admit(authorization, nowMs, gate) : refused;
}

/**
 * Says why the current plan does not include a method; null if it does. The key is irrelevant: the rule is
 * the same for all keys of an organization, and for pages, which have none.
 */
export type PlanRule = (caller: Omit<Caller, "key">, services: Services) => Message | null;

/** The Test plan excludes posts (specification, section 8). */
export const postsIncluded: PlanRule = ({ plan }) => (plan.posts ? null : notIncluded(plan.code));

/** The one of the specification's plans that includes bulk export (questions, section 5). */
export const exportIncluded: PlanRule = ({ plan }) =>
  plan.exports ? null : notIncluded(plan.code);

/** Some plans include only the statistics of the last days (specification, section 8). */
export const historyIncluded: PlanRule = ({ plan }) =>
  plan.historyDays === null ? null : notIncluded(plan.code);

export const webhooksIncluded: PlanRule = ({ plan }) =>
  plan.webhooks > 0 ? null : notIncluded(plan.code);

/** Alerts are delivered by webhooks, so the plan must include both. */
export const alertsIncluded: PlanRule = (caller, services) =>
  webhooksIncluded(caller, services) ??
  (caller.plan.alerts > 0 ? null : notIncluded(caller.plan.code));

/** Those created under a larger plan remain accessible. */
const accessible =
  (of: "webhooks" | "alerts", included: PlanRule): PlanRule =>
  (caller, services) =>
    services[of].count(caller.organization.id) > 0 ? null : included(caller, services);

/** Whether there is room for one more; disabled ones count. */
const toSpare =
  (of: "webhooks" | "alerts", included: PlanRule): PlanRule =>
  (caller, services) =>
    included(caller, services) ??
    limitReached(of, caller.plan, services[of].count(caller.organization.id));

export const webhooksAccessible = accessible("webhooks", webhooksIncluded);
export const webhookToSpare = toSpare("webhooks", webhooksIncluded);
export const alertsAccessible = accessible("alerts", alertsIncluded);
export const alertToSpare = toSpare("alerts", alertsIncluded);

function notIncluded(plan: string): Message {
  return message("methodNotIncluded", { plan });
}
