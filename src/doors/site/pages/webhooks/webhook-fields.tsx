/** @jsxImportSource hono/jsx */
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { cutText } from "../../forms/cut-text.ts";
import { ChannelPicker } from "../../look/channel-picker.tsx";
import { Form, TextAreaField, TextField } from "../../look/form.tsx";
import { useVisit } from "../../visit/use-visit.ts";

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
