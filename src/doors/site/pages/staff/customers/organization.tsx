/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { HtmlEscapedString } from "hono/utils/html";
import type { Organization } from "../../../../../customers/accounts/accounts.table.ts";
import { PLAN_CODES } from "../../../../../customers/accounts/plan.ts";
import { dayOf, formatDay } from "../../../../../values/moscow-time.ts";
import { ActionButton } from "../../../look/action-button.tsx";
import { Facts } from "../../../look/facts.tsx";
import { Form, SelectField, TextField } from "../../../look/form.tsx";
import { RowFaults } from "../../../look/row-actions.tsx";
import { Instant, LastDayBefore, shownNumber } from "../../../look/shown.tsx";
import type { SiteContext } from "../../../site-context.ts";
import type { SitePage } from "../../../site-pages.ts";
import { asset } from "../../../visit/site-path.ts";
import type { Visit } from "../../../visit/visit.ts";
import { addressedId, consolePage } from "../console.tsx";
import { limitStatusOf } from "./limit-status.ts";
import { organizationActions } from "./organization-actions.ts";
import { KeysTable, MembersTable } from "./organization-tables.tsx";

/** `/staff/organizations/3/`: its plan, members and keys. */
export const staffOrganizationPage: SitePage = {
  path: "/staff/organizations/:id/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const organization = await context.accounts.organization(addressedId(visit));
    const field = { visit, action: "add-owner" };
    return consolePage(
      visit,
      organization.name,
      <>
        <RowFaults visit={visit} actions={["role", "suspend", "reinstate", "revoke"]} />
        <PlanFacts visit={visit} context={context} organization={organization} />
        <p class="row">
          <a href={asset(visit, `/staff/organizations/${organization.id}/seen/`)}>{words.seen}</a>
          <a href={asset(visit, `/staff/webhooks/?organization=${organization.id}`)}>
            {words.seeWebhooks}
          </a>
          <a href={asset(visit, `/staff/audit/?organization=${organization.id}`)}>
            {words.seeAudit}
          </a>
        </p>
        <PlanForm visit={visit} organization={organization} />
        <h2>{words.members}</h2>
        <MembersTable visit={visit} members={await context.accounts.members(organization.id)} />
        <h3>{words.addOwner}</h3>
        <Form visit={visit} action="add-owner">
          <TextField {...field} name="email" label={visit.words.email} type="email" />
          <TextField {...field} name="name" label={visit.words.name} required={false} />
          <button type="submit">{words.add}</button>
        </Form>
        <h2>{words.keys}</h2>
        <KeysTable visit={visit} context={context} organization={organization} />
        <h2>{organization.archivedAt === null ? words.archive : words.restore}</h2>
        <ArchiveButton visit={visit} organization={organization} />
      </>,
    );
  },
  actions: organizationActions,
};

interface Props {
  visit: Visit;
  organization: Organization;
}

async function PlanFacts({
  visit,
  context,
  organization,
}: Props & { context: SiteContext }): Promise<HtmlEscapedString> {
  const words = visit.words.staffPages;
  const { plan, used, periodEndsAt } = await limitStatusOf(organization, context, visit.nowMs);
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
              {words.archived}, <Instant visit={visit} at={archivedAt} />
            </>
          ),
        ],
        [visit.words.plan, visit.words.planNames[plan.code]],
        [
          visit.words.planEnds,
          planEndsAt === null ? words.withoutEnd : <LastDayBefore visit={visit} at={planEndsAt} />,
        ],
        [words.periodEnds, <Instant visit={visit} at={periodEndsAt} />],
        [
          visit.words.used,
          `${shownNumber(visit, used)} ${visit.words.of} ${shownNumber(visit, plan.requestsPerPeriod)}`,
        ],
        [words.created, <Instant visit={visit} at={createdAt} />],
      ]}
    />
  );
}

function PlanForm({ visit, organization }: Props): JSX.Element {
  const words = visit.words.staffPages;
  const { planEndsAt } = organization;
  const field = { visit, action: "plan" };
  return (
    <>
      <h2>{words.givePlan}</h2>
      <Form visit={visit} action="plan">
        <p>{words.givePlanText}</p>
        <SelectField
          {...field}
          name="plan"
          label={visit.words.plan}
          value={organization.plan}
          options={PLAN_CODES.map((code) => ({
            value: code,
            label: visit.words.planNames[code],
          }))}
        />
        <TextField
          {...field}
          name="ends"
          value={planEndsAt === null ? "" : formatDay(dayOf(planEndsAt - 1))}
          label={words.lastDay}
          hint={words.lastDayHint}
          type="date"
          required={false}
        />
        <button type="submit">{visit.words.save}</button>
      </Form>
    </>
  );
}

function ArchiveButton({ visit, organization }: Props): JSX.Element {
  const words = visit.words.staffPages;
  return organization.archivedAt === null ? (
    <ActionButton
      visit={visit}
      action="archive"
      label={words.archive}
      confirm={words.archiveConfirm}
      danger
    />
  ) : (
    <ActionButton
      visit={visit}
      action="restore"
      label={words.restore}
      confirm={words.restoreConfirm}
    />
  );
}
