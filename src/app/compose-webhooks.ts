import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Ports } from "../ports/ports.ts";
import { createMakeAttempt } from "../push/webhooks/delivery/attempt.ts";
import { createSender } from "../push/webhooks/delivery/sender.ts";
import { createPush } from "../push/webhooks/events/push.ts";
import type { SecretBox } from "../push/webhooks/manage/secret-box.ts";
import { createWebhooks } from "../push/webhooks/manage/webhooks.ts";
import { createTargetGuard } from "../push/webhooks/target/resolve-target.ts";
import type { Metrics } from "../upkeep/metrics/metrics.ts";
import type { DatabaseThreads } from "./database-threads.ts";

/** The webhooks that customers manage, what is sent to them, and what cuts posts into events. */
export function composeWebhooks(
  db: Database,
  threads: DatabaseThreads,
  secrets: SecretBox,
  config: Config,
  ports: Ports,
  counted: Metrics["counted"],
) {
  const guard = createTargetGuard(ports.network.resolve, config.webhookAllow);
  const sender = createSender(
    {
      exchange: (argument) => threads.push.run("exchange", argument),
      release: (claims) => threads.push.run("releaseClaims", claims),
    },
    counted.attempts(createMakeAttempt(guard, ports.network, secrets, ports.clock)),
    config.webhookRetriesMs,
    ports,
  );
  const push = createPush(
    db,
    {
      lookAfterWebhooks: (argument) => threads.push.run("lookAfterWebhooks", argument),
      cutPart: (part) => threads.push.run("cutPart", part),
      leavePart: (part) => threads.push.run("leavePart", part),
      disableFailed: () => threads.push.run("disableFailed", null),
    },
    sender,
    config.webhookBatchMs,
    ports,
  );
  const webhooks = createWebhooks(
    db,
    {
      add: (input) => threads.writer.run("addWebhook", input),
      change: (input) => threads.writer.run("changeWebhook", input),
      removePart: (own) => threads.push.run("removeWebhookPart", own),
      rotate: (input) => threads.writer.run("rotateSecret", input),
      startTest: (input) => threads.writer.run("startTest", input),
      startResend: (input) => threads.writer.run("startResend", input),
    },
    guard,
    secrets,
    sender,
    ports,
  );
  return { sender, push, webhooks };
}
