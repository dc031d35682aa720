import { and, asc, eq, gt, lte } from "drizzle-orm";
import type { Database } from "../../../db/database.ts";
import { eqGiven, given, queryNow } from "../../../db/query.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import type { Asked } from "./alert-index.ts";
import { type Alert, alertChanges, alerts } from "./alerts.table.ts";

/** An alert with what matching needs. */
export interface AskedRow extends Asked, Pick<Alert, "id" | "sentDay" | "sentPosts"> {
  /** Empty if its webhook gets events. */
  disabledReason: string;
}

const { id, q, channelId, category, territory, isAd, sentDay, sentPosts } = alerts;
const { disabledReason } = webhooks;
const asked = {
  ...{ id, q, channelId, category, territory, isAd, sentDay, sentPosts, disabledReason },
};

const askedById = queryNow((db) =>
  db
    .select(asked)
    .from(alerts)
    .innerJoin(webhooks, eq(webhooks.id, alerts.webhookId))
    .where(eqGiven(alerts.id, "id")),
);

export function selectAsked(db: Database, of: number): AskedRow | undefined {
  return askedById(db).get({ id: of });
}

const askedAfter = queryNow((db) =>
  db
    .select(asked)
    .from(alerts)
    .innerJoin(webhooks, eq(webhooks.id, alerts.webhookId))
    .where(gt(alerts.id, given("after")))
    .orderBy(asc(alerts.id))
    .limit(given("limit")),
);

/** Alerts with numbers above one, ascending. */
export function selectAskedAfter(db: Database, page: { after: number; limit: number }): AskedRow[] {
  return askedAfter(db).all(page);
}

const changes = queryNow((db) =>
  db
    .select({ alertId: alertChanges.alertId })
    .from(alertChanges)
    .where(and(gt(alertChanges.version, given("after")), lte(alertChanges.version, given("last")))),
);

/**
 * Alerts changed after one change, up to another.
 * @returns null if some of these changes are no longer recorded
 */
export function selectAlertChanges(db: Database, after: number, last: number): number[] | null {
  const ids = changes(db)
    .all({ after, last })
    .map(({ alertId }) => alertId);
  return ids.length === last - after ? ids : null;
}
