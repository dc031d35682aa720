/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { NewSecretView, WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { cutText } from "../../forms/faults.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { ChannelPicker } from "../../look/channel-link.tsx";
import { Form, TextAreaField, TextField } from "../../look/form.tsx";
import { Snippet } from "../../look/shown.tsx";
import { isManager } from "../../visit/viewer.ts";
import { asset, page, useVisit, type View } from "../../visit/visit.ts";

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

/** Forms for what this visitor may do with a webhook. */
export function ManageWebhook({
  webhook,
  isIncluded,
}: {
  webhook: WebhookView;
  /** Whether the current plan includes webhooks; if not, they can only be deleted. */
  isIncluded: boolean;
}) {
  const { webhookPages: words, disable, enable, remove, save } = useVisit().words;
  const isOwnManager = isManager();
  return (
    <section aria-labelledby="manage">
      <h2 id="manage">{words.manage}</h2>
      {!isOwnManager && <p>{words.managersOnly}</p>}
      <div class="row">
        {isIncluded && isOwnManager && !webhook.is_active && (
          <ActionButton action="enable" label={enable} />
        )}
        {isIncluded && (
          <div class={webhook.is_active ? undefined : "others"}>
            <ActionButton action="test" label={words.test} />
          </div>
        )}
        {isIncluded && isOwnManager && webhook.is_active && (
          <div class="others">
            <ActionButton action="disable" label={disable} />
          </div>
        )}
      </div>
      {isIncluded && (
        <p>
          <small>{words.testHint}</small>
        </p>
      )}
      {isIncluded && isOwnManager && (
        <>
          <Folded action="change" label={words.change}>
            <WebhookForm action="change" button={save} webhook={webhook} />
          </Folded>
          <Folded action="rotate" label={words.rotate}>
            <Form action="rotate" once submit={words.rotateButton} words={words}>
              <TextField name="overlap_hours" type="number" required={false} />
            </Form>
          </Folded>
        </>
      )}
      {isOwnManager && (
        <ActionButton action="delete" label={remove} confirm={words.removeConfirm} danger />
      )}
    </section>
  );
}

/** A form that is folded until it is needed, or being shown again. */
function Folded({
  action,
  label,
  children,
}: {
  action: string;
  label: string;
  children: JSX.Element;
}) {
  const visit = useVisit();
  return (
    <details class="folded" open={visit.form.get("action") === action}>
      <summary>{label}</summary>
      {children}
    </details>
  );
}
