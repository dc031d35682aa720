/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { HtmlEscapedString } from "hono/utils/html";
import { outcomeOf } from "../../../../../push/webhooks/delivery/outcome.ts";
import type { Webhook } from "../../../../../push/webhooks/manage/webhooks.table.ts";
import { inLanguage } from "../../../../../values/messages/messages.ts";
import { webhooks } from "../../../../../verbs/operator/webhooks.ts";
import { pageFault } from "../../../forms/faults.ts";
import { backTo, verbAction } from "../../../forms/verb-action.ts";
import { ActionButton } from "../../../look/action-button.tsx";
import { DataTable } from "../../../look/data-table.tsx";
import { Facts } from "../../../look/facts.tsx";
import { Form, TextField } from "../../../look/form.tsx";
import { Instant, shownNumber } from "../../../look/shown.tsx";
import type { PartProps, SiteContext } from "../../../site-context.ts";
import type { SitePage } from "../../../site-pages.ts";
import { asset } from "../../../visit/site-path.ts";
import type { Visit } from "../../../visit/visit.ts";
import { DeliveryState } from "../../webhooks/delivery-table.tsx";
import { addressedId, consolePage } from "../console.tsx";
import { WebhookStatus } from "./webhooks.tsx";

const FOLDER = "/staff/webhooks/";
const DELIVERIES_SHOWN = 20;

/** `/staff/webhooks/3/`: its state and deliveries; staff can disable and enable it. */
export const staffWebhookPage: SitePage = {
  path: "/staff/webhooks/:id/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const webhook = await webhookOf(visit, context);
    return consolePage(
      visit,
      `${words.webhook} ${webhook.id}`,
      <>
        <State visit={visit} context={context} webhook={webhook} />
        {webhook.disabledReason !== "" && (
          <>
            <h2>{words.enable}</h2>
            <p>{words.enableText}</p>
            <ActionButton visit={visit} action="enable" label={words.enable} />
          </>
        )}
        {webhook.disabledReason !== "staff" && <DisableForm visit={visit} />}
        <h2>{words.deliveries}</h2>
        <Deliveries visit={visit} context={context} webhook={webhook} />
      </>,
    );
  },
  actions: {
    disable: verbAction(webhooks, "disable", backTo(FOLDER, "disabled"), withReason),
    enable: verbAction(webhooks, "enable", backTo(FOLDER, "enabled")),
  },
};

interface Props extends PartProps {
  webhook: Webhook;
}

async function State({ visit, context, webhook }: Props): Promise<HtmlEscapedString> {
  const words = visit.words.staffPages;
  const organization = await context.accounts.organization(webhook.organizationId);
  const channels = await context.webhooks.channels(webhook.id);
  return (
    <Facts
      facts={[
        [words.address, <bdi>{webhook.url}</bdi>],
        [
          visit.words.organization,
          <a href={asset(visit, `/staff/organizations/${organization.id}/`)}>
            <bdi>{organization.name}</bdi>
          </a>,
        ],
        [words.channels, shownNumber(visit, channels.length)],
        [words.state, <WebhookStatus visit={visit} webhook={webhook} />],
        [words.reason, webhook.staffNote !== "" && <bdi>{webhook.staffNote}</bdi>],
        [words.failingSince, <Instant visit={visit} at={webhook.failingSince} />],
        [words.lastSuccess, <Instant visit={visit} at={webhook.lastSuccessAt} />],
        [
          words.lastError,
          <bdi>{inLanguage(visit.language, outcomeOf(webhook.lastError)) || "—"}</bdi>,
        ],
        [words.created, <Instant visit={visit} at={webhook.createdAt} />],
      ]}
    />
  );
}

function DisableForm({ visit }: { visit: Visit }): JSX.Element {
  const words = visit.words.staffPages;
  return (
    <>
      <h2>{words.disable}</h2>
      <Form visit={visit} action="disable">
        <p>{words.disableText}</p>
        <TextField
          visit={visit}
          action="disable"
          name="reason"
          label={words.reason}
          hint={words.reasonHint}
        />
        <button type="submit" class="danger">
          {words.disable}
        </button>
      </Form>
    </>
  );
}

async function Deliveries({ visit, context, webhook }: Props): Promise<HtmlEscapedString> {
  const words = visit.words.staffPages;
  const deliveries = await context.webhooks.deliveries(webhook.id, {
    before: null,
    limit: DELIVERIES_SHOWN,
  });
  if (deliveries.length === 0) return <p>{words.none}</p>;
  return (
    <DataTable
      label={words.deliveries}
      columns={[
        ...[`#${words.number}`, words.created, words.event, words.state, `#${words.attempts}`],
        ...[words.lastStatus, words.nextAttempt],
      ]}
    >
      {deliveries.map((delivery) => {
        const last = delivery.attempts.at(-1);
        return (
          <tr>
            <th scope="row" class="number">
              {delivery.delivery}
            </th>
            <td>
              <Instant visit={visit} at={Date.parse(delivery.created_at)} />
            </td>
            <td>{visit.words.webhookPages.events[delivery.event]}</td>
            <td>
              <DeliveryState visit={visit} state={delivery.state} />
            </td>
            <td class="number">{delivery.attempts.length}</td>
            <td>
              <bdi>{last === undefined ? "—" : (last.status ?? last.error)}</bdi>
            </td>
            <td>
              {delivery.next_attempt_at === null ? (
                "—"
              ) : (
                <Instant visit={visit} at={Date.parse(delivery.next_attempt_at)} />
              )}
            </td>
          </tr>
        );
      })}
    </DataTable>
  );
}

/** Colleagues must be able to see why, even if a command need not say it. */
function withReason(visit: Visit): number {
  const { reasonNeeded } = visit.words.staffPages;
  if (visit.form.get("reason").trim() === "") throw pageFault("reason", reasonNeeded);
  return addressedId(visit);
}

function webhookOf(visit: Visit, { webhooks }: SiteContext): Promise<Webhook> {
  return webhooks.webhook(addressedId(visit));
}
