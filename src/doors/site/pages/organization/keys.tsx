/** @jsxImportSource hono/jsx */
import { requiredName } from "../../../../customers/accounts/accounts.ts";
import { KEY_ACCESSES } from "../../../../customers/keys/key-token.ts";
import { outcomeOf } from "../../../../push/webhooks/delivery/attempt.ts";
import { webhooksUpdate } from "../../../../verbs/methods/webhooks.ts";
import { readFields, requiredChoice } from "../../forms/faults.ts";
import { readLastDay } from "../../forms/read-form.ts";
import { ActionButton, RowFaults, sentNumber } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { Form, SelectField, TextField } from "../../look/form.tsx";
import { Instant, told } from "../../look/shown.tsx";
import { Done, NamedLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { change } from "../../visit/look-up.ts";
import { isManager, ownMembership } from "../../visit/viewer.ts";
import { page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";
import { WebhookState } from "../webhooks/webhook-fields.tsx";
import { keysTable, revokeKey, visibleKeys } from "./key-table.tsx";
import { makeKey } from "./new-key.tsx";

/** `/account/keys/`: API keys, and buttons to enable disabled webhooks. */
export const keysPage: SitePage = {
  path: "/account/keys/",
  access: "member",
  async show(visit) {
    const words = visit.words.organizationPages;
    return page(
      visit.words.keys,
      <>
        <Done words={{ revoked: words.keyRevoked, enabled: words.webhookEnabled }} />
        <RowFaults actions={["revoke", "enable"]} />
        <p>{words.keysIntro}</p>
        <KeyList />
        <h2>{words.newKey}</h2>
        <NewKey />
        <DisabledWebhooks />
        <p>
          <small>{words.moscowTime}</small>
        </p>
      </>,
    );
  },
  actions: {
    create,
    revoke: () => revokeKey("/account/keys/"),
    enable: enableWebhook,
  },
};

function NewKey() {
  const words = useVisit().words.organizationPages;
  return (
    <Form action="create" once submit={words.createKey} words={words}>
      <TextField name="name" label={words.keyName} hint={words.keyNameHint} />
      <SelectField name="access" options={KEY_ACCESSES} names={words.accesses} />
      <TextField name="expires" type="date" required={false} />
    </Form>
  );
}

async function create(): Promise<View> {
  const visit = useVisit();
  const { form } = visit;
  const { access, expires: expiresAt } = await readFields({
    name: () => requiredName(form.get("name")),
    access: () => requiredChoice(KEY_ACCESSES, form.get("access")),
    expires: () => readLastDay(form.get("expires"), visit.nowMs),
  });
  return makeKey({ access, expiresAt });
}

/** Working keys, and below them, folded, keys that will never work again; each list has pages. */
async function KeyList() {
  const { query, words: common } = useVisit();
  const words = common.organizationPages;
  const label = isManager() ? words.allKeys : words.yourKeys;
  const place = visibleKeys();
  const ended = await keysTable(words.oldKeys, { ...place, areEnded: true, at: "ended-before" });
  return (
    <>
      <h2>{label}</h2>
      {(await keysTable(label, { ...place, areEnded: false, at: "before" })) ?? (
        <p class="empty">{words.noKeys}</p>
      )}
      {ended !== null && (
        <details open={query.has("ended-before")}>
          <summary>{words.oldKeys}</summary>
          {ended}
        </details>
      )}
    </>
  );
}

/** The organization's disabled webhooks, each with a button; nothing if all work. */
async function DisabledWebhooks() {
  const { words: common } = useVisit();
  const words = common.organizationPages;
  const webhooks = await useSite().webhooks.webhooks(ownMembership().organization.id);
  const disabled = webhooks.filter(({ disabledReason }) => disabledReason !== "");
  if (disabled.length === 0) return null;
  return (
    <>
      <h2>{common.webhooks}</h2>
      <DataTable
        label={common.webhooks}
        rows={disabled}
        columns={[
          [
            words.address,
            ({ id, url }) => <NamedLink to={`/account/webhooks/${id}/`}>{url}</NamedLink>,
            "row long",
          ],
          [common.state, ({ disabledReason }) => <WebhookState reason={disabledReason} />],
          [common.lastSuccess, ({ lastSuccessAt: at }) => <Instant at={at} none={common.never} />],
          [
            common.lastError,
            ({ lastError }) => <bdi>{told(outcomeOf(lastError)) || common.noError}</bdi>,
            "long",
          ],
          [
            common.actions,
            ({ id }) =>
              isManager() && (
                <ActionButton
                  inRow
                  action="enable"
                  label={common.enable}
                  fields={{ webhook: id }}
                />
              ),
          ],
        ]}
      />
    </>
  );
}

/** A webhook that staff disabled can only be enabled by staff. */
async function enableWebhook(): Promise<View> {
  await change(webhooksUpdate, { id: String(sentNumber("webhook")) }, { is_active: true });
  return redirect("/account/keys/?done=enabled");
}
