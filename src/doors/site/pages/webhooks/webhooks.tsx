/** @jsxImportSource hono/jsx */

import { outcomeOf } from "../../../../push/webhooks/delivery/attempt.ts";
import type { NewSecretView, WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { webhooksIncluded, webhookToSpare } from "../../../../verbs/admission.ts";
import { webhooksCreate } from "../../../../verbs/methods/webhooks.ts";
import { DataTable } from "../../look/data-table.tsx";
import { OpeningPlan } from "../../look/opening-plan.tsx";
import { Moment, shownNumber, told } from "../../look/shown.tsx";
import { Done, NamedLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { change } from "../../visit/look-up.ts";
import {
  isInPlan,
  isManager,
  ownMembership,
  ownPlan,
  requireIncluded,
  requireManager,
} from "../../visit/viewer.ts";
import { asset, page, useVisit, type View } from "../../visit/visit.ts";
import { secretPage, WebhookForm, WebhookState } from "./webhook-fields.tsx";
import { typedWebhook, WEBHOOK_FORM } from "./webhook-form.ts";

const PATH = "/account/webhooks/";
/** Above the limit of any plan. */
const WEBHOOKS_MAX = 1_000;

/** `/account/webhooks/`: the organization's webhooks, and the form for a new one. */
export const webhooksPage: SitePage = {
  path: PATH,
  access: "member",
  takes: WEBHOOK_FORM,
  async show(visit, context) {
    const words = visit.words.webhookPages;
    const { id } = ownMembership().organization;
    const { results: webhooks } = await context.services.webhooks.list(id, 0, WEBHOOKS_MAX);
    const isIncluded = await isInPlan(webhooksIncluded);
    return page(
      visit.words.webhooks,
      <>
        <Done words={words.done} />
        <p>
          {words.about} <a href={asset("/docs/webhooks/")}>{words.howTo}</a>
        </p>
        {!isIncluded && (
          <p class="notice">
            {words.planWithout((await ownPlan()).code)}
            {webhooks.length > 0 && ` ${words.planKept}`}
            <OpeningPlan rule={webhooksIncluded} />
          </p>
        )}
        {webhooks.length > 0 && <List webhooks={webhooks} />}
        {webhooks.length === 0 && isIncluded && <p class="empty">{visit.words.noWebhooks}</p>}
        {isIncluded && <Create existing={webhooks.length} />}
      </>,
    );
  },
  actions: { create },
};

function List({ webhooks }: { webhooks: readonly WebhookView[] }) {
  const visit = useVisit();
  const words = visit.words.webhookPages;
  return (
    <DataTable
      className="listed"
      label={visit.words.webhooks}
      rows={webhooks}
      columns={[
        [
          words.url,
          (webhook) => <NamedLink to={`${PATH}${webhook.id}/`}>{webhook.url}</NamedLink>,
          "address",
        ],
        [visit.words.state, (webhook) => <WebhookState reason={webhook.disabled_reason} />],
        [words.channels, (webhook) => shownNumber(webhook.channels.length), "number"],
        [
          visit.words.lastSuccess,
          (webhook) => <Moment at={webhook.last_success_at} none={visit.words.never} />,
        ],
        [
          visit.words.lastError,
          (webhook) =>
            webhook.last_error === "" ? (
              visit.words.noError
            ) : (
              <bdi>{told(outcomeOf(webhook.last_error))}</bdi>
            ),
        ],
      ]}
    />
  );
}

async function Create({ existing }: { existing: number }) {
  const { form, words: common } = useVisit();
  const { webhookPages: words, create } = common;
  const { code, webhooks } = await ownPlan();
  // A refused form is shown again with its fault, instead of the notice.
  if (existing >= webhooks && form.get("action") !== "create") {
    return (
      <p class="notice">
        {words.planFull(code, webhooks)}
        <OpeningPlan rule={webhookToSpare} />
      </p>
    );
  }
  if (!isManager()) return <p>{words.managersOnly}</p>;
  return (
    <section aria-labelledby="create">
      <h2 id="create">{words.create}</h2>
      <WebhookForm action="create" button={create} />
    </section>
  );
}

async function create(): Promise<View> {
  requireManager();
  await requireIncluded(webhooksIncluded, useVisit().words.webhookPages.planWithout);
  return secretPage(await change<NewSecretView>(webhooksCreate, {}, await typedWebhook()));
}
