/** @jsxImportSource hono/jsx */
import type { HtmlEscapedString } from "hono/utils/html";
import type { Accounts } from "../../../../../customers/accounts/accounts.ts";
import type { PersonAccount } from "../../../../../customers/people/people.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { shownNumber } from "../../../look/shown.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { asset } from "../../../visit/site-path.ts";
import type { Visit } from "../../../visit/visit.ts";
import { consolePage, paged, SearchForm, searched } from "../console.tsx";
import { Places } from "./places.tsx";

/** `/staff/people/`: everybody who can sign in. */
export const peoplePage: SitePage = {
  path: "/staff/people/",
  access: "staff",
  async show(visit, { people, accounts }) {
    const words = visit.words.staffPages;
    const found = searched(visit, await people.people(), ({ email, name }) => `${email} ${name}`);
    const { shown, pager } = paged(visit, found);
    return consolePage(
      visit,
      words.people,
      <>
        <SearchForm visit={visit} />
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
                <a href={asset(visit, `/staff/people/${person.id}/`)}>
                  <bdi>{person.email}</bdi>
                </a>
                {person.email === visit.signedIn?.person.email && ` (${words.you})`}
              </th>
              <td>
                <bdi>{person.name}</bdi>
              </td>
              <td>
                <PlacesOf visit={visit} accounts={accounts} person={person} />
              </td>
              <td>{person.isStaff ? words.yes : words.no}</td>
              <td>{person.hasPassword ? words.yes : words.no}</td>
              <td class="number">{shownNumber(visit, person.sessions)}</td>
            </tr>
          ))}
        </DataTable>
        {found.length === 0 && <p class="empty">{words.none}</p>}
        {pager}
      </>,
    );
  },
};

async function PlacesOf({
  visit,
  accounts,
  person,
}: {
  visit: Visit;
  accounts: Accounts;
  person: PersonAccount;
}): Promise<HtmlEscapedString> {
  return <Places visit={visit} places={await accounts.allMembershipsOf(person.email)} />;
}
