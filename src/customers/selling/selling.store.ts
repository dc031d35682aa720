import { and, asc, desc, eq, gt, lte, notInArray, or } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { change, query } from "../../db/statement.ts";
import type { StripeRefund, StripeSubscription } from "./selling.table.ts";
import {
  stripeCustomers,
  stripeEvents,
  stripeRefunds,
  stripeSubscriptions,
} from "./selling.table.ts";

/** States from which a subscription does not come back. */
export const OVER = ["canceled", "incomplete_expired"];

export const selectCustomer = query((db, { organizationId }: { organizationId: number }) =>
  db
    .select({ customer: stripeCustomers.customer })
    .from(stripeCustomers)
    .where(eq(stripeCustomers.organizationId, organizationId)),
).value;

export const putCustomer = change(
  (db, { organizationId, customer }: typeof stripeCustomers.$inferSelect) =>
    db
      .insert(stripeCustomers)
      .values({ organizationId, customer })
      .onConflictDoUpdate({ target: stripeCustomers.organizationId, set: { customer } }),
).run;

export const selectCustomersOrganization = query((db, { customer }: { customer: string }) =>
  db
    .select({ organizationId: stripeCustomers.organizationId })
    .from(stripeCustomers)
    .where(eq(stripeCustomers.customer, customer)),
).value;

const subscriptionTo = query((db, { plan }: { plan: string }) =>
  db
    .select({ id: stripeSubscriptions.id })
    .from(stripeSubscriptions)
    .where(and(eq(stripeSubscriptions.plan, plan), notInArray(stripeSubscriptions.status, OVER)))
    .limit(1),
).one;

/** Whether somebody pays for a plan by a subscription that is not over. */
export const isPlanPaid = (db: Database, plan: string): boolean =>
  subscriptionTo(db, { plan }) !== undefined;

export const selectSubscription = query((db, { id }: { id: string }) =>
  db.select().from(stripeSubscriptions).where(eq(stripeSubscriptions.id, id)),
).one;

/** An organization's subscriptions, latest change first. */
export const selectSubscriptions = query((db, { organizationId }: { organizationId: number }) =>
  db
    .select()
    .from(stripeSubscriptions)
    .where(eq(stripeSubscriptions.organizationId, organizationId))
    .orderBy(desc(stripeSubscriptions.checkedAt)),
).all;

/** Subscriptions to be asked for again: long not heard of, or just over what was paid. */
export const selectUnheard = query(
  (db, given: { dayAgo: number; hourAgo: number; nowMs: number; limit: number }) =>
    db
      .select({ id: stripeSubscriptions.id })
      .from(stripeSubscriptions)
      .where(
        and(
          notInArray(stripeSubscriptions.status, OVER),
          or(
            lte(stripeSubscriptions.checkedAt, given.dayAgo),
            and(
              lte(stripeSubscriptions.checkedAt, given.hourAgo),
              lte(stripeSubscriptions.paidUntil, given.nowMs),
            ),
          ),
        ),
      )
      .orderBy(asc(stripeSubscriptions.checkedAt))
      .limit(given.limit),
).values;

export const putSubscription = change((db, row: StripeSubscription) => {
  const { id, organizationId, customer, plan, status, isEnding, paidUntil, givenUntil } = row;
  const { version, checkedAt } = row;
  const paid = { plan, status, isEnding, paidUntil, givenUntil, version, checkedAt };
  const set = { organizationId, customer, ...paid };
  return db
    .insert(stripeSubscriptions)
    .values({ id, ...set })
    .onConflictDoUpdate({ target: stripeSubscriptions.id, set });
}).run;

/** Money that went back to an organization, latest first. */
export const selectRefunds = query((db, { organizationId }: { organizationId: number }) =>
  db
    .select()
    .from(stripeRefunds)
    .where(and(eq(stripeRefunds.organizationId, organizationId), gt(stripeRefunds.amount, 0)))
    .orderBy(desc(stripeRefunds.at)),
).all;

export const putRefund = change(
  (db, { charge, organizationId, amount, currency, at }: StripeRefund) =>
    db
      .insert(stripeRefunds)
      .values({ charge, organizationId, amount, currency, at })
      .onConflictDoUpdate({ target: stripeRefunds.charge, set: { amount, at } }),
).run;

export const isKnownEvent = query((db, { id }: { id: string }) =>
  db.select({ id: stripeEvents.id }).from(stripeEvents).where(eq(stripeEvents.id, id)),
).any;

/** Records an event. @returns false if it was recorded before */
export const noteEvent = change((db, { id, receivedAt }: typeof stripeEvents.$inferSelect) =>
  db.insert(stripeEvents).values({ id, receivedAt }).onConflictDoNothing(),
).wrote;
