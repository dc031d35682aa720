/** @jsxImportSource hono/jsx */
import { requiredName } from "../../../../customers/accounts/accounts.ts";
import { KEY_ACCESSES } from "../../../../customers/keys/key-token.ts";
import { readFields, requiredChoice } from "../../forms/faults.ts";
import { readLastDay } from "../../forms/last-day.ts";
import { Done } from "../../look/done.tsx";
import { Form, SelectField, TextField } from "../../look/form.tsx";
import { RowFaults } from "../../look/row-actions.tsx";
import type { SitePage } from "../../site-pages.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { page, type View } from "../../visit/view.ts";
import { KeyList } from "./key-list.tsx";
import { enableWebhook, WebhookList } from "./key-webhooks.tsx";
import { makeKey } from "./new-key.tsx";
import { revokeKey } from "./revoke-key.ts";

/** `/account/keys/`: API keys, and buttons to enable webhooks. */
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
        <h2>{visit.words.webhooks}</h2>
        <WebhookList />
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
