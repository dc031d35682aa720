import { and, asc, count, eq, gt, isNull, lte, min, or, sql } from "drizzle-orm";
import { QueryBuilder } from "drizzle-orm/sqlite-core";
import type { Database } from "../../../db/database.ts";
import { query } from "../../../db/query.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import { isPending, webhookDeliveries } from "./deliveries.table.ts";

const firstDue = new QueryBuilder()
  .select({ at: min(webhookDeliveries.nextAttemptAt) })
  .from(webhookDeliveries)
  .where(and(eq(webhookDeliveries.webhookId, webhooks.id), isPending));

/** When a webhook's first attempt is due, in a query over webhooks; null: none waits. */
export const firstDueAt = sql<number | null>`${firstDue}`;

const anyDue = query((db) =>
  db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(lte(firstDueAt, sql.placeholder("nowMs")))
    .limit(1),
);

/** Whether an attempt is due, or one is under way: its end may be waiting to be noted. */
export async function isAttemptDue(db: Database, nowMs: number): Promise<boolean> {
  return (await anyDue(db).get({ nowMs })) !== undefined;
}

const dueIds = query((db) =>
  db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.webhookId, sql.placeholder("webhookId")),
        isPending,
        lte(webhookDeliveries.nextAttemptAt, sql.placeholder("nowMs")),
        or(
          isNull(webhookDeliveries.claimedUntil),
          lte(webhookDeliveries.claimedUntil, sql.placeholder("nowMs")),
        ),
      ),
    )
    .orderBy(asc(webhookDeliveries.nextAttemptAt), asc(webhookDeliveries.id))
    .limit(sql.placeholder("limit")),
);

/** Numbers of a webhook's deliveries that are due and that nobody has, those due longest first. */
export async function dueDeliveries(
  db: Database,
  webhookId: number,
  nowMs: number,
  limit: number,
): Promise<number[]> {
  const due = await dueIds(db).all({ webhookId, nowMs, limit });
  return due.map(({ id }) => id);
}

const underWay = query((db) =>
  db
    .select({ attempts: count() })
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.webhookId, sql.placeholder("webhookId")),
        gt(webhookDeliveries.claimedUntil, sql.placeholder("nowMs")),
      ),
    ),
);

/** Attempts of a webhook that are under way, in any process. */
export async function attemptsUnderWay(
  db: Database,
  webhookId: number,
  nowMs: number,
): Promise<number> {
  return (await underWay(db).get({ webhookId, nowMs }))?.attempts ?? 0;
}
