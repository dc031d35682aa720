import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import type { Actor } from "../../../customers/audit/audit-log.ts";
import type { Database } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import { AppError, notFound } from "../../../errors.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import type { TargetGuard } from "../../../values/network/target-guard.ts";
import type { SecretBox } from "../../../values/secret-box.ts";
import type { DeliverySelection, RecentAttempt } from "./deliveries-log.store.ts";
import { selectBody, selectDeliveries, selectRecentAttempts } from "./deliveries-log.store.ts";
import {
  addWebhook,
  changeWebhook,
  fitChannelsPart,
  ownWebhook,
  type removeWebhookPart,
  requireEnabling,
  rotateSecret,
} from "./manage-webhooks.ts";
import { type ManualAttempts, startResend, startTest } from "./manual-attempts.ts";
import { addressFaults, type ReceiverAddress, requireAcceptable } from "./webhook-limits.ts";
import type {
  DeliveryView,
  ItemPage,
  NewSecretView,
  OwnItem,
  WebhookView,
} from "./webhook-views.ts";
import { itemPage, ownItem, webhookRows } from "./webhook-views.ts";
import {
  countWebhooks,
  selectWatching,
  selectWatchingPage,
  selectWebhook,
} from "./webhooks.store.ts";

/** Changes of webhooks, on the thread that writes changes by people. */
export const webhookChanges = {
  addWebhook,
  changeWebhook,
  fitChannelsPart,
  rotateSecret,
  startTest,
  startResend,
};

/** A removal may take long, so it runs on the thread for timed work. */
type Changes = Calls<typeof webhookChanges & { removeWebhookPart: typeof removeWebhookPart }>;

/** A change of a webhook: fields not given stay as they are. */
interface GivenChange {
  address: ReceiverAddress | undefined;
  channels: number[] | undefined;
  isActive: boolean | undefined;
}

export type Webhooks = ReturnType<typeof createWebhooks>;

/** An organization's webhooks; another organization's are `not_found`. */
export function createWebhooks(
  db: Database,
  writer: Changes,
  guard: TargetGuard,
  secrets: SecretBox,
  attempts: ManualAttempts,
) {
  const { get, ...reads } = createWebhookReads(db);

  /** Writes a new list's rows, part by part, between which others' changes take their turns. */
  async function fitChannels(id: number): Promise<void> {
    let isLeft = true;
    while (isLeft) isLeft = await writer.fitChannelsPart(id);
  }

  return {
    get,
    ...reads,
    ...attempts,

    /** Why an address is not acceptable; empty if it is. */
    addressFaults: (address: ReceiverAddress): Promise<Message[]> => addressFaults(guard, address),

    async create(
      organizationId: number,
      plan: Plan,
      { address, channels }: { address: ReceiverAddress; channels: number[] },
      by: Actor,
    ): Promise<NewSecretView> {
      await requireAcceptable(db, guard, address, plan, channels);
      const secret = secrets.create();
      const sealed = secrets.seal(secret);
      const row = { organizationId, plan, url: address.url, channels, secret: sealed, by };
      const id = await writer.addWebhook(row);
      await fitChannels(id);
      return { ...(await get({ organizationId, id })), secret };
    },

    async change(
      own: OwnItem,
      plan: Plan,
      { address, channels, isActive }: GivenChange,
      by: Actor,
    ): Promise<WebhookView> {
      const webhook = await ownWebhook(db, own);
      requireEnabling(webhook, { isActive });
      if (isActive === true && secrets.open(webhook.secret) === null) {
        throw new AppError("conflict", message("secretUnreadable"));
      }
      if (address !== undefined) await requireAcceptable(db, guard, address, plan, channels ?? []);
      const change = { url: address?.url, channels, isActive };
      await writer.changeWebhook({ ...own, plan, change, by });
      if (channels !== undefined) await fitChannels(own.id);
      return get(own);
    },

    /**
     * Refuses to enable a webhook that staff disabled; an unknown or another organization's passes.
     * @throws AppError `conflict`
     */
    async refuseEnabling({ organizationId, id }: OwnItem): Promise<void> {
      const webhook = await selectWebhook(db, { id });
      if (webhook?.organizationId === organizationId) requireEnabling(webhook, { isActive: true });
    },

    /** Removes a webhook with all that belongs to it, which may take long. */
    async remove(own: OwnItem, by: Actor): Promise<void> {
      let isLeft = true;
      while (isLeft) isLeft = await writer.removeWebhookPart({ ...own, by });
    },

    /** Replaces the signing secret. @param overlapMs how long the previous one signs too */
    async rotate(own: OwnItem, overlapMs: number, by: Actor): Promise<NewSecretView> {
      const secret = secrets.create();
      await writer.rotateSecret({ ...own, secret: secrets.seal(secret), overlapMs, by });
      return { ...(await get(own)), secret };
    },
  };
}

const ownWatching = ownItem("webhook", selectWatching);

/** Queries about an organization's webhooks; another organization's are `not_found`. */
function createWebhookReads(db: Database) {
  return {
    get: async (own: OwnItem): Promise<WebhookView> => webhookRows.row(await ownWatching(db, own)),

    count: (organizationId: number): number => countWebhooks(db, { organizationId }),

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
