/** @jsxImportSource hono/jsx */
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { useVisit } from "../../visit/use-visit.ts";

/** Whether a webhook is active, or otherwise why not. */
export function WebhookState({ reason }: { reason: WebhookView["disabled_reason"] }) {
  const words = useVisit().words.webhookPages;
  if (reason === "") return <span class="good">{words.active}</span>;
  return (
    <>
      <span class="bad">{words.disabled}</span> {words.reasons[reason]}
    </>
  );
}
