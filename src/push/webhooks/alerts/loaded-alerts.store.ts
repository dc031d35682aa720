import { and, asc, eq, gt, lte } from "drizzle-orm";
import type { Database } from "../../../db/database.ts";
import { eqParam, param, queryNow } from "../../../db/query.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import type { AlertCriteria } from "./alert-index.ts";
import { type Alert, alertChanges, alerts } from "./alerts.table.ts";

/** What matching needs of an alert. */
export interface LoadedAlert extends AlertCriteria, Pick<Alert, "id" | "sentDay" | "sentPosts"> {
  /** Of its webhook; empty while that is active. */
  disabledReason: string;
}

const { id, q, channelId, category, territory, isAd, sentDay, sentPosts } = alerts;
const { disabledReason } = webhooks;
const columns = { id, q, channelId, category, territory, isAd, sentDay, sentPosts, disabledReason };

const alertById = queryNow((db) =>
  db
    .select(columns)
    .from(alerts)
    .innerJoin(webhooks, eq(webhooks.id, alerts.webhookId))
    .where(eqParam(alerts.id, "id")),
);

export function selectLoadedAlert(db: Database, of: number): LoadedAlert | undefined {
  return alertById(db).get({ id: of });
}

const alertsAfter = queryNow((db) =>
  db
    .select(columns)
    .from(alerts)
    .innerJoin(webhooks, eq(webhooks.id, alerts.webhookId))
    .where(gt(alerts.id, param("after")))
    .orderBy(asc(alerts.id))
    .limit(param("limit")),
);

/** Alerts with numbers above `after`, ascending. */
export function selectLoadedAlertsAfter(
  db: Database,
  page: { after: number; limit: number },
): LoadedAlert[] {
  return alertsAfter(db).all(page);
}

const changes = queryNow((db) =>
  db
    .select({ alertId: alertChanges.alertId })
    .from(alertChanges)
    .where(and(gt(alertChanges.version, param("after")), lte(alertChanges.version, param("last")))),
);

/**
 * Alerts that were changed, from the change after `after` up to `last`; one may occur several times.
 * @returns null if some of these changes are no longer recorded
 */
export function selectAlertChanges(db: Database, after: number, last: number): number[] | null {
  const ids = changes(db)
    .all({ after, last })
    .map(({ alertId }) => alertId);
  return ids.length === last - after ? ids : null;
}
