/** @jsxImportSource hono/jsx */
import { outcomeOf } from "../../../../../push/webhooks/delivery/attempt.ts";
import type { DisabledReason } from "../../../../../push/webhooks/manage/webhooks.table.ts";
import type { Row } from "../../../../../verbs/operator/resource.ts";
import { webhooks } from "../../../../../verbs/operator/webhooks.ts";
import { ResourceList } from "../../../look/resource-list.tsx";
import { told } from "../../../look/shown.tsx";
import { NamedLink } from "../../../look/user-text.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { useVisit } from "../../../visit/use-visit.ts";
import { consolePage } from "../console.tsx";

/** `/staff/webhooks/`: all of them, those of one organization, or the disabled ones. */
export const staffWebhooksPage: SitePage = {
  path: "/staff/webhooks/",
  access: "staff",
  async show({ words }) {
    return consolePage(
      words.staffPages.webhooks,
      <ResourceList
        resource={webhooks}
        label={words.staffPages.webhooks}
        columns={["url", "organization", "disabled_reason", "failing_since", "last_error"]}
        looks={{ url: "row long" }}
        empty={words.organizationPages.noWebhooks}
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
export const webhookCells = {
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
