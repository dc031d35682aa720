/** @jsxImportSource hono/jsx */
import { requiredName } from "../../../../customers/accounts/accounts.ts";
import { KEY_ACCESSES } from "../../../../customers/keys/key-token.ts";
import { type AppError, toAppError } from "../../../../errors.ts";
import { outcomeOf } from "../../../../push/webhooks/delivery/attempt.ts";
import { pageError, readFields, requiredChoice } from "../../forms/faults.ts";
import { readLastDay } from "../../forms/read-form.ts";
import { ActionButton, RowFaults, sentNumber } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { Form, SelectField, TextField } from "../../look/form.tsx";
import { Instant, told } from "../../look/shown.tsx";
import { Done } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { currentActor, isManager, ownMembership, viewerOf } from "../../visit/viewer.ts";
import { asset, page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";
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
            ({ id, url }) => (
              <a href={asset(`/account/webhooks/${id}/`)}>
                <bdi>{url}</bdi>
              </a>
            ),
            "row long",
          ],
          [words.state, ({ disabledReason }) => <WebhookState reason={disabledReason} />],
          [words.lastSuccess, ({ lastSuccessAt: at }) => <Instant at={at} none={words.never} />],
          [
            words.lastError,
            ({ lastError }) => <bdi>{told(outcomeOf(lastError)) || words.noError}</bdi>,
            "long",
          ],
          [
            words.actions,
            ({ id }) =>
              isManager() && (
                <ActionButton inRow action="enable" label={words.enable} fields={{ webhook: id }} />
              ),
          ],
        ]}
      />
    </>
  );
}

/** Enables a webhook, like the API's `is_active`: one that staff disabled can only be enabled by staff. */
async function enableWebhook(): Promise<View> {
  const visit = useVisit();
  const context = useSite();
  const membership = ownMembership();
  const { organization } = membership;
  const words = visit.words.organizationPages;
  if (!isManager()) throw pageError("manager_required", words.managersOnly);
  const id = sentNumber("webhook");
  const webhooks = await context.webhooks.webhooks(organization.id);
  const webhook = webhooks.find((one) => one.id === id);
  if (webhook === undefined) throw pageError("not_found", words.noSuchWebhook);
  const { plan } = await viewerOf(membership, context.accounts, visit.nowMs);
  const own = { organizationId: organization.id, id };
  const change = { address: undefined, channels: undefined, isActive: true };
  try {
    await context.services.webhooks.change(own, plan, change, currentActor());
  } catch (error) {
    throw withOwnText(error);
  }
  return redirect("/account/keys/?done=enabled");
}

/** The error unchanged, except for a plan without room, which this page explains in its own words. */
function withOwnText(thrown: unknown): AppError {
  const { words } = useVisit();
  const error = toAppError(thrown);
  if (error.code !== "tariff_required") return error;
  return pageError(error.code, words.organizationPages.planHasNoRoom);
}
