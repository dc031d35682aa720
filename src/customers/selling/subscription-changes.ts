import type { Database, Transaction } from "../../db/database.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { DAY_MS } from "../../values/moscow-time.ts";
import { type PlanPutter, planPutter, type Resumption } from "../accounts/account-changes.ts";
import type { Organization } from "../accounts/accounts.table.ts";
import { requireOrganization } from "../accounts/accounts.ts";
import type { PlanCode } from "../accounts/plan.ts";
import type { Actor } from "../audit/audit-log.ts";
import {
  noteEvent,
  OVER,
  putCustomer,
  putRefund,
  putSubscription,
  selectCustomer,
  selectSubscription,
  selectSubscriptions,
} from "./selling.store.ts";
import type { StripeRefund, StripeSubscription } from "./selling.table.ts";

/** The author of what Stripe's events change. */
const STRIPE: Actor = { person: "Stripe", keyId: null };

/**
 * How long a plan outlasts what was paid while the subscription goes on: Stripe charges an hour after a period
 * has begun, and tries a refused card again.
 */
const GRACE_MS = 3 * DAY_MS;

/** A subscription as Stripe describes it now. */
export interface SeenSubscription {
  id: string;
  organizationId: number;
  customer: string;
  plan: PlanCode;
  status: string;
  isEnding: boolean;
  /** End of the period of the latest invoice, if that is paid; otherwise null. */
  paidUntil: number | null;
}

/** News of a subscription that customers are told. */
export type SubscriptionNews = "paid" | "renewed" | "failed" | "ending" | "over";

/** Tells an organization's managers, in the transaction of what happened. */
export type TellSubscription = (
  tx: Transaction,
  nowMs: number,
  organization: Organization,
  news: SubscriptionNews,
  subscription: StripeSubscription,
) => Promise<void>;

export function sellingChanges(resumption: Resumption, tell: TellSubscription) {
  return {
    followSubscription: followSubscription.bind(null, resumption, tell),
    noteCustomer,
    noteRefund,
  };
}

/**
 * Stores what Stripe says of a subscription, and gives its organization what follows from it, once.
 * @param event the event that said that it changed; null if nothing did
 * @param version of the stored subscription before Stripe was asked; 0 if there was none
 * @returns false if another answer of Stripe was stored meanwhile, which may be newer
 */
async function followSubscription(
  resumption: Resumption,
  tell: TellSubscription,
  db: Database,
  clock: Clock,
  seen: SeenSubscription,
  event: string | null,
  version: number,
): Promise<boolean> {
  await resumption.prepare(db, clock, seen.organizationId);
  return inTransaction(db, clock, "subscription", async (tx) => {
    const row = selectSubscription(tx, { id: seen.id });
    if ((row?.version ?? 0) !== version) return false;
    if (event !== null) noteEvent(tx, { id: event, receivedAt: clock.now() });
    const next = await follow(tx, clock, row, seen, planPutter(resumption));
    const found = news(row, next);
    if (found === null) return true;
    await tell(tx, clock.now(), await requireOrganization(tx, seen.organizationId), found, next);
    return true;
  });
}

/**
 * Stores an organization's customer at Stripe.
 * @param known the one of before, which Stripe does not have any more; null if there was none
 * @returns the stored one, which is another's if two were made at once
 */
const noteCustomer = transaction(
  "stripe-customer",
  (tx, _clock, organizationId: number, customer: string, known: string | null) => {
    const stored = selectCustomer(tx, { organizationId });
    if (stored !== null && stored !== known) return stored;
    putCustomer(tx, { organizationId, customer });
    return customer;
  },
);

const noteRefund = transaction(
  "refund",
  (tx, clock, refund: Omit<StripeRefund, "at">, event: string) => {
    if (noteEvent(tx, { id: event, receivedAt: clock.now() })) {
      putRefund(tx, { ...refund, at: clock.now() });
    }
  },
);

async function follow(
  tx: Transaction,
  clock: Clock,
  row: StripeSubscription | undefined,
  { paidUntil: seenPaid, ...seen }: SeenSubscription,
  putPlan: PlanPutter,
): Promise<StripeSubscription> {
  const nowMs = clock.now();
  const paidUntil = seenPaid ?? row?.paidUntil ?? null;
  const next = {
    ...seen,
    // What is not paid yet changes no plan.
    plan: seenPaid === null && row !== undefined ? row.plan : seen.plan,
    paidUntil,
    givenUntil: givenUntil(seen, paidUntil),
    version: (row?.version ?? 0) + 1,
    checkedAt: nowMs,
  };
  const organization = await requireOrganization(tx, seen.organizationId);
  if (next.givenUntil !== null && isGrant(organization, row, next, nowMs)) {
    // The end of one may be heard of after another was paid for longer.
    const others = selectSubscriptions(tx, { organizationId: organization.id })
      .filter(({ id, plan }) => id !== next.id && plan === next.plan)
      .map(({ givenUntil }) => givenUntil ?? 0);
    const endsAt = Math.max(next.givenUntil, nowMs, ...others);
    await putPlan(tx, clock, { id: organization.id, plan: next.plan, endsAt }, STRIPE);
  }
  putSubscription(tx, next);
  return next;
}

/** The plan's end that a subscription gives; null if nothing was paid. */
function givenUntil(
  { status, isEnding }: Pick<SeenSubscription, "status" | "isEnding">,
  paidUntil: number | null,
): number | null {
  if (paidUntil === null) return null;
  const goesOn = ["active", "trialing", "past_due"].includes(status) && !isEnding;
  return goesOn ? paidUntil + GRACE_MS : paidUntil;
}

/**
 * Whether an organization's plan follows a change of its subscription, and is not one that staff gave. A new
 * subscription does not shorten what the organization has already.
 */
function isGrant(
  { plan, planEndsAt }: Organization,
  row: StripeSubscription | undefined,
  next: Pick<StripeSubscription, "plan" | "givenUntil">,
  nowMs: number,
): boolean {
  const until = next.givenUntil ?? 0;
  const given = row?.givenUntil ?? null;
  if (row === undefined || given === null) {
    const hasIt = plan === next.plan && (planEndsAt === null || planEndsAt >= until);
    return until > nowMs && !hasIt;
  }
  const isChanged = row.plan !== next.plan || given !== until;
  if (!isChanged || Math.max(given, until) <= nowMs) return false;
  const isOwn = plan === row.plan && planEndsAt === given;
  return isOwn || (planEndsAt !== null && planEndsAt < until);
}

/** What is new about a subscription; null if customers need not be told. */
function news(
  row: StripeSubscription | undefined,
  next: StripeSubscription,
): SubscriptionNews | null {
  const isNew = (what: (of: StripeSubscription) => boolean) =>
    what(next) && !(row !== undefined && what(row));
  if (isNew(({ status }) => OVER.includes(status) || status === "unpaid")) {
    return row?.paidUntil == null ? null : "over";
  }
  if (isNew(({ status }) => status === "past_due")) return "failed";
  if (next.paidUntil === null) return null;
  if (row?.paidUntil == null || row.plan !== next.plan) return "paid";
  if (next.paidUntil > row.paidUntil) return "renewed";
  return isNew(({ isEnding }) => isEnding) ? "ending" : null;
}
