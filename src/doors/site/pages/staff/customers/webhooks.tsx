/** @jsxImportSource hono/jsx */
import { outcomeOf } from "../../../../../push/webhooks/delivery/attempt.ts";
import type { Webhook } from "../../../../../push/webhooks/manage/webhooks.table.ts";
import { parseNumber } from "../../../../../values/fields.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { Instant, told } from "../../../look/shown.tsx";
import { NamedLink } from "../../../look/user-text.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { useVisit } from "../../../visit/use-visit.ts";
import { asset } from "../../../visit/view.ts";
import { consolePage, pageAfter } from "../console.tsx";

/** `/staff/webhooks/`: all of them, those of one organization, or the disabled ones. */
export const staffWebhooksPage: SitePage = {
  path: "/staff/webhooks/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const { query } = visit;
    const { shown, pager } = await pageAfter((part) =>
      context.operator.findWebhooks({
        ...part,
        organizationId: parseNumber(query.get("organization") ?? ""),
        areDisabled: query.get("state") === "disabled",
      }),
    );
    const rows = await Promise.all(
      shown.map(async (webhook) => {
        const { name } = await context.accounts.organization(webhook.organizationId);
        return { ...webhook, organization: name };
      }),
    );
    return consolePage(
      words.webhooks,
      <>
        <p class="row">
          <a
            href={asset("/staff/webhooks/")}
            aria-current={[...query.keys()].some((name) => FILTERS.has(name)) ? undefined : "true"}
          >
            {words.all}
          </a>
          <a
            href={asset("/staff/webhooks/?state=disabled")}
            aria-current={query.get("state") === "disabled" ? "true" : undefined}
          >
            {words.disabledOnes}
          </a>
        </p>
        {rows.length === 0 ? (
          <p class="empty">{visit.words.organizationPages.noWebhooks}</p>
        ) : (
          <DataTable
            label={words.webhooks}
            rows={rows}
            columns={[
              [
                words.webhook,
                (webhook) => (
                  <a href={asset(`/staff/webhooks/${webhook.id}/`)}>
                    {webhook.id}: <bdi>{webhook.url}</bdi>
                  </a>
                ),
                "row long",
              ],
              [
                visit.words.organization,
                (webhook) => (
                  <NamedLink to={`/staff/organizations/${webhook.organizationId}/`}>
                    {webhook.organization}
                  </NamedLink>
                ),
              ],
              [
                words.state,
                (webhook) => (
                  <>
                    <WebhookStatus webhook={webhook} />
                    {webhook.staffNote !== "" && (
                      <>
                        : <bdi>{webhook.staffNote}</bdi>
                      </>
                    )}
                  </>
                ),
              ],
              [words.failingSince, (webhook) => <Instant at={webhook.failingSince} />],
              [
                words.lastError,
                (webhook) => <bdi>{told(outcomeOf(webhook.lastError)) || "—"}</bdi>,
              ],
            ]}
          />
        )}
        {pager}
      </>,
    );
  },
};

/** Whether it is active, or otherwise who or what disabled it. */
export function WebhookStatus({
  webhook: { disabledReason },
}: {
  webhook: Pick<Webhook, "disabledReason">;
}) {
  const visit = useVisit();
  return (
    <span class={disabledReason === "" ? "good" : "bad"}>
      {visit.words.staffPages.states[disabledReason]}
    </span>
  );
}

const FILTERS = new Set(["organization", "state"]);
