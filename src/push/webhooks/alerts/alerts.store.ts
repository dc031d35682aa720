import { and, asc, count, eq, gt, isNull, lte } from "drizzle-orm";
import { members } from "../../../customers/accounts/accounts.table.ts";
import { type Database, statement, type Transaction } from "../../../db/database.ts";
import { change, query, withinLimit } from "../../../db/statement.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import type { AlertCriteria } from "./alert-index.ts";
import type { Alert, AlertFields } from "./alerts.table.ts";
import { alertChanges, alertMails, alertPosts, alerts, alertWaiting } from "./alerts.table.ts";

export const selectAlert = query((db, { id }: { id: number }) =>
  db.select().from(alerts).where(eq(alerts.id, id)),
).one;

/** An organization's alerts with numbers above `after`, ascending. */
export const selectAlertsPage = query(
  (
    db,
    { organizationId, after, limit }: { organizationId: number; after: number; limit: number },
  ) =>
    db
      .select()
      .from(alerts)
      .where(and(eq(alerts.organizationId, organizationId), gt(alerts.id, after)))
      .orderBy(asc(alerts.id))
      .limit(limit),
).all;

export const countAlerts = query((db, { organizationId }: { organizationId: number }) =>
  db.select({ alerts: count() }).from(alerts).where(eq(alerts.organizationId, organizationId)),
).count;

/** Number of the organization's alert that follows the oldest `before` ones; null if there is none. */
export const alertAfter = query(
  (db, { organizationId, before }: { organizationId: number; before: number }) =>
    db
      .select({ id: alerts.id })
      .from(alerts)
      .where(eq(alerts.organizationId, organizationId))
      .orderBy(asc(alerts.id))
      .limit(1)
      .offset(before),
).value;

export const countAlertsOfWebhook = query((db, { webhookId }: { webhookId: number }) =>
  db.select({ alerts: count() }).from(alerts).where(eq(alerts.webhookId, webhookId)),
).count;

export const anyAlert = query((db) => db.select({ id: alerts.id }).from(alerts).limit(1)).any;

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

export const deleteAlert = change((db, { id }: { id: number }) =>
  db.delete(alerts).where(eq(alerts.id, id)),
).run;

const moveOn = change((db, { webhookId, last }: { webhookId: number; last: number }) =>
  db.update(alerts).set({ sinceSequence: last }).where(eq(alerts.webhookId, webhookId)),
).run;

/** Makes a webhook's alerts start over: they only get posts read from now on. */
export async function restartAlerts(tx: Transaction, webhookId: number): Promise<void> {
  await moveOn(tx, { webhookId, last: lastAlertSequence(tx) });
}

/** How far an alert's posts have been put into events, and how many that day. */
interface Cut extends Pick<Alert, "id" | "sentDay" | "sentPosts"> {
  /** Sequence of the last one. */
  last: number;
}

export const noteAlertCut = change((db, { id, last, sentDay, sentPosts }: Cut) =>
  db.update(alerts).set({ cutSequence: last, sentDay, sentPosts }).where(eq(alerts.id, id)),
).run;

/** Removes some of the queued posts up to a sequence. @returns how many */
export const forgetAlertPosts = change((db, { last, rowsMax }: { last: number; rowsMax: number }) =>
  db
    .delete(alertPosts)
    .where(withinLimit(db, alertPosts.sequence, lte(alertPosts.sequence, last), rowsMax)),
).written;

/** Has a post that matched wait for an alert's next digest. */
export const putInDigest = change(
  (db, { alertId, way, postId, dueAt }: typeof alertWaiting.$inferSelect) =>
    db.insert(alertWaiting).values({ alertId, way, postId, dueAt }).onConflictDoNothing(),
).run;

/** The digest that is due longest. */
export const dueDigest = query((db, { nowMs }: { nowMs: number }) =>
  db
    .select({ alertId: alertWaiting.alertId, way: alertWaiting.way })
    .from(alertWaiting)
    .where(lte(alertWaiting.dueAt, nowMs))
    .orderBy(asc(alertWaiting.dueAt))
    .limit(1),
).one;

