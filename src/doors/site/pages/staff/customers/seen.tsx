/** @jsxImportSource hono/jsx */
import type { Organization } from "../../../../../customers/accounts/accounts.table.ts";
import { passwordAddress } from "../../../../../customers/people/passwords.ts";
import { outcomeOf } from "../../../../../push/webhooks/delivery/attempt.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { Instant, Snippet, shownNumber, told } from "../../../look/shown.tsx";
import { NamedLink } from "../../../look/user-text.tsx";
import type { SitePage } from "../../../site-pages.ts";
import type { View, Visit } from "../../../visit/visit.ts";
import { asset, page, renderedFor, useSite, useVisit } from "../../../visit/visit.ts";
import { keysTable } from "../../organization/key-table.tsx";
import { Overview } from "../../organization/overview.tsx";
import { attemptsStrip } from "../../webhooks/delivery-table.tsx";
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
          <h2>{visit.words.keys}</h2>
          {(await keysTable(visit.words.keys, place, true)) ?? <p class="empty">{words.none}</p>}
          <h2>{visit.words.webhooks}</h2>
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
  const { staffPages: words, lastError, lastSuccess, state, webhooks: label } = useVisit().words;
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
      label={label}
      rows={rows}
      columns={[
        [
          words.webhook,
          (webhook) => <NamedLink to={`/staff/webhooks/${webhook.id}/`}>{webhook.url}</NamedLink>,
          "row long",
        ],
        [state, (webhook) => <WebhookStatus reason={webhook.disabledReason} />],
        [words.channels, ({ channels }) => shownNumber(channels), "number"],
        [lastSuccess, (webhook) => <Instant at={webhook.lastSuccessAt} />],
        [lastError, (webhook) => <bdi>{told(outcomeOf(webhook.lastError)) || "—"}</bdi>],
        [words.attempts, ({ strip }) => strip ?? "—"],
      ]}
    />
  );
}

/**
 * A link to be passed on by hand. It opens somebody's account, so it is only shown in this answer: a
 * redirect would leave it in the browser's history.
 * @param token null for somebody who has a password and only needs to sign in
 */
export function linkView(email: string, token: string | null, back: string): View {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const { ownAddress } = visit;
  const address = token === null ? `${ownAddress}/account/` : passwordAddress(ownAddress, token);
  return page(
    `${words.linkTitle} ${email}`,
    <>
      <p>{token === null ? words.signInLinkText : words.linkText}</p>
      <Snippet text={address} label={words.linkTitle} />
      <p>
        <a href={asset(back)}>{words.back}</a>
      </p>
    </>,
  );
}

/** The organizations that somebody belongs to, with their roles. */
export async function Memberships({ email }: { email: string }) {
  const { staffPages: words, roles } = useVisit().words;
  const memberships = await useSite().accounts.allMembershipsOf(email);
  if (memberships.length === 0) return <>—</>;
  return (
    <ul class="bare">
      {memberships.map(({ member, organization }) => (
        <li>
          <NamedLink to={`/staff/organizations/${organization.id}/`}>{organization.name}</NamedLink>
          {`, ${roles[member.role]}`}
          {member.suspendedAt !== null && `, ${words.suspended}`}
          {organization.archivedAt !== null && `, ${words.archived}`}
        </li>
      ))}
    </ul>
  );
}
