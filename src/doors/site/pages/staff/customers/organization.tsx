/** @jsxImportSource hono/jsx */
import type { Member, Organization } from "../../../../../customers/accounts/accounts.table.ts";
import { MEMBER_ROLES } from "../../../../../customers/accounts/accounts.table.ts";
import { offerOf } from "../../../../../customers/accounts/plan.ts";
import { notFound } from "../../../../../errors.ts";
import { DAY_MS, dayOf, formatDay } from "../../../../../values/moscow-time.ts";
import { keys } from "../../../../../verbs/operator/customers/keys.ts";
import { members } from "../../../../../verbs/operator/customers/members.ts";
import { organizations } from "../../../../../verbs/operator/customers/organizations.ts";
import { planRequests } from "../../../../../verbs/operator/customers/plans.ts";
import type { Row } from "../../../../../verbs/operator/resource.ts";
import { idOf } from "../../../forms/read-form.ts";
import { backWith, useOf, verbAction, verbOf } from "../../../forms/verb-action.ts";
import { ActionButton, RoleForm, RowFaults } from "../../../look/action-button.tsx";
import { factsOf, ResourceList } from "../../../look/resource-list.tsx";
import { Facts } from "../../../look/user-text.tsx";
import { VerbForm } from "../../../look/verb-form.tsx";
import { planOptions } from "../../../public/plan-cards.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { asset, redirect, useSite, useVisit, type View } from "../../../visit/visit.ts";
import { keysTable } from "../../organization/key-table.tsx";
import { RequestFacts } from "../../organization/plan.tsx";
import { addressedId, consolePage } from "../console.tsx";
import { mailInvitation, organizationCells } from "./organizations.tsx";
import { linkView } from "./seen.tsx";

const ofMember = { of: async () => (await memberOf()).id };

const organizationActions = {
  plan: verbAction(organizations, "plan", {
    shows: ({ plan_ends_at: ends }) =>
      ends === null ? done("planned-without-end") : backWith("organization.plan"),
  }),
  "close-request": verbAction(planRequests, "close", {
    shows: () => backWith("organization.close-request"),
  }),
  archive: verbAction(organizations, "archive"),
  restore: verbAction(organizations, "restore"),
  role: verbAction(members, "role", ofMember),
  suspend: verbAction(members, "suspend", ofMember),
  reinstate: verbAction(members, "restore", ofMember),
  revoke: verbAction(keys, "revoke", { of: keyOf }),
  "add-owner": verbAction(members, "add", {
    given: () => ({ organization: addressedId(), role: "owner" }),
    shows: invited,
  }),
};

/** The new owner gets a mail if a mail server is configured, otherwise a link to pass on. */
async function invited({ email, link }: Row): Promise<View> {
  const { id, name } = await organizationOf();
  const token = link as string | null;
  if (!useSite().mails.canSend)
    return linkView(String(email), token, `/staff/organizations/${id}/`);
  await mailInvitation(String(email), name, token);
  return done("invited");
}

/** The key that the form names; one of another organization is not found. */
async function keyOf(): Promise<number> {
  const context = useSite();
  const organization = await organizationOf();
  const id = idOf(useVisit().form.get("key"));
  const place = { organizationId: organization.id, memberId: null };
  if ((await context.keys.keyOf({ ...place, id })) === undefined) throw notFound("key", id);
  return id;
}

function organizationOf(): Promise<Organization> {
  const { accounts } = useSite();
  return accounts.organization(addressedId());
}

/** The member that the form names; one of another organization is not found. */
async function memberOf(): Promise<Member> {
  const organization = await organizationOf();
  const id = idOf(useVisit().form.get("member"));
  const members = await useSite().accounts.members(organization.id);
  const found = members.find((one) => one.id === id);
  if (found === undefined) throw notFound("member", id);
  return found;
}

function done(what: string): View {
  const { params } = useVisit();
  return redirect(`/staff/organizations/${params["id"]}/?done=${what}`);
}

const FACTS = ["id", "archived_at", "plan", "plan_ends_at", "period_ends_at", "used", "created_at"];

/** `/staff/organizations/3/`: its plan, members and keys. */
export const staffOrganizationPage: SitePage = {
  path: "/staff/organizations/:id/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const organization = await context.accounts.organization(addressedId());
    const use = useOf({ id: organization.id });
    const row = (await verbOf(organizations, "show").run({}, use)) as Row;
    const place = { organizationId: organization.id, memberId: null, areEnded: null, at: "before" };
    return consolePage(
      organization.name,
      <>
        <RowFaults actions={["role", "suspend", "reinstate", "revoke"]} />
        <Facts facts={factsOf(organizations, row, FACTS, organizationCells)} />
        <p class="row">
          <a href={asset(`/staff/organizations/${organization.id}/seen/`)}>{words.seen}</a>
          <a href={asset(`/staff/webhooks/?organization=${organization.id}`)}>
            {words.seeWebhooks}
          </a>
          <a href={asset(`/staff/audit/?organization=${organization.id}`)}>{words.seeAudit}</a>
        </p>
        <OpenRequest organization={organization} />
        <PlanForm organization={organization} />
        <h2>{visit.words.members}</h2>
        <Members organization={organization} />
        <h3>{words.addOwner}</h3>
        <VerbForm
          resource={members}
          verb="add"
          action="add-owner"
          fields={["email", "name"]}
          submit={words.add}
        />
        <h2>{visit.words.keys}</h2>
        {(await keysTable(visit.words.keys, place)) ?? <p class="empty">{words.none}</p>}
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

/** The form that gives a plan; filled in with the one that is asked for, for one of its paid periods. */
async function PlanForm({ organization: { id, plan, planEndsAt } }: Props) {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const { accounts } = useSite();
  const wanted = (await accounts.planRequest(id))?.plan;
  const paidDays = wanted && offerOf(await accounts.plan(wanted)).per === "year" ? 365 : 30;
  const ends = wanted === undefined ? planEndsAt : visit.nowMs + paidDays * DAY_MS;
  return (
    <>
      <h2>{words.givePlan}</h2>
      <VerbForm
        resource={organizations}
        verb="plan"
        options={{ plan: planOptions(await accounts.plans(), visit.language) }}
        submit={visit.words.save}
        values={{ plan: wanted ?? plan, ends: ends === null ? "" : formatDay(dayOf(ends - 1)) }}
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

function Members({ organization }: Props) {
  const { staffPages: words, members: label, suspend } = useVisit().words;
  return (
    <ResourceList
      resource={members}
      label={label}
      given={{ organization: organization.id }}
      columns={["email", "name", "role", "suspended_at"]}
      looks={{ email: "row long" }}
      cells={{
        role: (row) => <RoleForm member={row as unknown as Member} roles={MEMBER_ROLES} />,
        suspended_at: ({ suspended_at: at }) => (at === null ? words.active : words.suspended),
      }}
      actions={({ id, email, suspended_at: at }) => (
        <ActionButton
          inRow
          action={at === null ? "suspend" : "reinstate"}
          label={at === null ? suspend : words.reinstate}
          description={String(email)}
          fields={{ member: Number(id) }}
          danger={at === null}
        />
      )}
    />
  );
}
