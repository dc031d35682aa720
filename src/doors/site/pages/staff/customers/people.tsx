/** @jsxImportSource hono/jsx */
import { DataTable } from "../../../look/data-table.tsx";
import { shownNumber } from "../../../look/shown.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { asset } from "../../../visit/site-path.ts";
import { consolePage, paged, SearchForm, searched } from "../console.tsx";
import { Memberships } from "./memberships.tsx";

/** `/staff/people/`: everybody who can sign in. */
export const peoplePage: SitePage = {
  path: "/staff/people/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const people = await context.people.people();
    const found = searched(people, ({ email, name }) => `${email} ${name}`);
    const { shown, pager } = paged(found);
    return consolePage(
      words.people,
      <>
        <SearchForm />
        <DataTable
          label={words.people}
          columns={[
            ...[visit.words.email, visit.words.name, words.inOrganizations],
            ...[words.staffMark, words.passwordSet, `#${words.sessions}`],
          ]}
        >
          {shown.map((person) => (
            <tr>
              <th scope="row">
                <a href={asset(`/staff/people/${person.id}/`)}>
                  <bdi>{person.email}</bdi>
                </a>
                {person.email === visit.signedIn?.person.email && ` (${words.you})`}
              </th>
              <td>
                <bdi>{person.name}</bdi>
              </td>
              <td>
                <Memberships email={person.email} />
              </td>
              <td>{person.isStaff ? words.yes : words.no}</td>
              <td>{person.hasPassword ? words.yes : words.no}</td>
              <td class="number">{shownNumber(person.sessions)}</td>
            </tr>
          ))}
        </DataTable>
        {found.length === 0 && <p class="empty">{words.none}</p>}
        {pager}
      </>,
    );
  },
};
