import { type Actor, recordChange } from "../../../customers/audit/audit-log.ts";
import type { Database, Transaction } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import { transaction } from "../../../db/transaction.ts";
import { AppError, fieldError, notFound } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { message } from "../../../values/messages/messages.ts";
import type { SecretBox } from "../../../values/secret-box.ts";
import { emptyQueues } from "../events/served.ts";
import { selectDeliveries } from "./deliveries-log.store.ts";
import { ofWebhook } from "./manage-webhooks.ts";
import type { ManualAttempts } from "./manual-attempts.ts";
import { channelsOf } from "./watched-channels.store.ts";
import type { AttemptView, DeliveryView } from "./webhook-views.ts";
import { disable, enable, selectWebhook, selectWebhooks, updateWebhook } from "./webhooks.store.ts";
import type { CustomersWebhook } from "./webhooks.table.ts";

export type StaffWebhooks = ReturnType<typeof createStaffWebhooks>;

/**
 * All webhooks, as staff see them. Functions that name a webhook throw `not_found` if it does not exist.
 * @param changes on a writing connection
 * @param secrets called when needed, because it may read a file
 */
export function createStaffWebhooks(
  db: Database,
  changes: StaffWebhookChanges,
  secrets: () => Promise<Pick<SecretBox, "open">>,
  attempts: Pick<ManualAttempts, "resend">,
  clock: Clock,
) {
  return {
    webhooks: (organizationId: number | null): Promise<CustomersWebhook[]> =>
      selectWebhooks(db, organizationId),
    webhook: (id: number): Promise<CustomersWebhook> => requireWebhook(db, id),
    channels: (id: number): Promise<number[]> => channelsOf(db, id),
    disable: changes.disableWebhookAsStaff,

    /** Enables a webhook. @throws AppError `conflict` if its attempts could not be signed */
    async enable(id: number, by: Actor): Promise<CustomersWebhook> {
      const { disabledReason, secret } = await requireWebhook(db, id);
      if (disabledReason !== "" && (await secrets()).open(secret) === null) {
        throw new AppError("conflict", message("secretUnreadableOfOwner"));
      }
      return changes.enableWebhookAsStaff(id, by);
    },

    /** Makes one more attempt now. @throws AppError `conflict`, `throttled` as for its owner */
    async resend(id: number, delivery: number, by: Actor): Promise<AttemptView> {
      const { organizationId } = await requireWebhook(db, id);
      return attempts.resend({ organizationId, id }, delivery, by);
    },

    /** Deliveries before a number, or the latest, newest first. */
    async deliveries(
      id: number,
      { before, limit }: { before: number | null; limit: number },
    ): Promise<DeliveryView[]> {
      await requireWebhook(db, id);
      const selection = { webhookId: id, before, limit, nowMs: clock.now() };
      return (await selectDeliveries(db, selection)).results;
    },
  };
}

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
