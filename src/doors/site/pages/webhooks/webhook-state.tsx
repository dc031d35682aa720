/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import type { Visit } from "../../visit/visit.ts";

/** Whether a webhook is active, or otherwise why not. */
export function WebhookState({
  visit,
  reason,
}: {
  visit: Visit;
  reason: WebhookView["disabled_reason"];
}): JSX.Element {
  const words = visit.words.webhookPages;
  if (reason === "") return <span class="good">{words.active}</span>;
  return (
    <>
      <span class="bad">{words.disabled}</span> {words.reasons[reason]}
    </>
  );
}
