/** @jsxImportSource hono/jsx */
import { DataTable } from "../../../look/data-table.tsx";
import { LastDayBefore, shownNumber } from "../../../look/shown.tsx";
import { NamedLink } from "../../../look/user-text.tsx";
import type { SitePage } from "../../../site-pages.ts";
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
    const rows = await Promise.all(
      shown.map(async (organization) => ({
        ...organization,
        ...(await limitStatusOf(organization, context, visit.nowMs)),
      })),
    );
    return consolePage(
      words.organizations,
      <>
        <SearchForm />
        <DataTable
          label={words.organizations}
          empty={words.none}
          rows={rows}
          columns={[
            [words.number, ({ id }) => id, "number"],
            [
              visit.words.name,
              ({ id, name }) => <NamedLink to={`/staff/organizations/${id}/`}>{name}</NamedLink>,
              "row",
            ],
            [visit.words.plan, ({ plan }) => visit.words.planNames[plan.code]],
            [visit.words.planEnds, ({ planEndsAt }) => <LastDayBefore at={planEndsAt} />],
            [
              visit.words.used,
              ({ used, plan }) => `${shownNumber(used)} / ${shownNumber(plan.requestsPerPeriod)}`,
              "number",
            ],
            [
              words.state,
              ({ archivedAt }) => (archivedAt === null ? words.active : words.archived),
            ],
          ]}
        />
        {pager}
        <NewCustomerForm />
      </>,
    );
  },
  actions: { create: createCustomer },
};
