import { type Actor, recordChange } from "../../../customers/audit/audit-log.ts";
import type { Transaction } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import { transaction } from "../../../db/transaction.ts";
import { AppError, notFound } from "../../../errors.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { readTargetUrl } from "../../../values/network/target-guard.ts";
import type { AttemptOutcome } from "../delivery/attempt.ts";
import { WEBHOOK_ATTEMPTS_MAX } from "../delivery/claim-due.ts";
import {
  addDelivery,
  attemptsUnderWay,
  type ClaimedDelivery,
  claimDelivery,
  selectDelivery,
} from "../delivery/deliveries.store.ts";
import type { Sender } from "../delivery/sender.ts";
import { eventBody, FRESH_MS } from "../events/cut-events.ts";
import { ofWebhook, ownWebhook } from "./manage-webhooks.ts";
import type { AttemptView, OwnWebhook } from "./webhook-views.ts";
import {
  deleteOutdated,
  insertManualAttempt,
  selectInstants,
  updateWebhook,
} from "./webhooks.store.ts";

/** Pings and resends per minute of one organization to one host, which may be somebody else's server. */
const OF_HOST_MAX = 6;
const OF_HOST_MS = 60_000;

/**
 * Counts a ping or resend of an organization to a webhook's host, in the caller's transaction. By host
 * rather than webhook, because webhooks can be deleted and created again.
 * @param url the webhook's address
 * @throws AppError `throttled` if the last minute had its maximum
 */
async function takeManualAttempt(
  tx: Transaction,
  { organizationId, url }: { organizationId: number | null; url: string },
  nowMs: number,
): Promise<void> {
  // The operator's own servers need no protection from the operator.
  if (organizationId === null) return;
  const target = readTargetUrl(url);
  const host = "value" in target ? target.value.host : "";
  // Attempts in the future were made before the clock was set back.
  await deleteOutdated(tx, { from: nowMs - OF_HOST_MS, nowMs });
  const taken = await selectInstants(tx, { organizationId, host });
  const [first] = taken;
  if (first !== undefined && taken.length >= OF_HOST_MAX) {
    const refusal = message("hostHadEnough", { attempts: OF_HOST_MAX });
    const waitMs = first + OF_HOST_MS - nowMs;
    throw new AppError("throttled", refusal, { retryAfterS: Math.ceil(waitMs / 1000) });
  }
  await insertManualAttempt(tx, { organizationId, host, attemptedAt: nowMs });
}

export type ManualAttempts = ReturnType<typeof createManualAttempts>;

/**
 * Attempts that a caller waits for.
 * @param newClaim makes a text that is unique
 */
export function createManualAttempts(
  writer: Calls<{ startTest: typeof startTest; startResend: typeof startResend }>,
  sender: Pick<Sender, "attemptNow">,
  newClaim: () => string,
) {
  return {
    async test(own: OwnWebhook): Promise<AttemptView> {
      const start = () => writer.startTest({ ...own, claim: newClaim() });
      return toView(await sender.attemptNow(own.organizationId, "ping", start));
    },

    async resend(own: OwnWebhook, deliveryId: number, by: Actor): Promise<AttemptView> {
      const start = () => writer.startResend({ ...own, deliveryId, claim: newClaim(), by });
      return toView(await sender.attemptNow(own.organizationId, "resend", start));
    },
  };
}

function toView(outcome: AttemptOutcome & { delivery: number }): AttemptView {
  const { status, error, durationMs, delivery } = outcome;
  return { delivered: error === "", status, error, duration_ms: durationMs, delivery };
}

/** Time between two tests of a webhook (specification, section 8). */
const TEST_EVERY_MS = 60_000;

/**
 * Creates and claims a ping.
 * @throws AppError `not_found`; `throttled` within a minute of the last one, or if the host has had its
 * maximum of pings and resends
 */
export const startTest = transaction(
  "webhook-test",
  async (tx, clock, { claim, ...own }: OwnWebhook & { claim: string }) => {
    const webhook = await ownWebhook(tx, own);
    const { testedAt } = webhook;
    const nowMs = clock.now();
    const waitMs = testedAt === null ? 0 : testedAt + TEST_EVERY_MS - nowMs;
    if (waitMs > 0) {
      const retryAfterS = Math.ceil(waitMs / 1000);
      throw new AppError("throttled", message("testedJustNow"), { retryAfterS });
    }
    await takeManualAttempt(tx, webhook, nowMs);
    await updateWebhook(tx, own.id, { testedAt: nowMs });
    const body = eventBody("ping", own.id, nowMs, []);
    const ping = { webhookId: own.id, event: "ping", postIds: [], body, nowMs } as const;
    return claimed(tx, await addDelivery(tx, ping), claim, nowMs);
  },
);

/**
 * Claims a delivery for one more attempt.
 * @throws AppError `not_found`; `conflict` if it cannot be resent; `throttled` while the webhook has its
 * maximum of attempts in progress, or if the host has had its maximum of pings and resends
 */
export const startResend = transaction(
  "webhook-resend",
  async (
    tx,
    clock,
    {
      claim,
      deliveryId,
      by,
      ...own
    }: OwnWebhook & { deliveryId: number; claim: string; by: Actor },
  ) => {
    const webhook = await ownWebhook(tx, own);
    const delivery = await selectDelivery(tx, { id: deliveryId });
    if (delivery?.webhookId !== webhook.id) throw notFound("delivery");
    const nowMs = clock.now();
    const conflict = (reason: Message) => new AppError("conflict", reason);
    if (webhook.disabledReason !== "") throw conflict(message("webhookDisabled"));
    if (delivery.event === "ping") throw conflict(message("pingNotResent"));
    if ((delivery.claimedUntil ?? 0) > nowMs) throw conflict(message("attemptUnderWay"));
    if (delivery.createdAt < nowMs - FRESH_MS) throw conflict(message("eventTooOld"));
    if ((await attemptsUnderWay(tx, { webhookId: webhook.id, nowMs })) >= WEBHOOK_ATTEMPTS_MAX) {
      throw new AppError("throttled", message("webhookBusy"), { retryAfterS: 1 });
    }
    await takeManualAttempt(tx, webhook, nowMs);
    await recordChange(tx, clock, by, ofWebhook("resend", own, { delivery: deliveryId }));
    return claimed(tx, deliveryId, claim, nowMs);
  },
);

/** Claims a delivery. @throws AppError `conflict` if its body was removed, as by a clock that was ahead */
async function claimed(
  tx: Transaction,
  id: number,
  claim: string,
  nowMs: number,
): Promise<ClaimedDelivery> {
  const delivery = await claimDelivery(tx, id, claim, nowMs);
  if (delivery === undefined) throw new AppError("conflict", message("eventBodyGone"));
  return delivery;
}
