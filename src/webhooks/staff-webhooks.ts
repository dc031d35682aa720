import { COMMAND_LINE } from "../audit/audit-log.ts";
import type { Database } from "../db/database.ts";
import { notFound } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { type DeliveryView, selectDeliveries } from "./deliveries-log.store.ts";
import { disableAsStaff, enableAsStaff } from "./manage-webhooks.ts";
import type { SecretBox } from "./secret-box.ts";
import { channelsOf, selectWebhook, selectWebhooks } from "./webhooks.store.ts";
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
    webhooks: (organizationId: number | null): Webhook[] =>
      selectWebhooks(db, { organizationId, after: 0, limit: ALL }),
    webhook(id: number): Webhook {
      const found = selectWebhook(db, id);
      if (found === undefined) throw notFound(`Webhook ${id}`);
      return found;
    },
    channels: (id: number): number[] => channelsOf(db, id),
    /** @param note the reason, for staff */
    disable: (id: number, note = "", by = COMMAND_LINE): Promise<Webhook> =>
      disableAsStaff(db, clock, id, note, by),
    async enable(id: number, by = COMMAND_LINE): Promise<Webhook> {
      return enableAsStaff(db, clock, id, secrets(), by);
    },

    /** The latest deliveries, newest first. */
    deliveries(id: number, limit: number): DeliveryView[] {
      if (selectWebhook(db, id) === undefined) throw notFound(`Webhook ${id}`);
      const selection = { webhookId: id, before: null, limit, nowMs: clock.now() };
      return JSON.parse(selectDeliveries(db, selection).results) as DeliveryView[];
    },
  };
}
