import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import { type Actor, type AuditEntry, recordChange } from "../../../customers/audit/audit-log.ts";
import type { Database } from "../../../db/database.ts";
import { transaction } from "../../../db/transaction.ts";
import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import { includedAlerts } from "../events/served.ts";
import { requireRoom } from "../manage/webhook-limits.ts";
import { type OwnItem, ownItem } from "../manage/webhook-views.ts";
import { selectWebhook } from "../manage/webhooks.store.ts";
import {
  addAlertMail,
  alertAfter,
  countAlerts,
  deleteAlert,
  endAlertMail,
  insertAlert,
  lastAlertSequence,
  removeAlertMail,
  selectAlert,
  updateAlert,
} from "./alerts.store.ts";
import type { AlertFields } from "./alerts.table.ts";

/** An organization's alert. @throws AppError `not_found`, also for another organization's */
export const ownAlert = ownItem("alert", selectAlert);

/** @throws AppError `not_found` naming the field, also for another organization's webhook */
async function requireOwnWebhook(db: Database, organizationId: number, id: number): Promise<void> {
  const webhook = await selectWebhook(db, { id });
  if (webhook?.organizationId === organizationId) return;
  const given = { field: "webhook", thing: "webhook" } as const;
  throw new AppError("not_found", message("givenNotFound", given));
}

/**
 * Creates an alert, which gets posts read from now on.
 * @returns its number
 * @throws AppError `tariff_required`; `not_found` for another organization's webhook
 */
const addAlert = transaction(
  "alert-create",
  async (
    tx,
    clock,
    {
      organizationId,
      plan,
      fields,
      by,
    }: { organizationId: number; plan: Plan; fields: AlertFields; by: Actor },
  ) => {
    await requireOwnWebhook(tx, organizationId, fields.webhookId);
    requireRoom("alerts", plan, countAlerts(tx, { organizationId }));
    const id = await insertAlert(tx, { ...fields, organizationId, createdAt: clock.now() });
    const details = { name: fields.name, webhook: fields.webhookId };
    await recordChange(tx, clock, by, ofAlert("create", { organizationId, id }, details));
    return id;
  },
);

/**
 * Changes the given fields. If that changes what the alert searches for, it gets posts read from now on.
 * @throws AppError `not_found`, also for another organization's webhook
 */
const changeAlert = transaction(
  "alert-change",
  async (
    tx,
    clock,
    { change, by, ...own }: OwnItem & { change: Partial<AlertFields>; by: Actor },
  ) => {
    const alert = await ownAlert(tx, own);
    const { webhookId } = change;
    if (webhookId !== undefined) await requireOwnWebhook(tx, own.organizationId, webhookId);
    const changed = (Object.keys(change) as (keyof AlertFields)[]).filter(
      (name) => change[name] !== undefined && change[name] !== alert[name],
    );
    if (changed.length === 0) return;
    const isOther = changed.some((name) => name !== "name" && name !== "digest");
    await updateAlert(tx, own.id, {
      ...Object.fromEntries(changed.map((name) => [name, change[name]])),
      ...(isOther && { sinceSequence: lastAlertSequence(tx) }),
      updatedAt: clock.now(),
    });
    const name = change.name ?? alert.name;
    await recordChange(tx, clock, by, ofAlert("change", own, { name }));
  },
);

/** Removes an alert; its events already queued are still sent. @throws AppError `not_found` */
const removeAlert = transaction(
  "alert-delete",
  async (tx, clock, { by, ...own }: OwnItem & { by: Actor }) => {
    const { name } = await ownAlert(tx, own);
    await deleteAlert(tx, { id: own.id });
    await recordChange(tx, clock, by, ofAlert("delete", own, { name }));
  },
);

/** Starts mails of an alert to a member, or ends them if there is no token. @throws AppError `not_found` */
const setAlertMail = transaction(
  "alert-mail",
  async (
    tx,
    _clock,
    { memberId, token, ...own }: OwnItem & { memberId: number; token: string | null },
  ) => {
    const { id: alertId } = await ownAlert(tx, own);
    if (token === null) await removeAlertMail(tx, { alertId, memberId });
    else await addAlertMail(tx, { alertId, memberId, token });
  },
);

/** Ends the mails that a link is about. @returns whether it had not been done before */
const endAlertMails = transaction("alert-mail", (tx, _clock, of: { token: string }) =>
  endAlertMail(tx, of),
);

/** Audit entry of a change. */
function ofAlert(
  verb: "create" | "change" | "delete",
  { organizationId, id }: OwnItem,
  details: AuditEntry["details"],
): AuditEntry {
  return { organizationId, action: `alert.${verb}`, id, details };
}

/** Changes of alerts by owners and administrators, one transaction each. */
export const alertChanges = { addAlert, changeAlert, removeAlert, setAlertMail, endAlertMails };

/**
 * Number of an organization's first paused alert; alerts with higher numbers are paused too. If there are
 * more than the current plan includes, the newest pause until it includes them again.
 * @returns infinity if none is paused
 */
export async function pausedFrom(
  db: Database,
  organizationId: number,
  nowMs: number,
): Promise<number> {
  const before = await includedAlerts(db, organizationId, nowMs);
  return (await alertAfter(db, { organizationId, before })) ?? Number.POSITIVE_INFINITY;
}
