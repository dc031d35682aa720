/** @jsxImportSource hono/jsx */
import {
  MEMBER_ROLES,
  type Member,
  type Organization,
} from "../../../../../customers/accounts/accounts.table.ts";
import { dayOf, formatDay } from "../../../../../values/moscow-time.ts";
import { organizations } from "../../../../../verbs/operator/organizations.ts";
import { ActionButton, RowFaults } from "../../../look/action-button.tsx";
import { DataTable } from "../../../look/data-table.tsx";
import { Form, TextField } from "../../../look/form.tsx";
import { RoleForm } from "../../../look/role-form.tsx";
import { Instant, LastDayBefore, shownNumber } from "../../../look/shown.tsx";
import { Facts } from "../../../look/user-text.tsx";
import { VerbForm } from "../../../look/verb-form.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { useSite, useVisit } from "../../../visit/use-visit.ts";
import { asset } from "../../../visit/view.ts";
import { keysTable } from "../../organization/key-table.tsx";
import { RequestFacts } from "../../organization/plan.tsx";
import { addressedId, consolePage, paged } from "../console.tsx";
import { organizationActions } from "./organization-actions.ts";
import { limitStatusOf } from "./seen.tsx";

/** `/staff/organizations/3/`: its plan, members and keys. */
export const staffOrganizationPage: SitePage = {
  path: "/staff/organizations/:id/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const organization = await context.accounts.organization(addressedId());
    const place = { organizationId: organization.id, memberId: null, areEnded: null, at: "before" };
    return consolePage(
      organization.name,
      <>
        <RowFaults actions={["role", "suspend", "reinstate", "revoke"]} />
        <PlanFacts organization={organization} />
        <p class="row">
          <a href={asset(`/staff/organizations/${organization.id}/seen/`)}>{words.seen}</a>
          <a href={asset(`/staff/webhooks/?organization=${organization.id}`)}>
            {words.seeWebhooks}
          </a>
          <a href={asset(`/staff/audit/?organization=${organization.id}`)}>{words.seeAudit}</a>
        </p>
        <OpenRequest organization={organization} />
        <PlanForm organization={organization} />
        <h2>{words.members}</h2>
        <MembersTable members={await context.accounts.members(organization.id)} />
        <h3>{words.addOwner}</h3>
        <Form action="add-owner" submit={words.add} words={visit.words}>
          <TextField name="email" type="email" />
          <TextField name="name" required={false} />
        </Form>
        <h2>{words.keys}</h2>
        {(await keysTable(words.keys, place)) ?? <p class="empty">{words.none}</p>}
        <h2>{organization.archivedAt === null ? words.archive : words.restore}</h2>
        <ArchiveButton organization={organization} />
      </>,
    );
  },
  actions: organizationActions,
};

interface Props {
  organization: Organization;
}

async function PlanFacts({ organization }: Props & {}) {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const { plan, used, periodEndsAt } = await limitStatusOf(organization, useSite(), visit.nowMs);
  const { id, planEndsAt, archivedAt, createdAt } = organization;
  return (
    <Facts
      facts={[
        [words.number, id],
        [
          words.state,
          archivedAt === null ? (
            words.active
          ) : (
            <>
              {words.archived}, <Instant at={archivedAt} />
            </>
          ),
        ],
        [visit.words.plan, visit.words.planNames[plan.code]],
        [visit.words.planEnds, <LastDayBefore at={planEndsAt} none={words.withoutEnd} />],
        [words.periodEnds, <Instant at={periodEndsAt} />],
        [
          visit.words.used,
          `${shownNumber(used)} ${visit.words.of} ${shownNumber(plan.requestsPerPeriod)}`,
        ],
        [words.created, <Instant at={createdAt} />],
      ]}
    />
  );
}

/** The organization's open request for another plan, which giving a plan closes. */
async function OpenRequest({ organization }: Props) {
  const words = useVisit().words.planRequest;
  const request = await useSite().accounts.planRequest(organization.id);
  if (request === null) return null;
  return (
    <>
      <h2>{words.open}</h2>
      <RequestFacts request={request} />
      <ActionButton action="close-request" label={words.close} />
    </>
  );
}

function PlanForm({ organization }: Props) {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const { plan, planEndsAt } = organization;
  return (
    <>
      <h2>{words.givePlan}</h2>
      <VerbForm
        resource={organizations}
        verb="plan"
        submit={visit.words.save}
        values={{ plan, ends: planEndsAt === null ? "" : formatDay(dayOf(planEndsAt - 1)) }}
      >
        <p>{words.givePlanText}</p>
      </VerbForm>
    </>
  );
}

function ArchiveButton({ organization }: Props) {
  const words = useVisit().words.staffPages;
  return organization.archivedAt === null ? (
    <ActionButton action="archive" label={words.archive} confirm={words.archiveConfirm} danger />
  ) : (
    <ActionButton action="restore" label={words.restore} confirm={words.restoreConfirm} />
  );
}

/** @jsxImportSource hono/jsx */

function MembersTable({ members }: { members: readonly Member[] }) {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const { shown, pager } = paged(members);
  return (
    <>
      <DataTable
        label={words.members}
        empty={words.none}
        rows={shown}
        columns={[
          [visit.words.email, ({ email }) => <bdi>{email}</bdi>, "row long"],
          [visit.words.name, ({ name }) => <bdi>{name}</bdi>],
          [visit.words.role, (member) => <RoleForm member={member} roles={MEMBER_ROLES} />],
          [words.state, (member) => (member.suspendedAt === null ? words.active : words.suspended)],
          [
            words.actions,
            ({ id, email, suspendedAt }) => (
              <ActionButton
                inRow
                action={suspendedAt === null ? "suspend" : "reinstate"}
                label={suspendedAt === null ? words.suspend : words.reinstate}
                description={email}
                fields={{ member: id }}
                danger={suspendedAt === null}
              />
            ),
          ],
        ]}
      />
      {pager}
    </>
  );
}
