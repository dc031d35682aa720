import { type Actor, recordChange } from "../../../customers/audit/audit-log.ts";
import type { Database, Transaction } from "../../../db/database.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { AppError, fieldError, notFound } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { message } from "../../../values/messages/messages.ts";
import { emptyQueues } from "../events/drop-queue.ts";
import { selectDeliveries } from "./deliveries-log.store.ts";
import { ofWebhook } from "./manage-webhooks.ts";
import type { SecretBox } from "./secret-box.ts";
import type { DeliveryView } from "./webhook-views.ts";
import {
  channelsOf,
  disable,
  enable,
  selectWebhook,
  selectWebhooks,
  updateWebhook,
} from "./webhooks.store.ts";
import type { Webhook } from "./webhooks.table.ts";

export type StaffWebhooks = ReturnType<typeof createStaffWebhooks>;

const ALL = Number.MAX_SAFE_INTEGER;

/** Staff's view of all webhooks; every verb that names one throws `not_found` where there is none. */
export function createStaffWebhooks(
  db: Database,
  clock: Clock,
  /** Asked for when it is needed: it may be kept in a file. */
  secrets: () => Pick<SecretBox, "open">,
) {
  return {
    /** Of one organization, or of all. */
    webhooks: async (organizationId: number | null): Promise<Webhook[]> =>
      selectWebhooks(db, { organizationId, after: 0, limit: ALL }),
    async webhook(id: number): Promise<Webhook> {
      const found = selectWebhook(db, id);
      if (found === undefined) throw notFound("webhook", id);
      return found;
    },
    channels: async (id: number): Promise<number[]> => channelsOf(db, id),
    /** @param note the reason, for staff */
    disable: (id: number, note: string, by: Actor): Promise<Webhook> =>
      disableAsStaff(db, clock, id, note, by),
    enable: (id: number, by: Actor): Promise<Webhook> => enableAsStaff(db, clock, id, secrets, by),

    /** The latest deliveries, newest first. */
    async deliveries(id: number, limit: number): Promise<DeliveryView[]> {
      if (selectWebhook(db, id) === undefined) throw notFound("webhook", id);
      const selection = { webhookId: id, before: null, limit, nowMs: clock.now() };
      return selectDeliveries(db, selection).results;
    },
  };
}

const NOTE_LENGTH_MAX = 500;

/**
 * As staff, which only staff can undo.
 * @param note the reason, shown to staff only
 * @throws AppError `not_found`, `invalid` on `reason`
 */
async function disableAsStaff(
  db: Database,
  clock: Clock,
  id: number,
  note: string,
  by: Actor,
): Promise<Webhook> {
  const staffNote = note.trim();
  if ([...staffNote].length > NOTE_LENGTH_MAX) {
    throw fieldError({ reason: [message("tooLong", { characters: NOTE_LENGTH_MAX })] });
  }
  const disabled = await changeAsStaff(db, clock, id, async (tx, webhook) => {
    if (webhook.disabledReason === "staff" && webhook.staffNote === staffNote) return;
    disable(db, id, "staff", clock.now());
    updateWebhook(db, id, { staffNote });
    await recordChange(tx, clock, by, ofWebhook("disable", webhook, { reason: staffNote }));
  });
  await emptyQueues(db, clock, [id]);
  return disabled;
}

/**
 * Whatever it was disabled for.
 * @throws AppError `not_found`; `conflict` where no attempt could be signed
 */
async function enableAsStaff(
  db: Database,
  clock: Clock,
  id: number,
  secrets: () => Pick<SecretBox, "open">,
  by: Actor,
): Promise<Webhook> {
  await emptyQueues(db, clock, [id]);
  return changeAsStaff(db, clock, id, async (tx, webhook) => {
    const { disabledReason: before } = webhook;
    if (before === "") return;
    if (secrets().open(webhook.secret) === null) {
      throw new AppError("conflict", message("secretUnreadableOfOwner"));
    }
    enable(db, id, clock.now());
    updateWebhook(db, id, { staffNote: "" });
    await recordChange(tx, clock, by, ofWebhook("enable", webhook, { before }));
  });
}

function changeAsStaff(
  db: Database,
  clock: Clock,
  id: number,
  change: (tx: Transaction, webhook: Webhook) => Promise<void>,
): Promise<Webhook> {
  return inTransaction(db, clock, "webhook-staff", async (tx) => {
    const webhook = selectWebhook(db, id);
    if (webhook === undefined) throw notFound("webhook", id);
    await change(tx, webhook);
    return selectWebhook(db, id) ?? webhook;
  });
}
