/** @jsxImportSource hono/jsx */
import { outcomeOf } from "../../../../../push/webhooks/delivery/attempt.ts";
import type { Webhook } from "../../../../../push/webhooks/manage/webhooks.table.ts";
import { parseNumber } from "../../../../../values/fields.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { Instant, told } from "../../../look/shown.tsx";
import { NamedLink } from "../../../look/user-text.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { useSite, useVisit } from "../../../visit/use-visit.ts";
import { asset } from "../../../visit/view.ts";
import { consolePage, paged } from "../console.tsx";

/** `/staff/webhooks/`: all of them, those of one organization, or the disabled ones. */
export const staffWebhooksPage: SitePage = {
  path: "/staff/webhooks/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const { query } = visit;
    const organizations = await context.accounts.organizations();
    const names = new Map(organizations.map(({ id, name }) => [id, name]));
    const found = await webhooksOf();
    const { shown, pager } = paged(found);
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
        {found.length === 0 ? (
          <p class="empty">{visit.words.organizationPages.noWebhooks}</p>
        ) : (
          <DataTable
            label={words.webhooks}
            rows={shown}
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
                    {names.get(webhook.organizationId)}
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
export function WebhookStatus({ webhook: { disabledReason } }: { webhook: Webhook }) {
  const visit = useVisit();
  return (
    <span class={disabledReason === "" ? "good" : "bad"}>
      {visit.words.staffPages.states[disabledReason]}
    </span>
  );
}

const FILTERS = new Set(["organization", "state"]);

async function webhooksOf() {
  const { query } = useVisit();
  const { webhooks } = useSite();
  const found = await webhooks.webhooks(parseNumber(query.get("organization") ?? ""));
  return query.get("state") === "disabled"
    ? found.filter(({ disabledReason }) => disabledReason !== "")
    : found;
}
