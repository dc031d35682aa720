/** @jsxImportSource hono/jsx */
import type { HtmlEscapedString } from "hono/utils/html";
import type { Organization } from "../../../../../customers/accounts/accounts.table.ts";
import { outcomeOf } from "../../../../../push/webhooks/delivery/outcome.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { Instant, shownNumber, told } from "../../../look/shown.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { asset } from "../../../visit/site-path.ts";
import { renderedFor, useSite, useVisit } from "../../../visit/use-visit.ts";
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
    const organization = await context.accounts.organization(addressedId());
    const seen = asOwner(organization);
    const show = () =>
      consolePage(
        words.seen,
        <>
          <p class="notice">
            <bdi>{words.seenText(organization.name)}</bdi>{" "}
            <a href={asset(`/staff/organizations/${organization.id}/`)}>{words.back}</a>
          </p>
          <Overview isReadOnly />
          <h2>{words.keys}</h2>
          <KeysTable organization={organization} isReadOnly />
          <h2>{words.webhooks}</h2>
          <Webhooks organization={organization} />
        </>,
      );
    return renderedFor(seen, context, show);
  },
};

/**
 * The visit as an owner of the organization would make it; only for reading, since this member does not
 * exist.
 */
function asOwner(organization: Organization): Visit {
  const visit = useVisit();
  const { id: organizationId, createdAt } = organization;
  const role = "owner" as const;
  const member = { id: 0, organizationId, email: "", name: "", role, createdAt, suspendedAt: null };
  return { ...visit, membership: { organization, member } };
}

async function Webhooks({
  organization,
}: {
  organization: Organization;
}): Promise<HtmlEscapedString> {
  const context = useSite();
  const words = useVisit().words.staffPages;
  const webhooks = await context.webhooks.webhooks(organization.id);
  if (webhooks.length === 0) return <p>{words.none}</p>;
  const rows = await Promise.all(
    webhooks.map(async (webhook) => ({
      ...webhook,
      channels: (await context.webhooks.channels(webhook.id)).length,
      strip: await attemptsStrip({ organizationId: organization.id, id: webhook.id }),
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
            <a href={asset(`/staff/webhooks/${webhook.id}/`)}>
              <bdi>{webhook.url}</bdi>
            </a>
          </th>
          <td>
            <WebhookStatus webhook={webhook} />
          </td>
          <td class="number">{shownNumber(channels)}</td>
          <td>
            <Instant at={webhook.lastSuccessAt} />
          </td>
          <td>
            <bdi>{told(outcomeOf(webhook.lastError)) || "—"}</bdi>
          </td>
          <td>{strip ?? "—"}</td>
        </tr>
      ))}
    </DataTable>
  );
}
