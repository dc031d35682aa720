/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import type { Visit } from "../../visit/visit.ts";

/** Whether it is active, else why not. */
export function WebhookState({
  visit,
  webhook,
}: {
  visit: Visit;
  webhook: WebhookView;
}): JSX.Element {
  const words = visit.words.webhookPages;
  if (webhook.is_active) return <span class="good">{words.active}</span>;
  return (
    <>
      <span class="bad">{words.disabled}</span> {words.reasons[webhook.disabled_reason]}
    </>
  );
}
