import { type Actor, recordChange } from "../../../customers/audit/audit-log.ts";
import type { Database } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import { inTransaction, transaction } from "../../../db/transaction.ts";
import { AppError, fieldError } from "../../../errors.ts";
import type { Ports } from "../../../ports/ports.ts";
import { message } from "../../../values/messages/messages.ts";
import type { TargetGuard } from "../../../values/network/target-guard.ts";
import type { SecretBox } from "../../../values/secret-box.ts";
import { updateTimes } from "../events/due-work.store.ts";
import { deliverSome } from "../events/operator-deliveries.ts";
import { emptyQueues } from "../events/served.ts";
import { selectDeliveries } from "./deliveries-log.store.ts";
import { hostOf, ofWebhook, ownWebhook, type removeWebhookPart } from "./manage-webhooks.ts";
import type { ManualAttempts } from "./manual-attempts.ts";
import { addressFaults, type ReceiverAddress } from "./webhook-limits.ts";
import type { AttemptView, DeliveryView } from "./webhook-views.ts";
import { enable, insertWebhook, selectOperatorWebhooks } from "./webhooks.store.ts";
import type { Webhook } from "./webhooks.table.ts";

/** Most addresses of the operator: every event is a delivery to each. */
const WEBHOOKS_MAX = 10;

/** @throws AppError `conflict` if there are as many as there may be */
const addOperatorWebhook = transaction(
  "operator-webhook",
  async (tx, clock, { url, secret, by }: { url: string; secret: Uint8Array; by: Actor }) => {
    const others = (await selectOperatorWebhooks(tx)).length;
    if (others >= WEBHOOKS_MAX) {
      throw new AppError("conflict", message("operatorWebhooksFull", { max: WEBHOOKS_MAX }));
    }
    const createdAt = clock.now();
    // Ends of plans are events from the first address on.
    if (others === 0) await updateTimes(tx, { plansCheckedAt: createdAt });
    while (await deliverSome(tx, createdAt));
    const row = { organizationId: null, url, secret: Buffer.from(secret), createdAt };
    const id = await insertWebhook(tx, row);
    await recordChange(tx, clock, by, ofWebhook("create", own(id), { host: hostOf(url) }));
    return id;
  },
);

async function enableOperatorWebhook(
  db: Database,
  clock: Ports["clock"],
  id: number,
  by: Actor,
): Promise<void> {
  await ownWebhook(db, own(id));
  await emptyQueues(db, clock, [id]);
  await inTransaction(db, clock, "operator-webhook", async (tx) => {
    const { disabledReason: before } = await ownWebhook(tx, own(id));
    if (before === "") return;
    while (await deliverSome(tx, clock.now()));
    await enable(tx, id, clock.now());
    await recordChange(tx, clock, by, ofWebhook("enable", own(id), { before }));
  });
}

/** Changes of the operator's webhooks, one transaction each. */
export const operatorWebhookChanges = { addOperatorWebhook, enableOperatorWebhook };

type Changes = Calls<
  typeof operatorWebhookChanges & { removeWebhookPart: typeof removeWebhookPart }
>;

export type OperatorWebhooks = ReturnType<typeof createOperatorWebhooks>;

/**
 * The operator's own addresses, which get the appliance's events. Functions that name one throw `not_found`
 * if it does not exist, or is a customer's.
 * @param secrets called when needed, because it may read a file
 */
export function createOperatorWebhooks(
  db: Database,
  changes: Changes,
  guard: TargetGuard,
  secrets: () => Promise<SecretBox>,
  attempts: ManualAttempts,
  clock: Ports["clock"],
) {
  return {
    list: async (): Promise<Webhook[]> => selectOperatorWebhooks(db),
    webhook: (id: number): Promise<Webhook> => ownWebhook(db, own(id)),

    /** @throws AppError `invalid` on `url`, `conflict` */
    async create(
      address: ReceiverAddress,
      by: Actor,
    ): Promise<{ webhook: Webhook; secret: string }> {
      const url = await addressFaults(guard, address);
      if (url.length > 0) throw fieldError({ url });
      const box = await secrets();
      const secret = box.create();
      const row = { url: address.url, secret: box.seal(secret), by };
      const id = await changes.addOperatorWebhook(row);
      return { webhook: await ownWebhook(db, own(id)), secret };
    },

    async enable(id: number, by: Actor): Promise<Webhook> {
      await changes.enableOperatorWebhook(id, by);
      return ownWebhook(db, own(id));
    },

    /** Removes one with its log, which may take long. @returns what it was */
    async remove(id: number, by: Actor): Promise<Webhook> {
      const removed = await ownWebhook(db, own(id));
      let isLeft = true;
      while (isLeft) isLeft = await changes.removeWebhookPart({ ...own(id), by });
      return removed;
    },

    test: (id: number): Promise<AttemptView> => attempts.test(own(id)),
    resend: (id: number, delivery: number, by: Actor): Promise<AttemptView> =>
      attempts.resend(own(id), delivery, by),

    /** Deliveries before a number, or the latest, newest first. */
    async deliveries(
      id: number,
      part: { before: number | null; limit: number },
    ): Promise<DeliveryView[]> {
      await ownWebhook(db, own(id));
      const selection = { ...part, webhookId: id, nowMs: clock.now() };
      return (await selectDeliveries(db, selection)).results;
    },
  };
}

function own(id: number): { organizationId: null; id: number } {
  return { organizationId: null, id };
}
