import { and, eq, lte, notExists, or, sql } from "drizzle-orm";
import type { Database } from "../../../db/database.ts";
import { query } from "../../../db/query.ts";
import { isPending, webhookDeliveries } from "../delivery/deliveries.table.ts";
import { webhooks } from "../manage/webhooks.table.ts";

const anyFailing = query((db) =>
  db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(lte(webhooks.failingSince, sql.placeholder("failingSince")))
    .limit(1),
);

/** Whether a webhook has been failing since an instant, or for longer. */
export async function isAnyFailingSince(db: Database, failingSince: number): Promise<boolean> {
  return (await anyFailing(db).get({ failingSince })) !== undefined;
}

const failingTooLong = query((db) =>
  db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(
      and(
        lte(webhooks.failingSince, sql.placeholder("failingSince")),
        eq(webhooks.disabledReason, ""),
        or(
          lte(webhooks.downMs, sql.placeholder("downMaxMs")),
          notExists(
            db
              .select({ id: webhookDeliveries.id })
              .from(webhookDeliveries)
              .where(
                and(
                  eq(webhookDeliveries.webhookId, webhooks.id),
                  isPending,
                  lte(webhookDeliveries.nextAttemptAt, sql.placeholder("overdueUntil")),
                ),
              ),
          ),
        ),
      ),
    ),
);

/**
 * Active webhooks that have been failing since an instant, or for longer. Those for which nobody was
 * there for more than `downMaxMs` of it only where nothing waits that fell due by `overdueUntil`.
 */
export async function selectFailing(
  db: Database,
  than: { failingSince: number; downMaxMs: number; overdueUntil: number },
): Promise<number[]> {
  return (await failingTooLong(db).all(than)).map(({ id }) => id);
}
