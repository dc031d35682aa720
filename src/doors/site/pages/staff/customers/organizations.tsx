/** @jsxImportSource hono/jsx */
import type { HtmlEscapedString } from "hono/utils/html";
import type { Organization } from "../../../../../customers/accounts/accounts.table.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { LastDayBefore, shownNumber } from "../../../look/shown.tsx";
import type { PartProps } from "../../../site-context.ts";
import type { SitePage } from "../../../site-pages.ts";
import { asset } from "../../../visit/site-path.ts";
import { consolePage, paged, SearchForm, searched } from "../console.tsx";
import { limitStatusOf } from "./limit-status.ts";
import { createCustomer, NewCustomerForm } from "./new-customer.tsx";

/** `/staff/organizations/`: lists them, and creates a new one. */
export const organizationsPage: SitePage = {
  path: "/staff/organizations/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const found = searched(visit, await context.accounts.organizations(), ({ id, name }) =>
      [id, name].join(" "),
    );
    const { shown, pager } = paged(visit, found);
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
        {found.length === 0 && <p class="empty">{words.none}</p>}
        {pager}
        <NewCustomerForm visit={visit} />
      </>,
    );
  },
  actions: { create: createCustomer },
};

async function Row({
  visit,
  context,
  organization,
}: PartProps & {
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
      <td>{visit.words.planNames[plan.code]}</td>
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
