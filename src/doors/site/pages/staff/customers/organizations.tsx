/** @jsxImportSource hono/jsx */
import type { HtmlEscapedString } from "hono/utils/html";
import type { Organization } from "../../../../../customers/accounts/accounts.table.ts";
import { requiredName } from "../../../../../customers/accounts/accounts.ts";
import { PLAN_CODES } from "../../../../../customers/accounts/plan.ts";
import { readFields, requiredChoice } from "../../../forms/faults.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { Form, SelectField, TextField } from "../../../look/form.tsx";
import { LastDayBefore, shownNumber } from "../../../look/shown.tsx";
import type { SiteContext } from "../../../site-context.ts";
import type { SitePage } from "../../../site-pages.ts";
import { asset } from "../../../visit/site-path.ts";
import { redirect, type View } from "../../../visit/view.ts";
import { actorOf } from "../../../visit/viewer.ts";
import type { Visit } from "../../../visit/visit.ts";
import { consolePage, paged, SearchForm, searched } from "../console.tsx";
import { limitStatusOf } from "./limit-status.ts";

/** `/staff/organizations/`: all of them, and a new one. */
export const organizationsPage: SitePage = {
  path: "/staff/organizations/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const found = searched(visit, await context.accounts.organizations(), ({ id, name }) =>
      [id, name].join(" "),
    );
    const { shown, pager } = paged(visit, found);
    const field = { visit, action: "create" };
    return consolePage(
      visit,
      words.organizations,
      <>
        <SearchForm visit={visit} />
        <DataTable
          label={words.organizations}
          columns={[
            ...[`#${words.number}`, visit.words.name, visit.words.plan, visit.words.planEnds],
            ...[`#${visit.words.used}`, words.state],
          ]}
        >
          {shown.map((organization) => (
            <Row visit={visit} context={context} organization={organization} />
          ))}
        </DataTable>
        {found.length === 0 && <p>{words.none}</p>}
        {pager}
        <h2>{words.newOrganization}</h2>
        <Form visit={visit} action="create">
          <TextField {...field} name="name" label={visit.words.name} />
          <SelectField
            {...field}
            name="plan"
            label={visit.words.plan}
            options={PLAN_CODES.map((code) => ({ value: code, label: code }))}
          />
          <button type="submit">{words.create}</button>
        </Form>
      </>,
    );
  },
  actions: { create },
};

async function Row({
  visit,
  context,
  organization,
}: {
  visit: Visit;
  context: SiteContext;
  organization: Organization;
}): Promise<HtmlEscapedString> {
  const words = visit.words.staffPages;
  const { plan, used } = await limitStatusOf(organization, context, visit.nowMs);
  const { id, name, planEndsAt, archivedAt } = organization;
  return (
    <tr>
      <td class="number">{id}</td>
      <th scope="row">
        <a href={asset(visit, `/staff/organizations/${id}/`)}>
          <bdi>{name}</bdi>
        </a>
      </th>
      <td>{plan.code}</td>
      <td>
        <LastDayBefore visit={visit} at={planEndsAt} />
      </td>
      <td class="number">
        {shownNumber(visit, used)} / {shownNumber(visit, plan.requestsPerPeriod)}
      </td>
      <td>{archivedAt === null ? words.active : words.archived}</td>
    </tr>
  );
}

async function create(visit: Visit, { accounts }: SiteContext): Promise<View> {
  const { form } = visit;
  const wanted = await readFields({
    name: () => requiredName(form.get("name")),
    plan: () => requiredChoice(PLAN_CODES, form.get("plan")),
  });
  const { id } = await accounts.createOrganization(wanted, actorOf(visit));
  return redirect(`/staff/organizations/${id}/?done=created`);
}
