/** @jsxImportSource hono/jsx */
import { notFound } from "../../../../../errors.ts";
import { people, staff } from "../../../../../verbs/operator/customers/people.ts";
import type { Row } from "../../../../../verbs/operator/resource.ts";
import { pageError } from "../../../forms/faults.ts";
import { backWith, useOf, verbAction, verbOf } from "../../../forms/verb-action.ts";
import { ActionButton, RowFaults } from "../../../look/action-button.tsx";
import { factsOf, ResourceList } from "../../../look/resource-list.tsx";
import { Facts, NamedLink } from "../../../look/user-text.tsx";
import { passwordMail } from "../../../mail-texts.ts";
import type { SitePage } from "../../../site-pages.ts";
import { currentActor } from "../../../visit/viewer.ts";
import { redirect, useSite, useVisit, type View } from "../../../visit/visit.ts";
import { consolePage } from "../console.tsx";
import { linkView, Memberships } from "./seen.tsx";

const FACTS = ["name", "organizations", "is_staff", "has_password", "sessions"];
const organizationsCell = ({ email }: Row) => <Memberships email={String(email)} />;

const addressed = () => useVisit().params["id"] ?? "";
const isSelf = (id: unknown) => useVisit().signedIn?.person.id === id;
const linkShown = ({ id, email, link }: Row) =>
  linkView(String(email), String(link), `/staff/people/${id}/`);

export const peoplePage: SitePage = {
  path: "/staff/people/",
  access: "staff",
  async show({ words: { staffPages: words } }) {
    return consolePage(
      words.people,
      <ResourceList
        resource={people}
        label={words.people}
        columns={["email", ...FACTS]}
        looks={{ email: "row" }}
        cells={{
          organizations: organizationsCell,
          email: ({ id, email }) => (
            <>
              <NamedLink to={`/staff/people/${id}/`}>{String(email)}</NamedLink>
              {isSelf(id) && ` (${words.you})`}
            </>
          ),
        }}
      />,
    );
  },
};

/** `/staff/people/<id>/`: makes somebody staff, creates a password link, ends their sessions. */
export const personPage: SitePage = {
  path: "/staff/people/:id/",
  access: "staff",
  async show({ words: { staffPages: words, actions, passwordLink } }, context) {
    const person = (await verbOf(people, "show").run({}, useOf({ id: addressed() }))) as Row;
    return consolePage(
      String(person["email"]),
      <>
        <RowFaults actions={["take-staff"]} />
        <Facts facts={factsOf(people, person, FACTS, { organizations: organizationsCell })} />
        <h2>{actions}</h2>
        <div class="row">
          <ActionButton action="make-link" label={passwordLink} />
          {context.mails.canSend && <ActionButton action="mail-link" label={words.mailLink} />}
          <ActionButton action="end-sessions" label={words.endSessions} />
        </div>
        <StaffMark person={person} />
      </>,
    );
  },
  actions: {
    "give-staff": verbAction(staff, "add", { shows: madeStaff }),
    "take-staff": verbAction(staff, "remove", { of: anotherPerson }),
    "make-link": verbAction(people, "link", { of: addressed, shows: linkShown }),
    "mail-link": mailLink,
    "end-sessions": verbAction(people, "end-sessions", { of: addressed }),
  },
};

function StaffMark({ person: { id, email, is_staff: isStaff } }: { person: Row }) {
  const words = useVisit().words.staffPages;
  if (!isStaff) {
    return (
      <ActionButton
        action="give-staff"
        label={words.giveStaff}
        confirm={words.giveStaffConfirm}
        fields={{ email: String(email) }}
      />
    );
  }
  if (isSelf(id)) return <p>{words.ownStaff}</p>;
  return <ActionButton inRow action="take-staff" label={words.takeStaff} danger />;
}

/** Shows the link of somebody without a password, to be passed on. */
function madeStaff(made: Row): View {
  return made["link"] === null ? backWith("staff.add") : linkShown(made);
}

/** The person of the address, which may have their e-mail address in place of the id. */
async function anotherPerson(): Promise<string> {
  const person = await useSite().people.account(addressed());
  if (person === undefined) throw notFound("person");
  if (isSelf(person.id)) throw pageError("conflict", useVisit().words.staffPages.ownStaff);
  return person.id;
}

async function mailLink(): Promise<View> {
  const visit = useVisit();
  const context = useSite();
  const person = await context.people.account(addressed());
  if (person === undefined) throw notFound("person");
  if (!context.mails.canSend) throw notFound("mailServer");
  const { email } = person;
  const change = { by: currentActor(), action: "person.password-mail", id: email } as const;
  const token = await context.people.passwordLink({ email, isTrusted: true, change });
  if (token !== null) await context.mails.queue(passwordMail(visit, email, token));
  return redirect(`/staff/people/${person.id}/?done=mailed`);
}
