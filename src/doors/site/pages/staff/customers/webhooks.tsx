/** @jsxImportSource hono/jsx */
import { outcomeOf } from "../../../../../push/webhooks/delivery/attempt.ts";
import type { DeliveryView } from "../../../../../push/webhooks/manage/webhook-views.ts";
import type { DisabledReason } from "../../../../../push/webhooks/manage/webhooks.table.ts";
import { webhooks } from "../../../../../verbs/operator/customers/webhooks.ts";
import type { Row } from "../../../../../verbs/operator/resource.ts";
import { pageFault } from "../../../forms/faults.ts";
import { useOf, verbAction, verbOf } from "../../../forms/verb-action.ts";
import { ActionButton } from "../../../look/action-button.tsx";
import { DataTable } from "../../../look/data-table.tsx";
import { factsOf, ResourceList } from "../../../look/resource-list.tsx";
import { Instant, told } from "../../../look/shown.tsx";
import { Facts, NamedLink } from "../../../look/user-text.tsx";
import { VerbForm } from "../../../look/verb-form.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { useSite, useVisit } from "../../../visit/visit.ts";
import { DeliveryState } from "../../webhooks/delivery-table.tsx";
import { addressedId, consolePage } from "../console.tsx";

/** `/staff/webhooks/`: all of them, those of one organization, or the disabled ones. */
export const staffWebhooksPage: SitePage = {
  path: "/staff/webhooks/",
  access: "staff",
  async show({ words }) {
    return consolePage(
      words.webhooks,
      <ResourceList
        resource={webhooks}
        label={words.webhooks}
        columns={["url", "organization", "disabled_reason", "failing_since", "last_error"]}
        looks={{ url: "row long" }}
        empty={words.noWebhooks}
        cells={{
          ...webhookCells,
          url: ({ id, url }) => (
            <>
              {id}: <NamedLink to={`/staff/webhooks/${id}/`}>{String(url)}</NamedLink>
            </>
          ),
        }}
      />,
    );
  },
};

/** Cells that a webhook's page has too. */
const webhookCells = {
  disabled_reason: ({ disabled_reason: reason, staff_note: note }: Row) => (
    <>
      <WebhookStatus reason={reason as DisabledReason} />
      {note !== "" && (
        <>
          : <bdi>{note}</bdi>
        </>
      )}
    </>
  ),
  last_error: ({ last_error: error }: Row) => <bdi>{told(outcomeOf(String(error))) || "—"}</bdi>,
};

/** Whether it is active, or otherwise who or what disabled it. */
export function WebhookStatus({ reason }: { reason: DisabledReason }) {
  return (
    <span class={reason === "" ? "good" : "bad"}>{useVisit().words.staffPages.states[reason]}</span>
  );
}

const DELIVERIES_SHOWN = 20;
const FACTS = [
  ...["url", "organization", "channels", "disabled_reason", "failing_since"],
  ...["last_success_at", "last_error", "created_at"],
];

/** `/staff/webhooks/3/`: its state and deliveries; staff can disable and enable it. */
export const staffWebhookPage: SitePage = {
  path: "/staff/webhooks/:id/",
  access: "staff",
  async show(visit) {
    const words = visit.words.staffPages;
    const use = useOf({ id: addressedId() });
    const webhook = (await verbOf(webhooks, "show").run({}, use)) as Row;
    return consolePage(
      `${words.webhook} ${webhook["id"]}`,
      <>
        <Facts facts={factsOf(webhooks, webhook, FACTS, webhookCells)} />
        {webhook["is_active"] === false && (
          <>
            <h2>{visit.words.enable}</h2>
            <p>{words.enableText}</p>
            <ActionButton action="enable" label={visit.words.enable} />
          </>
        )}
        {webhook["disabled_reason"] !== "staff" && <DisableForm />}
        <h2>{words.deliveries}</h2>
        <Deliveries id={Number(webhook["id"])} />
      </>,
    );
  },
  actions: {
    disable: verbAction(webhooks, "disable", { of: withReason }),
    enable: verbAction(webhooks, "enable"),
  },
};

function DisableForm() {
  const { staffPages: words, disable } = useVisit().words;
  return (
    <>
      <h2>{disable}</h2>
      <VerbForm resource={webhooks} verb="disable" submit={disable} danger>
        <p>{words.disableText}</p>
      </VerbForm>
    </>
  );
}

async function Deliveries({ id }: { id: number }) {
  const { staffPages: words, nextAttempt, state, webhookPages } = useVisit().words;
  const deliveries = await useSite().webhooks.deliveries(id, {
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
        [words.event, ({ event }) => webhookPages.events[event]],
        [state, ({ state }) => <DeliveryState state={state} />],
        [words.attempts, ({ attempts }) => attempts.length, "number"],
        [words.lastStatus, (one) => <bdi>{lastOf(one)?.status ?? lastOf(one)?.error ?? "—"}</bdi>],
        [
          nextAttempt,
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
