import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import { type Actor, type AuditEntry, recordChange } from "../../../customers/audit/audit-log.ts";
import type { Database } from "../../../db/database.ts";
import { inSlice, inTransaction, transaction } from "../../../db/transaction.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { message } from "../../../values/messages/messages.ts";
import { countAlertsOfWebhook } from "../alerts/alerts.store.ts";
import { deleteDeliveries } from "../delivery/deliveries.store.ts";
import { emptyQueues } from "../events/served.ts";
import { channelsOf, fitRows, setChannels } from "./watched-channels.store.ts";
import { requireChannels, requireFew, requireRoom } from "./webhook-limits.ts";
import { type OwnItem, type OwnWebhook, ownItem } from "./webhook-views.ts";
import {
  countWebhooks,
  deleteWebhook,
  disable,
  enable,
  insertWebhook,
  selectWebhook,
  updateWebhook,
} from "./webhooks.store.ts";
import type { Webhook } from "./webhooks.table.ts";

/**
 * Changes of webhooks by owners and administrators, one transaction each; after a new list of channels,
 * `fitChannelsPart` is called until nothing is left.
 */

/** The webhook of an organization, or of the operator. @throws AppError `not_found`, also for others' */
export const ownWebhook = ownItem("webhook", selectWebhook);

interface NewWebhook {
  organizationId: number;
  plan: Plan;
  url: string;
  channels: number[];
  /** The secret, encrypted by the secret box. */
  secret: Uint8Array;
  by: Actor;
}

/** Creates a webhook. @returns its number. @throws AppError `tariff_required`, `invalid` on `channels` */
export async function addWebhook(
  db: Database,
  clock: Clock,
  { organizationId, plan, url, channels, secret, by }: NewWebhook,
): Promise<number> {
  requireRoom("webhooks", plan, countWebhooks(db, { organizationId }));
  // Thousands may be looked up, so this precedes the lock.
  await requireChannels(db, plan, channels);
  return inTransaction(db, clock, "webhook-create", async (tx) => {
    requireRoom("webhooks", plan, countWebhooks(tx, { organizationId }));
    const row = { organizationId, url, secret: Buffer.from(secret), createdAt: clock.now() };
    const id = await insertWebhook(tx, row);
    await setChannels(tx, id, channels);
    const details = { host: hostOf(url), channels: channels.length };
    await recordChange(tx, clock, by, ofWebhook("create", { organizationId, id }, details));
    return id;
  });
}

/** Fields to change; those left out stay as they are. */
interface WebhookChange {
  url?: string | undefined;
  channels?: number[] | undefined;
  isActive?: boolean | undefined;
}

/** Refuses to enable a webhook that staff disabled. @throws AppError `conflict` */
export function requireEnabling({ disabledReason }: Webhook, { isActive }: WebhookChange): void {
  if (isActive === true && disabledReason === "staff") {
    throw new AppError("conflict", message("disabledByStaff"));
  }
}

/**
 * Changes the given fields, enables or disables. A webhook's queue is emptied before it is enabled and
 * after it is disabled.
 * @throws AppError `not_found`, `conflict` for one that staff disabled, and as `addWebhook`
 */
