/** @jsxImportSource hono/jsx */
import { outcomeOf } from "../../../../../push/webhooks/delivery/attempt.ts";
import type { DeliveryView } from "../../../../../push/webhooks/manage/webhook-views.ts";
import type { CustomersWebhook } from "../../../../../push/webhooks/manage/webhooks.table.ts";
import { webhooks } from "../../../../../verbs/operator/webhooks.ts";
import { pageFault } from "../../../forms/faults.ts";
import { verbAction } from "../../../forms/verb-action.ts";
import { ActionButton } from "../../../look/action-button.tsx";
import { DataTable } from "../../../look/data-table.tsx";
import { Instant, shownNumber, told } from "../../../look/shown.tsx";
import { Facts, NamedLink } from "../../../look/user-text.tsx";
import { VerbForm } from "../../../look/verb-form.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { useSite, useVisit } from "../../../visit/use-visit.ts";
import { DeliveryState } from "../../webhooks/delivery-table.tsx";
import { addressedId, consolePage } from "../console.tsx";
import { WebhookStatus } from "./webhooks.tsx";

const DELIVERIES_SHOWN = 20;

/** `/staff/webhooks/3/`: its state and deliveries; staff can disable and enable it. */
export const staffWebhookPage: SitePage = {
  path: "/staff/webhooks/:id/",
  access: "staff",
  async show(visit) {
    const words = visit.words.staffPages;
    const webhook = await webhookOf();
    return consolePage(
      `${words.webhook} ${webhook.id}`,
      <>
        <State webhook={webhook} />
        {webhook.disabledReason !== "" && (
          <>
            <h2>{words.enable}</h2>
            <p>{words.enableText}</p>
            <ActionButton action="enable" label={words.enable} />
          </>
        )}
        {webhook.disabledReason !== "staff" && <DisableForm />}
        <h2>{words.deliveries}</h2>
        <Deliveries webhook={webhook} />
      </>,
    );
  },
  actions: {
    disable: verbAction(webhooks, "disable", { of: withReason }),
    enable: verbAction(webhooks, "enable"),
  },
};

interface Props {
  webhook: CustomersWebhook;
}

async function State({ webhook }: Props) {
  const visit = useVisit();
  const context = useSite();
  const words = visit.words.staffPages;
  const organization = await context.accounts.organization(webhook.organizationId);
  const channels = await context.webhooks.channels(webhook.id);
  return (
    <Facts
      facts={[
        [words.address, <bdi>{webhook.url}</bdi>],
        [
          visit.words.organization,
          <NamedLink to={`/staff/organizations/${organization.id}/`}>
            {organization.name}
          </NamedLink>,
        ],
        [words.channels, shownNumber(channels.length)],
        [words.state, <WebhookStatus webhook={webhook} />],
        [words.reason, webhook.staffNote !== "" && <bdi>{webhook.staffNote}</bdi>],
        [words.failingSince, <Instant at={webhook.failingSince} />],
        [words.lastSuccess, <Instant at={webhook.lastSuccessAt} />],
        [words.lastError, <bdi>{told(outcomeOf(webhook.lastError)) || "—"}</bdi>],
        [words.created, <Instant at={webhook.createdAt} />],
      ]}
    />
  );
}

function DisableForm() {
  const words = useVisit().words.staffPages;
  return (
    <>
      <h2>{words.disable}</h2>
      <VerbForm resource={webhooks} verb="disable" submit={words.disable} danger>
        <p>{words.disableText}</p>
      </VerbForm>
    </>
  );
}

async function Deliveries({ webhook }: Props) {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const deliveries = await useSite().webhooks.deliveries(webhook.id, {
    before: null,
    limit: DELIVERIES_SHOWN,
  });
  const lastOf = ({ attempts }: DeliveryView) => attempts.at(-1);
  return (
    <DataTable
      label={words.deliveries}
      empty={words.none}
      rows={deliveries}
      columns={[
        [words.number, ({ delivery }) => delivery, "row number"],
        [words.created, ({ created_at }) => <Instant at={Date.parse(created_at)} />],
        [words.event, ({ event }) => visit.words.webhookPages.events[event]],
        [words.state, ({ state }) => <DeliveryState state={state} />],
        [words.attempts, ({ attempts }) => attempts.length, "number"],
        [words.lastStatus, (one) => <bdi>{lastOf(one)?.status ?? lastOf(one)?.error ?? "—"}</bdi>],
        [
          words.nextAttempt,
          ({ next_attempt_at: at }) => (at === null ? "—" : <Instant at={Date.parse(at)} />),
        ],
      ]}
    />
  );
}

/** Colleagues must be able to see why, even if a command need not say it. */
function withReason(): number {
  const visit = useVisit();
  const { reasonNeeded } = visit.words.staffPages;
  if (visit.form.get("reason").trim() === "") throw pageFault("reason", reasonNeeded);
  return addressedId();
}

function webhookOf(): Promise<CustomersWebhook> {
  const { webhooks } = useSite();
  return webhooks.webhook(addressedId());
}
