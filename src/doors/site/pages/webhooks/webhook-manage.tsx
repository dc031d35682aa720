/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { Form, TextField } from "../../look/form.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import { isManager } from "../../visit/viewer.ts";
import { WebhookForm } from "./webhook-fields.tsx";

/** Forms for what this visitor may do with a webhook. */
export function ManageWebhook({
  webhook,
  isIncluded,
}: {
  webhook: WebhookView;
  /** Whether the current plan includes webhooks; if not, they can only be deleted. */
  isIncluded: boolean;
}) {
  const visit = useVisit();
  const words = visit.words.webhookPages;
  const isOwnManager = isManager();
  return (
    <section aria-labelledby="manage">
      <h2 id="manage">{words.manage}</h2>
      {!isOwnManager && <p>{words.managersOnly}</p>}
      <div class="row">
        {isIncluded && isOwnManager && !webhook.is_active && (
          <ActionButton action="enable" label={words.enable} />
        )}
        {isIncluded && (
          <div class={webhook.is_active ? undefined : "others"}>
            <ActionButton action="test" label={words.test} />
          </div>
        )}
        {isIncluded && isOwnManager && webhook.is_active && (
          <div class="others">
            <ActionButton action="disable" label={words.disable} />
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
            <WebhookForm action="change" button={visit.words.save} webhook={webhook} />
          </Folded>
          <Folded action="rotate" label={words.rotate}>
            <Form action="rotate" once submit={words.rotateButton} words={words}>
              <TextField name="overlap" type="number" required={false} />
            </Form>
          </Folded>
        </>
      )}
      {isOwnManager && (
        <ActionButton action="delete" label={words.remove} confirm={words.removeConfirm} danger />
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
