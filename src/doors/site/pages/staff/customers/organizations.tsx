/** @jsxImportSource hono/jsx */
import type { HtmlEscapedString } from "hono/utils/html";
import type { Organization } from "../../../../../customers/accounts/accounts.table.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { LastDayBefore, shownNumber } from "../../../look/shown.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { asset } from "../../../visit/site-path.ts";
import { useSite, useVisit } from "../../../visit/use-visit.ts";
import { consolePage, paged, SearchForm, searched } from "../console.tsx";
import { limitStatusOf } from "./limit-status.ts";
import { createCustomer, NewCustomerForm } from "./new-customer.tsx";

/** `/staff/organizations/`: lists them, and creates a new one. */
export const organizationsPage: SitePage = {
  path: "/staff/organizations/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const found = searched(await context.accounts.organizations(), ({ id, name }) =>
      [id, name].join(" "),
    );
    const { shown, pager } = paged(found);
    return consolePage(
      words.organizations,
      <>
        <SearchForm />
        <DataTable
          label={words.organizations}
          columns={[
            ...[`#${words.number}`, visit.words.name, visit.words.plan, visit.words.planEnds],
            ...[`#${visit.words.used}`, words.state],
          ]}
        >
          {shown.map((organization) => (
            <Row organization={organization} />
          ))}
        </DataTable>
        {found.length === 0 && <p class="empty">{words.none}</p>}
        {pager}
        <NewCustomerForm />
      </>,
    );
  },
  actions: { create: createCustomer },
};

async function Row({ organization }: { organization: Organization }): Promise<HtmlEscapedString> {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const { plan, used } = await limitStatusOf(organization, useSite(), visit.nowMs);
  const { id, name, planEndsAt, archivedAt } = organization;
  return (
    <tr>
      <td class="number">{id}</td>
      <th scope="row">
        <a href={asset(`/staff/organizations/${id}/`)}>
          <bdi>{name}</bdi>
        </a>
      </th>
      <td>{visit.words.planNames[plan.code]}</td>
      <td>
        <LastDayBefore at={planEndsAt} />
      </td>
      <td class="number">
        {shownNumber(used)} / {shownNumber(plan.requestsPerPeriod)}
      </td>
      <td>{archivedAt === null ? words.active : words.archived}</td>
    </tr>
  );
}
