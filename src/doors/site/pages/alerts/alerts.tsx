/** @jsxImportSource hono/jsx */

import type { AlertView } from "../../../../push/webhooks/alerts/alert-views.ts";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { alertsIncluded, alertToSpare } from "../../../../verbs/admission.ts";
import { alertsCreate } from "../../../../verbs/methods/alerts.ts";
import { DataTable } from "../../look/data-table.tsx";
import { OpeningPlan } from "../../look/opening-plan.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { Done, NamedLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { change } from "../../visit/look-up.ts";
import { isInPlan, isManager, ownMembership, ownPlan } from "../../visit/viewer.ts";
import { asset, page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";
import { AlertForm, typedAlert } from "./alert-form.tsx";

const PATH = "/account/alerts/";
/** Above the limit of any plan. */
const LISTED_MAX = 10_000;

/** `/account/alerts/`: the organization's alerts, and the form for a new one. */
export const alertsPage: SitePage = {
  path: PATH,
  access: "member",
  async show(visit, context) {
    const words = visit.words.alertPages;
    const { id } = ownMembership().organization;
    const { results: alerts } = await context.services.alerts.list(id, 0, LISTED_MAX);
    const webhooks = await webhooksOf();
    const isIncluded = await isInPlan(alertsIncluded);
    return page(
      visit.words.alerts,
      <>
        <Done words={words.done} />
        <p>
          {words.about} <a href={asset("/docs/webhooks/")}>{words.howTo}</a>
        </p>
        {!isIncluded && (
          <p class="notice">
            {words.planWithout((await ownPlan()).code)}
            {alerts.length > 0 && ` ${words.planKept}`}
            <OpeningPlan rule={alertsIncluded} />
          </p>
        )}
        {alerts.length > 0 && <List alerts={alerts} webhooks={webhooks} />}
        {alerts.length === 0 && isIncluded && <p class="empty">{words.noAlerts}</p>}
        {isIncluded && <Create webhooks={webhooks} existing={alerts.length} />}
      </>,
    );
  },
  actions: { create },
};

/** The organization's webhooks, by number. */
export async function webhooksOf(): Promise<WebhookView[]> {
  const context = useSite();
  const { id } = ownMembership().organization;
  return (await context.services.webhooks.list(id, 0, LISTED_MAX)).results;
}

function List({
  alerts,
  webhooks,
}: {
  alerts: readonly AlertView[];
  webhooks: readonly WebhookView[];
}) {
  const visit = useVisit();
  const words = visit.words.alertPages;
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  return (
    <DataTable
      className="listed"
      label={visit.words.alerts}
      rows={alerts}
      columns={[
        [
          words.name,
          (alert) => (
            <>
              <NamedLink to={`${PATH}${alert.id}/`}>{alert.name}</NamedLink>
              {!alert.is_active && <div>{words.paused}</div>}
            </>
          ),
          "address",
        ],
        [words.query, (alert) => <bdi>{alert.q}</bdi>],
        [words.webhook, (alert) => <WebhookLink webhook={byId.get(alert.webhook)} />],
        [words.sentToday, (alert) => shownNumber(alert.sent_today), "number"],
      ]}
    />
  );
}

/** The webhook that delivers an alert, and whether it is disabled. */
export function WebhookLink({ webhook }: { webhook: WebhookView | undefined }) {
  if (webhook === undefined) return null;
  const words = useVisit().words.alertPages;
  return (
    <>
      <NamedLink to={`/account/webhooks/${webhook.id}/`}>
        {words.webhookNamed(webhook.id, new URL(webhook.url).host)}
      </NamedLink>
      {!webhook.is_active && <div>{words.webhookOff}</div>}
    </>
  );
}

async function Create({
  webhooks,
  existing,
}: {
  webhooks: readonly WebhookView[];
  existing: number;
}) {
  const { form, words: common } = useVisit();
  const { alertPages: words, create } = common;
  const { code, alerts } = await ownPlan();
  // A refused form is shown again with its fault, instead of the notice.
  if (existing >= alerts && form.get("action") !== "create") {
    return (
      <p class="notice">
        {words.planFull(code, alerts)}
        {existing > alerts && ` ${words.planPaused}`}
        <OpeningPlan rule={alertToSpare} />
      </p>
    );
  }
  if (!isManager()) return <p>{words.managersOnly}</p>;
  if (webhooks.length === 0) {
    return (
      <p class="notice">
        {words.noWebhooks} <a href={asset("/account/webhooks/")}>{words.makeWebhook}</a>
      </p>
    );
  }
  return (
    <section aria-labelledby="create">
      <h2 id="create">{words.create}</h2>
      <AlertForm action="create" button={create} webhooks={webhooks} />
    </section>
  );
}

async function create(): Promise<View> {
  const { id } = await change<AlertView>(alertsCreate, {}, typedAlert());
  return redirect(`${PATH}${id}/?done=created`);
}
