import type { Database } from "../../../db/database.ts";
import { inParts } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { selectWebhook } from "../manage/webhooks.store.ts";
import type { Webhook } from "../manage/webhooks.table.ts";
import { dropSome, selectWaiting } from "./drop-queue.store.ts";
import { isServed } from "./served.ts";

/**
 * Drops the pending deliveries, however many, of those of the given webhooks that get no events. None is
 * attempted meanwhile, because claiming checks the webhook itself.
 */
export async function emptyQueues(
  db: Database,
  clock: Clock,
  webhookIds: readonly number[],
): Promise<void> {
  for (const id of webhookIds) {
    await inParts(db, clock, "webhook-queue", async (tx) => {
      const webhook = await selectWebhook(tx, { id });
      const isLive = webhook !== undefined && (await getsEvents(tx, webhook, clock.now()));
      return !isLive && dropSome(tx, id);
    });
  }
}

/** Whether a webhook is active and its organization's plan includes webhooks. */
async function getsEvents(
  db: Database,
  { organizationId, disabledReason }: Pick<Webhook, "organizationId" | "disabledReason">,
  nowMs: number,
): Promise<boolean> {
  return disabledReason === "" && isServed(db, organizationId, nowMs);
}

/** Numbers of webhooks that get no events, but have pending deliveries or are marked as failing. */
export async function deadQueues(db: Database, nowMs: number): Promise<number[]> {
  const dead: number[] = [];
  for (const webhook of await selectWaiting(db)) {
    if (!(await getsEvents(db, webhook, nowMs))) dead.push(webhook.id);
  }
  return dead;
}
