import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import type { TimeBudget, TimeKind } from "../../values/tenant.ts";
import type { Plan } from "../accounts/accounts.table.ts";
import type { Caller } from "../keys/keys.ts";
import { type Buckets, createBuckets, tokensAt } from "./rates.ts";

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