export async function changeWebhook(
  db: Database,
  clock: Clock,
  { plan, change, by, ...own }: OwnItem & { plan: Plan; change: WebhookChange; by: Actor },
): Promise<void> {
  if (change.isActive === true) {
    const { id } = await ownWebhook(db, own);
    await emptyQueues(db, clock, [id]);
  }
  if (change.channels !== undefined) {
    requireEnabling(await ownWebhook(db, own), change);
    await requireChannels(db, plan, change.channels);
  }
  await inTransaction(db, clock, "webhook-change", async (tx) => {
    const webhook = await ownWebhook(tx, own);
    const { disabledReason } = webhook;
    const enables = change.isActive === true && disabledReason !== "";
    const disables = change.isActive === false && disabledReason === "";
    const { url, channels } = change;
    const changesUrl = url !== undefined && url !== webhook.url;
    const changesChannels =
      channels !== undefined && channels.join() !== (await channelsOf(tx, own.id)).join();
    requireEnabling(webhook, change);
    const now = clock.now();
    if (changesChannels) await setChannels(tx, own.id, channels);
    if (url !== undefined) await updateWebhook(tx, own.id, { url });
    if (enables) {
      requireRoom("webhooks", plan, countWebhooks(tx, own) - 1);
      requireFew(plan, (await channelsOf(tx, own.id)).length);
      await enable(tx, own.id, now);
    }
    if (disables) await disable(tx, own.id, "customer", now);
    if (enables || disables || changesUrl || changesChannels) {
      await updateWebhook(tx, own.id, { updatedAt: now });
      const verb = enables ? "enable" : disables ? "disable" : "change";
      const details = {
        ...(changesUrl && { host: hostOf(url) }),
        ...(changesChannels && { channels: channels.length }),
        ...(enables && { before: disabledReason }),
      };
      await recordChange(tx, clock, by, ofWebhook(verb, own, details));
    }
  });
  if (change.isActive === false) await emptyQueues(db, clock, [own.id]);
}

/**
 * Continues a change of a webhook's list of channels, of which thousands may have to be written.
 * @returns whether something is left
 */
export function fitChannelsPart(db: Database, clock: Clock, id: number): Promise<boolean> {
  return inSlice(db, clock, "webhook-channels", (tx, isOver) => fitRows(tx, id, isOver));
}

/** Deliveries to remove per step, each with its attempts and a body of up to a megabyte. */
const REMOVED_MAX = 10;

/**
 * Removes part of a webhook, whose log may be long. The caller repeats this until nothing is left, so that
 * other work gets in between. The webhook is disabled first, so that nothing is added.
 * @returns whether something is left
 * @throws AppError `not_found`
 */
export function removeWebhookPart(
  db: Database,
  clock: Clock,
  { by, ...own }: OwnWebhook & { by: Actor },
): Promise<boolean> {
  return inSlice(db, clock, "webhook-delete", async (tx, isOver) => {
    const { disabledReason } = await ownWebhook(tx, own);
    if (disabledReason === "") await disable(tx, own.id, "customer", clock.now());
    if ((await channelsOf(tx, own.id)).length > 0) await setChannels(tx, own.id, []);
    if (await fitRows(tx, own.id, isOver)) return true;
    do {
      if ((await deleteDeliveries(tx, { webhookId: own.id, rowsMax: REMOVED_MAX })) === 0) {
        const alerts = await countAlertsOfWebhook(tx, { webhookId: own.id });
        const isRemoved = await deleteWebhook(tx, { id: own.id });
        const details = alerts > 0 ? { alerts } : {};
        if (isRemoved) await recordChange(tx, clock, by, ofWebhook("delete", own, details));
        return false;
      }
    } while (!isOver());
    return true;
  });
}

/**
 * Replaces the secret. The previous one keeps signing beside it for `overlapMs`.
 * @throws AppError `not_found`
 */
export const rotateSecret = transaction(
  "webhook-rotate",
  async (
    tx,
    clock,
    {
      secret,
      overlapMs,
      by,
      ...own
    }: OwnItem & { secret: Uint8Array; overlapMs: number; by: Actor },
  ) => {
    const webhook = await ownWebhook(tx, own);
    const now = clock.now();
    await updateWebhook(tx, own.id, {
      secret: Buffer.from(secret),
      formerSecret: overlapMs > 0 ? webhook.secret : null,
      formerSecretUntil: overlapMs > 0 ? now + overlapMs : null,
      updatedAt: now,
    });
    await recordChange(tx, clock, by, ofWebhook("rotate-secret", own, { overlapMs }));
  },
);

type Verb = "create" | "change" | "enable" | "disable" | "delete" | "rotate-secret" | "resend";

/** Audit entry of a change. */
export function ofWebhook(
  verb: Verb,
  { organizationId, id }: OwnWebhook,
  details: AuditEntry["details"] = {},
): AuditEntry {
  return { organizationId, action: `webhook.${verb}`, id, details };
}

/** Only the host, because the rest of an address may contain its owner's secrets. */
export function hostOf(url: string): string {
  return new URL(url).host;
}
