/** @jsxImportSource hono/jsx */
import { DataTable } from "../../../look/data-table.tsx";
import { shownNumber } from "../../../look/shown.tsx";
import { NamedLink } from "../../../look/user-text.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { consolePage, FindForm, paged, searched } from "../console.tsx";
import { Memberships } from "./seen.tsx";

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
        <FindForm label={words.search} />
        <DataTable
          label={words.people}
          empty={words.none}
          rows={shown}
          columns={[
            [
              visit.words.email,
              (person) => (
                <>
                  <NamedLink to={`/staff/people/${person.id}/`}>{person.email}</NamedLink>
                  {person.email === visit.signedIn?.person.email && ` (${words.you})`}
                </>
              ),
              "row",
            ],
            [visit.words.name, (person) => <bdi>{person.name}</bdi>],
            [words.inOrganizations, (person) => <Memberships email={person.email} />],
            [words.staffMark, (person) => (person.isStaff ? words.yes : words.no)],
            [words.passwordSet, (person) => (person.hasPassword ? words.yes : words.no)],
            [words.sessions, (person) => shownNumber(person.sessions), "number"],
          ]}
        />
        {pager}
      </>,
    );
  },
};