export const emptyDigest = change((db, { alertId, way, nowMs }: DueDigest) =>
  db
    .delete(alertWaiting)
    .where(
      and(
        eq(alertWaiting.alertId, alertId),
        eq(alertWaiting.way, way),
        lte(alertWaiting.dueAt, nowMs),
      ),
    ),
).run;

interface DueDigest extends Pick<typeof alertWaiting.$inferSelect, "alertId" | "way"> {
  nowMs: number;
}

export const addAlertMail = change(
  (db, { alertId, memberId, token }: typeof alertMails.$inferSelect) =>
    db.insert(alertMails).values({ alertId, memberId, token }).onConflictDoNothing(),
).run;

export const removeAlertMail = change(
  (db, { alertId, memberId }: { alertId: number; memberId: number }) =>
    db
      .delete(alertMails)
      .where(and(eq(alertMails.alertId, alertId), eq(alertMails.memberId, memberId))),
).run;

export const endAlertMail = change((db, { token }: { token: string }) =>
  db.delete(alertMails).where(eq(alertMails.token, token)),
).wrote;

/** Name of the alert that a token ends the mails of; null if it is over. */
export const alertOfToken = query((db, { token }: { token: string }) =>
  db
    .select({ name: alerts.name })
    .from(alertMails)
    .innerJoin(alerts, eq(alerts.id, alertMails.alertId))
    .where(eq(alertMails.token, token)),
).value;

export const isMailedTo = query(
  (db, { alertId, memberId }: { alertId: number; memberId: number }) =>
    db
      .select({ id: alertMails.alertId })
      .from(alertMails)
      .where(and(eq(alertMails.alertId, alertId), eq(alertMails.memberId, memberId))),
).any;

/** Members who are not suspended and get an alert's matches by mail. */
export const mailedMembers = query((db, { alertId }: { alertId: number }) =>
  db
    .select({ email: members.email, token: alertMails.token })
    .from(alertMails)
    .innerJoin(members, eq(members.id, alertMails.memberId))
    .where(and(eq(alertMails.alertId, alertId), isNull(members.suspendedAt))),
).all;

/** Makes every process load an alert again. Changes of the alert itself are recorded by a trigger. */
export const noteAlertChange = change((db, { alertId }: { alertId: number }) =>
  db.insert(alertChanges).values({ alertId }),
).run;

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

/** An alert, as far as matching needs it. */
export interface LoadedAlert extends AlertCriteria, Pick<Alert, "id" | "sentDay" | "sentPosts"> {
  /** Its webhook's; empty while that is active. */
  disabledReason: string;
}

const { id, q, channelId, category, territory, isAd, sentDay, sentPosts } = alerts;
const { disabledReason } = webhooks;
const columns = { id, q, channelId, category, territory, isAd, sentDay, sentPosts, disabledReason };

export const selectLoadedAlert = query((db, { id }: { id: number }) =>
  db
    .select(columns)
    .from(alerts)
    .innerJoin(webhooks, eq(webhooks.id, alerts.webhookId))
    .where(eq(alerts.id, id)),
).one;

/** Alerts with numbers above `after`, ascending. */
export const selectLoadedAlertsAfter = query(
  (db, { after, limit }: { after: number; limit: number }) =>
    db
      .select(columns)
      .from(alerts)
      .innerJoin(webhooks, eq(webhooks.id, alerts.webhookId))
      .where(gt(alerts.id, after))
      .orderBy(asc(alerts.id))
      .limit(limit),
).all;

const changes = query((db, { after, last }: { after: number; last: number }) =>
  db
    .select({ alertId: alertChanges.alertId })
    .from(alertChanges)
    .where(and(gt(alertChanges.version, after), lte(alertChanges.version, last))),
).all;

/**
 * Alerts that were changed, from the change after `after` up to `last`; one may occur several times.
 * @returns null if some of these changes are no longer recorded
 */
export function selectAlertChanges(db: Database, after: number, last: number): number[] | null {
  const ids = changes(db, { after, last }).map(({ alertId }) => alertId);
  return ids.length === last - after ? ids : null;
}
