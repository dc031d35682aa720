import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import type { TimeBudget, TimeKind } from "../../values/tenant.ts";
import type { Plan } from "../accounts/accounts.table.ts";
import { type Period, periodAt } from "../accounts/plan.ts";
import type { Caller } from "../keys/keys.ts";
import type { Buckets, Rates, RateVerdict } from "./rates.ts";
import { createBuckets, MESSAGES_PER_SECOND, tokensAt } from "./rates.ts";
import type { Charge, Usage, UsageOfRequest } from "./usage.ts";

export type Limits = ReturnType<typeof createLimits>;

/** A caller's remaining rate and quota after a request, as sent in headers. */
export interface LimitStatus {
  plan: Plan;
  rate: { remaining: number; resetS: number };
  quota: { remaining: number; resetS: number };
}

export interface FinishedRequest {
  method: string;
  status: number;
  units: number;
  /** Whether these are further units of a request that has already been counted. */
  isPart?: boolean;
}

/** A caller's rate and quota under the plan in force, and what is left of them. */
export function createLimits(
  rates: Rates,
  usage: Usage,
  timeBudget: ReturnType<typeof createTimeBudgets>,
) {
  function periodOf({ planInForce }: Pick<Caller, "planInForce">, nowMs: number): Period {
    return periodAt(planInForce.startedAt, nowMs);
  }

  function requestOf(
    caller: Caller,
    nowMs: number,
    { method, status, units, isPart }: FinishedRequest,
  ): UsageOfRequest {
    const { startedAt, endsAt } = caller.planInForce;
    // A plan that has ended already stays `test`.
    const planEndsAt = endsAt !== null && endsAt > nowMs ? endsAt : Number.POSITIVE_INFINITY;

    return {
      organizationId: caller.organization.id,
      keyId: caller.key.id,
      method,
      status,
      planStartedAt: startedAt,
      endsAt: Math.min(planEndsAt, caller.key.expiresAt ?? planEndsAt),
      quota: caller.plan.requestsPerPeriod,
      units,
      isPart: isPart === true,
      copy: caller.copy,
    };
  }

  return {
    timeBudget,

    takeRequest: ({ organization, plan }: Caller, nowMs: number): RateVerdict =>
      rates.take(organization.id, plan.requestsPerSecond, nowMs),

    /** As `takeRequest`, for a request that may wait: if the verdict has a `waitMs`, `wait` for it. */
    takeRequestSoon: ({ organization, plan }: Caller, nowMs: number): RateVerdict =>
      rates.takeSoon(organization.id, plan.requestsPerSecond, nowMs),
    wait: (waitMs: number): Promise<void> => rates.wait(waitMs),

    /** Takes one MCP protocol message, which does not count against the plan's rate. */
    takeMessage: ({ organization }: Caller, nowMs: number): RateVerdict =>
      rates.takeMessage(organization.id, nowMs),

    /** The current period and the units used in it, by all processes. */
    usage(caller: Omit<Caller, "key">, nowMs: number): Period & { used: number } {
      const period = periodOf(caller, nowMs);
      return { ...period, used: usage.used(caller.organization.id, period.startedAt) };
    },

    /** Whether the period's units are known to be used up; if they are not, the commit decides. */
    isExhausted: (caller: Omit<Caller, "key">, nowMs: number): boolean =>
      usage.usedAtLeast(caller.organization.id, periodOf(caller, nowMs).startedAt) >=
      caller.plan.requestsPerPeriod,

    /** Counts a billed request. The answer may be sent once this settles. */
    charge: (caller: Caller, nowMs: number, request: FinishedRequest): Promise<Charge> =>
      usage.charge(requestOf(caller, nowMs, request)),

    /** Records a free request; nobody waits for it. */
    record(caller: Caller, nowMs: number, request: Omit<FinishedRequest, "units">): void {
      // A failed commit has been logged once for all its requests.
      usage.charge(requestOf(caller, nowMs, { ...request, units: 0 })).catch(() => {});
    },

    /**
     * Rate and quota left after a request.
     * @param rate the request's verdict, or null if it took nothing from the rate
     * @param used units used in the period if known; otherwise they are looked up
     */
    status(
      caller: Caller,
      nowMs: number,
      rate: RateVerdict | null,
      used: number | null,
    ): LimitStatus {
      const { plan, organization } = caller;
      const period = periodOf(caller, nowMs);
      const left = plan.requestsPerPeriod - (used ?? usage.used(organization.id, period.startedAt));
      return {
        plan,
        rate: rate ?? rates.peek(organization.id, plan.requestsPerSecond, nowMs),
        quota: { remaining: Math.max(0, left), resetS: secondsUntil(period.endsAt, nowMs) },
      };
    },
  };
}

