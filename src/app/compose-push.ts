import { createMailer, type Mailer } from "../push/mail/mailer.ts";
import { isMailDue, type Taken } from "../push/mail/mails.store.ts";
import { createAlerts } from "../push/webhooks/alerts/alerts.ts";
import { createMakeAttempt } from "../push/webhooks/delivery/attempt.ts";
import { createSender } from "../push/webhooks/delivery/sender.ts";
import { createPush } from "../push/webhooks/events/push.ts";
import { createManualAttempts } from "../push/webhooks/manage/manual-attempts.ts";
import { createOperatorWebhooks } from "../push/webhooks/manage/operator-webhooks.ts";
import { createStaffWebhooks } from "../push/webhooks/manage/staff-webhooks.ts";
import { createWebhooks } from "../push/webhooks/manage/webhooks.ts";
import { createTargetGuard } from "../values/resolve-target.ts";
import type { Base } from "./compose-base.ts";

/** Everything about webhooks: their management, their deliveries, and turning posts into events. */
export function composeWebhooks({ db, threads, secrets, config, ports, metrics, crew }: Base) {
  const { push: work, write, read } = threads;
  const guard = createTargetGuard(ports.network.resolve, config.webhookAllow);
  const makeAttempt = createMakeAttempt(guard, ports.network, secrets, ports.clock);
  const sender = createSender(
    work,
    metrics.counted.attempts(makeAttempt),
    config.webhookRetriesMs,
    ports,
    crew?.memory.manualAttempts,
  );
  const changes = { ...write, removeWebhookPart: work.removeWebhookPart };
  const { clock, random } = ports;
  const attempts = createManualAttempts(write, sender, () => random.uuid(clock.now()));
  const box = async () => secrets;
  return {
    sender,
    push: createPush(db, work, sender, config.webhookBatchMs, ports),
    webhooks: createWebhooks(db, changes, guard, secrets, attempts),
    alerts: createAlerts(db, write, read, ports.clock),
    staffWebhooks: createStaffWebhooks(db, write, box, attempts, clock),
    operatorWebhooks: createOperatorWebhooks(db, changes, guard, box, attempts, clock),
  };
}

/** Sends queued mails. */
export function composeMailer({ db, threads: { push }, ports }: Base): Mailer {
  const isDue = (nowMs: number, taken: Taken) => isMailDue(db, nowMs, taken);
  const queue = {
    ...{ isDue, claim: push.claimMail, end: push.endMail },
    dropOld: push.dropOldMails,
  };
  return createMailer(queue, ports.mail, ports);
}
