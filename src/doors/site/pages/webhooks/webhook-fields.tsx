/** @jsxImportSource hono/jsx */
import type { NewSecretView, WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { cutText } from "../../forms/faults.ts";
import { ChannelPicker } from "../../look/channel-picker.tsx";
import { Form, TextAreaField, TextField } from "../../look/form.tsx";
import { Snippet } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import { asset, page, type View } from "../../visit/view.ts";

/** Longest list of channels that an address can prefill. */
const PREFILLED_BYTES_MAX = 1_000;

/** The form with address and channels, for a new or an existing webhook. */
export function WebhookForm({
  action,
  button,
  webhook,
}: {
  action: string;
  button: string;
  webhook?: WebhookView;
}) {
  const visit = useVisit();
  const words = visit.words.webhookPages;
  // A channel's page links here with its number.
  const prefilled = cutText(visit.query.get("channels") ?? "", PREFILLED_BYTES_MAX);
  return (
    <Form action={action} once={webhook === undefined} submit={button} words={words}>
      <TextField name="url" type="url" value={webhook?.url ?? ""} />
      <ChannelPicker label={words.findChannel} adds={`${action}-channels`} />
      <TextAreaField name="channels" value={webhook?.channels.join(" ") ?? prefilled} rows={4} />
    </Form>
  );
}

/** @jsxImportSource hono/jsx */

/** The only page that ever shows a secret: the answer to the form that created it. */
export function secretPage({ id, secret }: NewSecretView): View {
  const words = useVisit().words.webhookPages;
  return page(
    words.secretOf(id),
    <>
      <p role="status">{words.secretText}</p>
      <Snippet text={secret} label={words.secret} />
      <p>
        <a href={asset(`/account/webhooks/${id}/`)}>{words.toWebhook}</a>
      </p>
    </>,
  );
}

/** @jsxImportSource hono/jsx */

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
