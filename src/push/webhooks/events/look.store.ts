import { and, eq, isNotNull, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../../db/database.ts";
import { change, given, query } from "../../../db/query.ts";
import { isPending, webhookDeliveries } from "../delivery/deliveries.table.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import { type Look, webhookLook } from "./look.table.ts";

const look = query((db) => db.select().from(webhookLook));

export async function readLook(db: Database): Promise<Look> {
  const row = await look(db).get();
  if (row === undefined) throw new Error("the table webhook_look has no row");
  return row;
}

export async function updateLook(tx: Transaction, values: Partial<Look>): Promise<void> {
  await tx.builders.update(webhookLook).set(values);
}

/** What was due in a minute must not become due in a day and a minute. */
export async function setBack(tx: Transaction, byMs: number): Promise<void> {
  const earlier = (instant: SQLWrapper): SQL => sql`${instant} - ${byMs}`;
  await tx.builders.update(webhookLook).set({
    batchedAt: earlier(webhookLook.batchedAt),
    overdueUntil: earlier(webhookLook.overdueUntil),
  });
  await tx.builders
    .update(webhookDeliveries)
    .set({ nextAttemptAt: earlier(webhookDeliveries.nextAttemptAt) })
    .where(isPending);
  await tx.builders
    .update(webhookDeliveries)
    .set({ claimedUntil: earlier(webhookDeliveries.claimedUntil) })
    .where(isNotNull(webhookDeliveries.claimedUntil));
  for (const name of ["failingSince", "testedAt", "formerSecretUntil"] as const) {
    await tx.builders
      .update(webhooks)
      .set({ [name]: earlier(webhooks[name]) })
      .where(isNotNull(webhooks[name]));
  }
}

/** Counts a gap in which nobody looked: webhooks that have been failing had no attempts in it. */
export async function addDownTime(tx: Transaction, nowMs: number, gapMs: number): Promise<void> {
  const { downMs, failingSince } = webhooks;
  await tx.builders
    .update(webhooks)
    .set({ downMs: sql`${downMs} + min(${gapMs}, ${nowMs} - ${failingSince})` })
    .where(lt(failingSince, nowMs));
}

/** By webhooks, since what waits is found by its webhook. */
const overdue = query((db) =>
  db
    .select({ id: webhookDeliveries.id, dueAt: webhookDeliveries.nextAttemptAt })
    .from(webhooks)
    .crossJoin(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.webhookId, webhooks.id),
        isPending,
        lt(webhookDeliveries.nextAttemptAt, sql.placeholder("nowMs")),
      ),
    )
    .limit(sql.placeholder("limit")),
);

/** Some of the deliveries whose attempts are overdue, those due longest first. */
export async function selectOverdue(db: Database, nowMs: number, limit: number): Promise<number[]> {
  const found = await overdue(db).all({ nowMs, limit });
  found.sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0) || a.id - b.id);
  return found.map(({ id }) => id);
}

const put = change((db) =>
  db
    .update(webhookDeliveries)
    .set({ nextAttemptAt: given("dueAt") })
    .where(eq(webhookDeliveries.id, sql.placeholder("id"))),
);

export async function putDue(tx: Transaction, id: number, dueAt: number): Promise<void> {
  await put(tx).run({ id, dueAt });
}
