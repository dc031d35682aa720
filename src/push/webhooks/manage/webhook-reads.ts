import type { Database } from "../../../db/database.ts";
import { notFound } from "../../../errors.ts";
import { type DeliverySelection, selectDeliveries } from "./deliveries-log.store.ts";
import { type RecentAttempt, selectBody, selectRecentAttempts } from "./glance.store.ts";
import { type ItemPage, itemPage } from "./item-page.ts";
import { ownWebhook } from "./manage-webhooks.ts";
import { type OwnItem, ownItem } from "./own-item.ts";
import { type DeliveryView, type WebhookView, webhookRows } from "./webhook-views.ts";
import { countWebhooksNow, selectWatching, selectWatchingPage } from "./webhooks.store.ts";

const ownWatching = ownItem("webhook", selectWatching);

/** Queries about an organization's webhooks; another organization's are `not_found`. */
export function createWebhookReads(db: Database) {
  return {
    get: async (own: OwnItem): Promise<WebhookView> => webhookRows.row(await ownWatching(db, own)),

    count: (organizationId: number): number => countWebhooksNow(db, organizationId),

    async list(
      organizationId: number,
      after: number,
      limit: number,
    ): Promise<ItemPage<WebhookView>> {
      const rows = await selectWatchingPage(db, { organizationId, after, limit: limit + 1 });
      return itemPage(rows, limit, webhookRows.row);
    },

    async deliveries(
      own: OwnItem,
      page: Omit<DeliverySelection, "webhookId">,
    ): Promise<ItemPage<DeliveryView>> {
      await ownWebhook(db, own);
      return selectDeliveries(db, { ...page, webhookId: own.id });
    },

    /** The latest attempts of recent deliveries, oldest first. */
    async recentAttempts(own: OwnItem, limit: number): Promise<RecentAttempt[]> {
      await ownWebhook(db, own);
      return selectRecentAttempts(db, { webhookId: own.id, limit });
    },

    /** A delivery's body, byte for byte. @throws AppError `not_found` */
    async deliveryBody(own: OwnItem, id: number): Promise<string> {
      await ownWebhook(db, own);
      const body = await selectBody(db, { webhookId: own.id, id });
      if (body === null) throw notFound("delivery");
      return body;
    },
  };
}