export function rateLimited({ retryAfterS }: RateVerdict, requestsPerSecond: number): AppError {
  const reason = message("rateLimited", { requests: requestsPerSecond });
  return new AppError("rate_limited", reason, { retryAfterS });
}

export function messagesLimited({ retryAfterS }: RateVerdict): AppError {
  const reason = message("messagesLimited", { messages: MESSAGES_PER_SECOND });
  return new AppError("rate_limited", reason, { retryAfterS });
}

export function quotaExceeded(caller: Caller, nowMs: number): AppError {
  const { endsAt } = periodAt(caller.planInForce.startedAt, nowMs);
  const reason = message("quotaExceeded", { requests: caller.plan.requestsPerPeriod });
  return new AppError("quota_exceeded", reason, { retryAfterS: secondsUntil(endsAt, nowMs) });
}

function secondsUntil(instantMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((instantMs - nowMs) / 1000));
}

/** Seconds' worth of the plan's time that may be taken at once: ordinary use never gets there. */
const BURST_S = 20;
/** Endless work leaves this much of it. */
const PAUSE_BELOW_S = BURST_S / 2;
/** Longest time to wait for new time, whatever the work before took. */
export const DEBT_MAX_S = 30;
/** An organization counts as light if it has used at most this much more than it was given back. */
const LIGHT_S = 0.5;

/**
 * Who works for an organization. Programs use API keys; people use the site. What people do counts for both,
 * but only their own use stops them: somebody whose program takes all of the time, or whose key was stolen,
 * can still look at the overview and revoke the key.
 */
type User = "programs" | "people";

/**
 * Budgets of time, as token buckets of one token a second: work takes as many seconds as the plan takes to
 * give its time back. With another plan, or a changed one, an organization begins anew.
 * @param buckets by organization, user, and kind and amount of time; shared by workers, which share the
 * budgets
 */
export function createTimeBudgets(
  clock: Pick<Clock, "now">,
  buckets: Buckets<string> = createBuckets(),
) {
  const leftS = (name: string): number =>
    tokensAt(buckets.peek(name, 1, clock.now()), 1, clock.now(), BURST_S);

  function take(name: string, seconds: number): void {
    const nowMs = clock.now();
    buckets.change(name, 1, nowMs, (bucket) => {
      const tokens = tokensAt(bucket, 1, nowMs, BURST_S) - seconds;
      return { bucket: { tokens: Math.max(-DEBT_MAX_S, tokens), updatedAtMs: nowMs } };
    });
  }

  /** The budget of an organization's programs or people, under the plan in force. */
  return (
    { organization, plan }: Pick<Caller, "organization" | "plan">,
    user: User,
  ): TimeBudget => {
    const nameOf = (kind: TimeKind, of: User): string =>
      `${organization.id} ${of} ${kind} ${perSecondOf(plan, kind)}`;
    return {
      charge(kind, tookMs) {
        const seconds = tookMs / perSecondOf(plan, kind);
        take(nameOf(kind, "programs"), seconds);
        if (user === "people") take(nameOf(kind, "people"), seconds);
      },

      refusal(kind) {
        const left = leftS(nameOf(kind, user));
        if (left > 0) return null;
        const ms = perSecondOf(plan, kind);
        const reason = message(kind === "database" ? "databaseTimeSpent" : "lockTimeSpent", { ms });
        return { reason, retryAfterS: Math.max(1, Math.ceil(-left)) };
      },

      pauseMs: (kind) => Math.max(0, (PAUSE_BELOW_S - leftS(nameOf(kind, user))) * 1000),

      isLight: () => leftS(nameOf("database", user)) >= BURST_S - LIGHT_S,
    };
  };
}

function perSecondOf(plan: Plan, kind: TimeKind): number {
  return kind === "database" ? plan.databaseMsPerSecond : plan.lockMsPerSecond;
}
