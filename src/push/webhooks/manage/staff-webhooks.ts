import type { Actor } from "../../../customers/audit/audit-log.ts";
import type { Database } from "../../../db/database.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { message } from "../../../values/messages/messages.ts";
import type { SecretBox } from "../../../values/secret-box.ts";
import { selectDeliveries } from "./deliveries-log.store.ts";
import type { ManualAttempts } from "./manual-attempts.ts";
import { requireWebhook, type StaffWebhookChanges } from "./staff-changes.ts";
import { channelsOf } from "./watched-channels.store.ts";
import type { AttemptView, DeliveryView } from "./webhook-views.ts";
import { selectWebhooks } from "./webhooks.store.ts";
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
    /** Webhooks of one organization; null for all. */
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
