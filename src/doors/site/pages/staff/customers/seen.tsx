/** @jsxImportSource hono/jsx */
import type { HtmlEscapedString } from "hono/utils/html";
import type { Organization } from "../../../../../customers/accounts/accounts.table.ts";
import { outcomeOf } from "../../../../../push/webhooks/delivery/outcome.ts";
import { inLanguage } from "../../../../../values/messages/messages.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { Instant, shownNumber } from "../../../look/shown.tsx";
import type { PartProps } from "../../../site-context.ts";
import type { SitePage } from "../../../site-pages.ts";
import { asset } from "../../../visit/site-path.ts";
import type { Visit } from "../../../visit/visit.ts";
import { Overview } from "../../organization/overview.tsx";
import { attemptsStrip } from "../../webhooks/attempts-strip.tsx";
import { addressedId, consolePage } from "../console.tsx";
import { KeysTable } from "./organization-tables.tsx";
import { WebhookStatus } from "./webhooks.tsx";

/** `/staff/organizations/3/seen/`: what the organization's owners see, without anything to change. */
export const seenPage: SitePage = {
  path: "/staff/organizations/:id/seen/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const organization = await context.accounts.organization(addressedId(visit));
    const seen = asOwner(visit, organization);
    return consolePage(
      visit,
      words.seen,
      <>
        <p class="notice">
          <bdi>{words.seenText(organization.name)}</bdi>{" "}
          <a href={asset(visit, `/staff/organizations/${organization.id}/`)}>{words.back}</a>
        </p>
        <Overview visit={seen} context={context} isReadOnly />
        <h2>{words.keys}</h2>
        <KeysTable visit={visit} context={context} organization={organization} isReadOnly />
        <h2>{words.webhooks}</h2>
        <Webhooks visit={seen} context={context} organization={organization} />
      </>,
    );
  },
};

/**
 * The visit as an owner of the organization would make it; only for reading, since this member does not
 * exist.
 */
function asOwner(visit: Visit, organization: Organization): Visit {
  const { id: organizationId, createdAt } = organization;
  const role = "owner" as const;
  const member = { id: 0, organizationId, email: "", name: "", role, createdAt, suspendedAt: null };
  return { ...visit, membership: { organization, member } };
}

async function Webhooks({
  visit,
  context,
  organization,
}: PartProps & {
  organization: Organization;
}): Promise<HtmlEscapedString> {
  const words = visit.words.staffPages;
  const webhooks = await context.webhooks.webhooks(organization.id);
  if (webhooks.length === 0) return <p>{words.none}</p>;
  const rows = await Promise.all(
    webhooks.map(async (webhook) => ({
      ...webhook,
      channels: (await context.webhooks.channels(webhook.id)).length,
      strip: await attemptsStrip({ ...visit, params: { id: String(webhook.id) } }, context),
    })),
  );
  return (
    <DataTable
      label={words.webhooks}
      columns={[
        ...[words.webhook, words.state, `#${words.channels}`, words.lastSuccess],
        ...[words.lastError, words.attempts],
      ]}
    >
      {rows.map(({ channels, strip, ...webhook }) => (
        <tr>
          <th scope="row" class="long">
            <a href={asset(visit, `/staff/webhooks/${webhook.id}/`)}>
              <bdi>{webhook.url}</bdi>
            </a>
          </th>
          <td>
            <WebhookStatus visit={visit} webhook={webhook} />
          </td>
          <td class="number">{shownNumber(visit, channels)}</td>
          <td>
            <Instant visit={visit} at={webhook.lastSuccessAt} />
          </td>
          <td>
            <bdi>{inLanguage(visit.language, outcomeOf(webhook.lastError)) || "—"}</bdi>
          </td>
          <td>{strip ?? "—"}</td>
        </tr>
      ))}
    </DataTable>
  );
}
