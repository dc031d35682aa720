/** @jsxImportSource hono/jsx */

import type { JSX } from "hono/jsx/jsx-runtime";
import { requiredName } from "../../../../customers/accounts/accounts.ts";
import { KEY_ACCESSES } from "../../../../customers/keys/key-token.ts";
import type { Key } from "../../../../customers/keys/keys.table.ts";
import { pageError, readFields, requiredChoice } from "../../forms/faults.ts";
import { readLastDay } from "../../forms/last-day.ts";
import { Form, SelectField, TextField } from "../../look/form.tsx";
import { asset } from "../../look/layout.tsx";
import { RowFaults, sentNumber } from "../../look/row-actions.tsx";
import { Snippet } from "../../look/shown.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { page, redirect, type View } from "../../visit/view.ts";
import { actorOf, isManager, membershipOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { KeyList } from "./key-list.tsx";
import { enableWebhook, WebhookList } from "./key-webhooks.tsx";

/** `/account/keys/`: API keys, and the webhooks' Enable buttons (specification, section 3). */
export const keysPage: SitePage = {
  path: "/account/keys/",
  access: "member",
  async show(visit, context) {
    const words = visit.words.organizationPages;
    const done = visit.query.get("done");
    return page(
      visit.words.keys,
      <>
        {done === "revoked" && <p role="status">{words.keyRevoked}</p>}
        {done === "enabled" && <p role="status">{words.webhookEnabled}</p>}
        <RowFaults visit={visit} actions={["revoke", "enable"]} />
        <p>{words.keysIntro}</p>
        <KeyList visit={visit} context={context} keys={await keysOf(visit, context)} />
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
  actions: { create, revoke, enable: enableWebhook },
};

/** All keys of the organization for those who run it, else the visitor's own; newest first. */
async function keysOf(visit: Visit, { keys }: SiteContext): Promise<Key[]> {
  const { member, organization } = membershipOf(visit);
  const all = await keys.keys(organization.id);
  return all.filter(({ memberId }) => isManager(visit) || memberId === member.id).reverse();
}

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

/** Shows the new key in the answer to its form: no page that can be opened again ever has it. */
async function create(visit: Visit, { keys }: SiteContext): Promise<View> {
  const { form } = visit;
  const { member } = membershipOf(visit);
  const fields = await readFields({
    name: () => requiredName(form.get("name")),
    access: () => requiredChoice(KEY_ACCESSES, form.get("access")),
    expires: () => readLastDay(form.get("expires"), visit.nowMs),
  });
  const { name, access, expires: expiresAt } = fields;
  const wanted = { memberId: member.id, name, access, expiresAt };
  const { token } = await keys.createKey(wanted, actorOf(visit));
  return newKeyView(visit, token);
}

function newKeyView(visit: Visit, token: string): View {
  const words = visit.words.organizationPages;
  const command = `curl -H "Authorization: Bearer ${token}" ${visit.ownAddress}/v1/me/`;
  return page(
    words.yourKey,
    <>
      <p role="status">{words.keyMade}</p>
      <Snippet text={token} label={words.key} words={words} />
      <h2>{words.tryKey}</h2>
      <Snippet text={command} label={words.tryCommand} words={words} />
      <p>
        <a class="button" href={asset(visit, "/account/keys/")}>
          {words.keyKept}
        </a>
      </p>
    </>,
  );
}

async function revoke(visit: Visit, context: SiteContext): Promise<View> {
  const id = sentNumber(visit, "key");
  const keys = await keysOf(visit, context);
  if (!keys.some((one) => one.id === id)) {
    throw pageError("not_found", visit.words.organizationPages.noSuchKey);
  }
  await context.keys.revokeKey(id, actorOf(visit));
  return redirect("/account/keys/?done=revoked");
}
