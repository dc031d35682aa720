import { type Actor, recordChange } from "../../../customers/audit/audit-log.ts";
import type { Database, Transaction } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import { transaction } from "../../../db/transaction.ts";
import { fieldError, notFound } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { message } from "../../../values/messages/messages.ts";
import { emptyQueues } from "../events/drop-queue.ts";
import { ofWebhook } from "./manage-webhooks.ts";
import { disable, enable, selectWebhook, updateWebhook } from "./webhooks.store.ts";
import type { CustomersWebhook } from "./webhooks.table.ts";

/** Changes of webhooks by staff, one transaction each. */
export const staffWebhookChanges = { disableWebhookAsStaff, enableWebhookAsStaff };

export type StaffWebhookChanges = Calls<typeof staffWebhookChanges>;

const NOTE_LENGTH_MAX = 500;

/**
 * Disables a webhook; only staff can enable it again.
 * @param note the reason, shown to staff only
 * @throws AppError `not_found`, `invalid` on `reason`
 */
async function disableWebhookAsStaff(
  db: Database,
  clock: Clock,
  id: number,
  note: string,
  by: Actor,
): Promise<CustomersWebhook> {
  const staffNote = note.trim();
  if ([...staffNote].length > NOTE_LENGTH_MAX) {
    throw fieldError({ reason: [message("tooLong", { characters: NOTE_LENGTH_MAX })] });
  }
  const disabled = await changeWebhook(db, clock, id, async (tx, webhook) => {
    if (webhook.disabledReason === "staff" && webhook.staffNote === staffNote) return;
    await disable(tx, id, "staff", clock.now());
    await updateWebhook(tx, id, { staffNote });
    await recordChange(tx, clock, by, ofWebhook("disable", webhook, { reason: staffNote }));
  });
  await emptyQueues(db, clock, [id]);
  return disabled;
}

/** Enables a webhook, whatever the reason it was disabled for. @throws AppError `not_found` */
async function enableWebhookAsStaff(
  db: Database,
  clock: Clock,
  id: number,
  by: Actor,
): Promise<CustomersWebhook> {
  await emptyQueues(db, clock, [id]);
  return changeWebhook(db, clock, id, async (tx, webhook) => {
    const { disabledReason: before } = webhook;
    if (before === "") return;
    await enable(tx, id, clock.now());
    await updateWebhook(tx, id, { staffNote: "" });
    await recordChange(tx, clock, by, ofWebhook("enable", webhook, { before }));
  });
}

const changeWebhook = transaction(
  "webhook-staff",
  async (
    tx,
    _clock,
    id: number,
    change: (tx: Transaction, webhook: CustomersWebhook) => Promise<void>,
  ) => {
    await change(tx, await requireWebhook(tx, id));
    return requireWebhook(tx, id);
  },
);

/** A customer's webhook by its number. @throws AppError `not_found` */
export async function requireWebhook(db: Database, id: number): Promise<CustomersWebhook> {
  const found = await selectWebhook(db, { id });
  const organizationId = found?.organizationId ?? null;
  if (found === undefined || organizationId === null) throw notFound("webhook", id);
  return { ...found, organizationId };
}
