/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { requiredName } from "../../../../customers/accounts/accounts.ts";
import { KEY_ACCESSES } from "../../../../customers/keys/key-token.ts";
import { readFields, requiredChoice } from "../../forms/faults.ts";
import { readLastDay } from "../../forms/last-day.ts";
import { Done } from "../../look/done.tsx";
import { Form, SelectField, TextField } from "../../look/form.tsx";
import { RowFaults } from "../../look/row-actions.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { page, type View } from "../../visit/view.ts";
import type { Visit } from "../../visit/visit.ts";
import { KeyList } from "./key-list.tsx";
import { enableWebhook, WebhookList } from "./key-webhooks.tsx";
import { makeKey } from "./new-key.tsx";
import { revokeKey } from "./revoke-key.ts";

/** `/account/keys/`: API keys, and buttons to enable webhooks. */
export const keysPage: SitePage = {
  path: "/account/keys/",
  access: "member",
  async show(visit, context) {
    const words = visit.words.organizationPages;
    return page(
      visit.words.keys,
      <>
        <Done visit={visit} words={{ revoked: words.keyRevoked, enabled: words.webhookEnabled }} />
        <RowFaults visit={visit} actions={["revoke", "enable"]} />
        <p>{words.keysIntro}</p>
        <KeyList visit={visit} context={context} />
        <h2>{words.newKey}</h2>
        <NewKey visit={visit} />
        <h2>{visit.words.webhooks}</h2>
        <WebhookList visit={visit} context={context} />
        <p>
          <small>{words.moscowTime}</small>
        </p>
      </>,
    );
  },
  actions: {
    create,
    revoke: (visit, context) => revokeKey(visit, context, "/account/keys/"),
    enable: enableWebhook,
  },
};

function NewKey({ visit }: { visit: Visit }): JSX.Element {
  const words = visit.words.organizationPages;
  const field = { visit, action: "create" };
  return (
    <Form visit={visit} action="create" once>
      <TextField {...field} name="name" label={words.keyName} hint={words.keyNameHint} />
      <SelectField
        {...field}
        name="access"
        label={words.access}
        hint={words.accessHint}
        options={KEY_ACCESSES.map((value) => ({ value, label: words.accesses[value] }))}
      />
      <TextField
        {...field}
        name="expires"
        label={words.expires}
        hint={words.expiresHint}
        type="date"
        required={false}
      />
      <button type="submit">{words.createKey}</button>
    </Form>
  );
}

async function create(visit: Visit, context: SiteContext): Promise<View> {
  const { form } = visit;
  const { access, expires: expiresAt } = await readFields({
    name: () => requiredName(form.get("name")),
    access: () => requiredChoice(KEY_ACCESSES, form.get("access")),
    expires: () => readLastDay(form.get("expires"), visit.nowMs),
  });
  return makeKey(visit, context, { access, expiresAt });
}
