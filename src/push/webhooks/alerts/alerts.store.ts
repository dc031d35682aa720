import { and, asc, count, eq, gt, sql } from "drizzle-orm";
import { type Database, statement, type Transaction } from "../../../db/database.ts";
import { allParams, change, eqParam, param, query, queryNow } from "../../../db/query.ts";
import { type Alert, type AlertFields, alertChanges, alertPosts, alerts } from "./alerts.table.ts";

const alertById = query((db) => db.select().from(alerts).where(eqParam(alerts.id, "id")));

export function selectAlert(db: Database, id: number): Promise<Alert | undefined> {
  return alertById(db).get({ id });
}

const pageOfOrganization = query((db) =>
  db
    .select()
    .from(alerts)
    .where(and(eqParam(alerts.organizationId, "organizationId"), gt(alerts.id, param("after"))))
    .orderBy(asc(alerts.id))
    .limit(param("limit")),
);

/** An organization's alerts with numbers above `after`, ascending. */
export function selectAlertsPage(
  db: Database,
  page: { organizationId: number; after: number; limit: number },
): Promise<Alert[]> {
  return pageOfOrganization(db).all(page);
}

const counted = queryNow((db) =>
  db
    .select({ alerts: count() })
    .from(alerts)
    .where(eqParam(alerts.organizationId, "organizationId")),
);

/** Counts alerts for plan rules, in the tick's snapshot. */
export function countAlertsNow(db: Database, organizationId: number): number {
  return counted(db).get({ organizationId })?.alerts ?? 0;
}

const nth = query((db) =>
  db
    .select({ id: alerts.id })
    .from(alerts)
    .where(eqParam(alerts.organizationId, "organizationId"))
    .orderBy(asc(alerts.id))
    .limit(1)
    .offset(param("before")),
);

/** Number of the organization's alert that follows the oldest `before` ones; undefined if there is none. */
export async function alertAfter(
  db: Database,
  of: { organizationId: number; before: number },
): Promise<number | undefined> {
  return (await nth(db).get(of))?.id;
}

const countedOfWebhook = query((db) =>
  db.select({ alerts: count() }).from(alerts).where(eqParam(alerts.webhookId, "webhookId")),
);

export async function countAlertsOfWebhook(db: Database, webhookId: number): Promise<number> {
  return (await countedOfWebhook(db).get({ webhookId }))?.alerts ?? 0;
}

const first = query((db) => db.select({ id: alerts.id }).from(alerts).limit(1));

export async function anyAlert(db: Database): Promise<boolean> {
  return (await first(db).get()) !== undefined;
}

export async function insertAlert(
  tx: Transaction,
  row: AlertFields & Pick<Alert, "organizationId" | "createdAt">,
): Promise<number> {
  const values = { ...row, updatedAt: row.createdAt, sinceSequence: lastAlertSequence(tx) };
  const [made] = await tx.builders.insert(alerts).values(values).returning({ id: alerts.id });
  return (made as { id: number }).id;
}

export async function updateAlert(
  tx: Transaction,
  id: number,
  values: Partial<Alert>,
): Promise<void> {
  await tx.builders.update(alerts).set(values).where(eq(alerts.id, id));
}

const remove = change((db) => db.delete(alerts).where(eqParam(alerts.id, "id")));

export async function deleteAlert(tx: Transaction, id: number): Promise<void> {
  await remove(tx).run({ id });
}

const moveOn = change((db) =>
  db
    .update(alerts)
    .set({ sinceSequence: param("last") })
    .where(eqParam(alerts.webhookId, "webhookId")),
);

/** Makes a webhook's alerts start over: they only get posts read from now on. */
export async function restartAlerts(tx: Transaction, webhookId: number): Promise<void> {
  await moveOn(tx).run({ webhookId, last: lastAlertSequence(tx) });
}

const noteCut = change((db) =>
  db
    .update(alerts)
    .set({ cutSequence: param("last"), ...allParams("sentDay", "sentPosts") })
    .where(eqParam(alerts.id, "id")),
);

/** Records up to which sequence an alert's posts have been put into events, and how many that day. */
export async function noteAlertCut(
  tx: Transaction,
  cut: { id: number; last: number; sentDay: number; sentPosts: number },
): Promise<void> {
  await noteCut(tx).run(cut);
}

const forget = change((db) =>
  db.delete(alertPosts).where(
    sql`${alertPosts.sequence} IN (SELECT ${alertPosts.sequence} FROM ${alertPosts}
      WHERE ${alertPosts.sequence} <= ${param("last")} LIMIT ${param("rowsMax")})`,
  ),
);

/** Removes some of the queued posts up to a sequence. @returns how many */
export async function forgetAlertPosts(
  tx: Transaction,
  last: number,
  rowsMax: number,
): Promise<number> {
  return (await forget(tx).run({ last, rowsMax })).changes;
}

const noteChange = change((db) => db.insert(alertChanges).values({ alertId: param("alertId") }));

/** Makes every process load an alert again. Changes of the alert itself are recorded by a trigger. */
export async function noteAlertChange(tx: Transaction, alertId: number): Promise<void> {
  await noteChange(tx).run({ alertId });
}

/** Number of the latest change of alerts, by any process. */
export function lastAlertChange(db: Database): number {
  return lastNumberOf(db, "alert_changes");
}

/** Sequence of the last post read: later ones are new. */
export function lastAlertSequence(db: Database): number {
  return lastNumberOf(db, "alert_posts");
}

/** The last number that a table has given out, as SQLite itself records it. */
export function lastNumberOf(db: Database, table: string): number {
  const sql = "SELECT seq FROM sqlite_sequence WHERE name = ?";
  return statement<{ seq: number }>(db, sql).get(table)?.seq ?? 0;
}
