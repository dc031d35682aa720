import { selectOrganization } from "../../../customers/accounts/accounts.store.ts";
import { named, tellOperator } from "../../../customers/operator-events/operator-events.store.ts";
import type { Database, Transaction } from "../../../db/database.ts";
import { inTransaction } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { onOneLine } from "../../../ports/mail.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { DAY_MS, formatInstant } from "../../../values/moscow-time.ts";
import { noticeMail } from "../../mail/notice-mail.ts";
import { mailManagers, mailStaff } from "../../mail/notice-recipients.ts";
import { disable, selectWebhook } from "../manage/webhooks.store.ts";
import type { Webhook } from "../manage/webhooks.table.ts";
import { emptyQueues } from "./drop-queue.ts";
import { readTimes, selectFailing } from "./due-work.store.ts";

/** A webhook that fails for this long is disabled (specification, section 6). */
export const FAILING_MAX_MS = DAY_MS;
/** How much of that time may have passed without any process running. */
const DOWN_MAX_MS = 60 * 60 * 1000;

/**
 * Disables webhooks that have failed for a day. If no process was running for more than an hour of it, the
 * attempts that became due meanwhile are made first.
 * @returns the numbers of the disabled webhooks
 */
export async function disableFailed(db: Database, clock: Clock): Promise<number[]> {
  if ((await failing(db, clock.now())).length === 0) return [];
  const disabled = await inTransaction(db, clock, "disable-failed", async (tx) => {
    const nowMs = clock.now();
    const failed = await failing(tx, nowMs);
    for (const id of failed) await disableForFailures(tx, id, nowMs);
    return failed;
  });
  await emptyQueues(db, clock, disabled);
  return disabled;
}

/** Numbers of the webhooks to disable. */
async function failing(db: Database, nowMs: number): Promise<number[]> {
  const { overdueUntil } = await readTimes(db);
  const failingSince = nowMs - FAILING_MAX_MS;
  return selectFailing(db, { failingSince, downMaxMs: DOWN_MAX_MS, overdueUntil });
}

/** Disables a webhook, and informs its owners and administrators, or staff, by mail. */
async function disableForFailures(tx: Transaction, id: number, nowMs: number): Promise<void> {
  const webhook = await selectWebhook(tx, { id });
  if (webhook === undefined) return;
  await disable(tx, id, "failures", nowMs);
  const { organizationId, url, lastError } = webhook;
  if (organizationId === null) {
    await mailStaff(tx, nowMs, operatorMail(webhook));
    return;
  }
  const organization = await selectOrganization(tx, { id: organizationId });
  if (organization === undefined) return;
  await mailManagers(tx, nowMs, organizationId, disabledMail(webhook, organization.name));
  await tellOperator(tx, nowMs, "webhook.disabled", {
    organization: named(organization),
    disabled_webhook: { id, url, last_error: lastError },
  });
}

/** The mail about a disabled webhook, without recipients. */
export function disabledMail(
  webhook: Webhook,
  organizationName: string,
): ReturnType<typeof noticeMail> {
  const of = { id: webhook.id, organization: onOneLine(organizationName) };
  const subject = message("webhookDisabledSubject", of);
  return noticeMail(subject, message("webhookDisabledMail", of), factsOf(webhook));
}

/** The same about one of the operator's own. */
function operatorMail(webhook: Webhook): ReturnType<typeof noticeMail> {
  const { id } = webhook;
  const subject = message("operatorWebhookDisabledSubject", { id });
  return noticeMail(subject, message("operatorWebhookDisabledMail", { id }), factsOf(webhook));
}

function factsOf({ url, lastError, lastSuccessAt }: Webhook): [Message, string][] {
  return [
    [message("address"), url],
    [message("lastError"), lastError],
    [message("lastSuccess"), lastSuccessAt === null ? "—" : formatInstant(lastSuccessAt)],
  ];
}
