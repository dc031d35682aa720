/** @jsxImportSource hono/jsx */
import type { Organization } from "../../../../../customers/accounts/accounts.table.ts";
import { outcomeOf } from "../../../../../push/webhooks/delivery/outcome.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { Instant, shownNumber, told } from "../../../look/shown.tsx";
import { NamedLink } from "../../../look/user-text.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { asset } from "../../../visit/site-path.ts";
import { renderedFor, useSite, useVisit } from "../../../visit/use-visit.ts";
import type { Visit } from "../../../visit/visit.ts";
import { keysTable } from "../../organization/key-table.tsx";
import { Overview } from "../../organization/overview.tsx";
import { attemptsStrip } from "../../webhooks/attempts-strip.tsx";
import { addressedId, consolePage } from "../console.tsx";
import { WebhookStatus } from "./webhooks.tsx";

/** `/staff/organizations/3/seen/`: what the organization's owners see, without anything to change. */
export const seenPage: SitePage = {
  path: "/staff/organizations/:id/seen/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const organization = await context.accounts.organization(addressedId());
    const seen = asOwner(organization);
    const place = { organizationId: organization.id, memberId: null, areEnded: null, at: "before" };
    const show = async () =>
      consolePage(
        words.seen,
        <>
          <p class="notice">
            <bdi>{words.seenText(organization.name)}</bdi>{" "}
            <a href={asset(`/staff/organizations/${organization.id}/`)}>{words.back}</a>
          </p>
          <Overview isReadOnly />
          <h2>{words.keys}</h2>
          {(await keysTable(words.keys, place, true)) ?? <p class="empty">{words.none}</p>}
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

async function Webhooks({ organization }: { organization: Organization }) {
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
      rows={rows}
      columns={[
        [
          words.webhook,
          (webhook) => <NamedLink to={`/staff/webhooks/${webhook.id}/`}>{webhook.url}</NamedLink>,
          "row long",
        ],
        [words.state, (webhook) => <WebhookStatus webhook={webhook} />],
        [words.channels, ({ channels }) => shownNumber(channels), "number"],
        [words.lastSuccess, (webhook) => <Instant at={webhook.lastSuccessAt} />],
        [words.lastError, (webhook) => <bdi>{told(outcomeOf(webhook.lastError)) || "—"}</bdi>],
        [words.attempts, ({ strip }) => strip ?? "—"],
      ]}
    />
  );
}
