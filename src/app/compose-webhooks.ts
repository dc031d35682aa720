import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Ports } from "../ports/ports.ts";
import { createAlerts } from "../push/webhooks/alerts/alerts.ts";
import { createMakeAttempt } from "../push/webhooks/delivery/attempt.ts";
import { createSender } from "../push/webhooks/delivery/sender.ts";
import { createPush } from "../push/webhooks/events/push.ts";
import { createStaffWebhooks } from "../push/webhooks/manage/staff-webhooks.ts";
import { createWebhooks } from "../push/webhooks/manage/webhooks.ts";
import type { Metrics } from "../upkeep/metrics/metrics.ts";
import { createTargetGuard } from "../values/resolve-target.ts";
import type { SecretBox } from "../values/secret-box.ts";
import type { SharedClaims } from "../values/shared-claims.ts";
import type { DatabaseThreads } from "./database-threads.ts";

/**
 * The webhooks that customers and staff manage, what is sent to them, and what cuts posts into events.
 * @param manualAttempts turns that workers share; this process has its own where there is one
 */
export function composeWebhooks(
  db: Database,
  threads: DatabaseThreads,
  secrets: SecretBox,
  config: Config,
  ports: Ports,
  counted: Metrics["counted"],
  manualAttempts: SharedClaims | undefined,
) {
  const guard = createTargetGuard(ports.network.resolve, config.webhookAllow);
  const sender = createSender(
    threads.push,
    counted.attempts(createMakeAttempt(guard, ports.network, secrets, ports.clock)),
    config.webhookRetriesMs,
    ports,
    manualAttempts,
  );
  const push = createPush(db, threads.push, sender, config.webhookBatchMs, ports);
  const webhooks = createWebhooks(
    db,
    { ...threads.writer, removeWebhookPart: threads.push.removeWebhookPart },
    guard,
    secrets,
    sender,
    ports,
  );
  const staffWebhooks = createStaffWebhooks(db, threads.writer, async () => secrets, ports.clock);
  const alerts = createAlerts(db, threads.writer, threads.readers, ports.clock);
  return { sender, push, webhooks, alerts, staffWebhooks };
}
