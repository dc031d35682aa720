/** @jsxImportSource hono/jsx */
import type { PersonAccount } from "../../../../../customers/people/people.ts";
import { notFound } from "../../../../../errors.ts";
import { pageError } from "../../../forms/faults.ts";
import { ActionButton, RowFaults } from "../../../look/action-button.tsx";
import { DataTable } from "../../../look/data-table.tsx";
import { shownNumber } from "../../../look/shown.tsx";
import { Facts, NamedLink } from "../../../look/user-text.tsx";
import { passwordMail } from "../../../mail-texts.ts";
import type { SitePage } from "../../../site-pages.ts";
import { currentActor } from "../../../visit/viewer.ts";
import { redirect, useSite, useVisit, type View } from "../../../visit/visit.ts";
import { consolePage, FindForm, paged, searched } from "../console.tsx";
import { linkView, Memberships } from "./seen.tsx";

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

/** `/staff/people/<number>/`: makes somebody staff, creates a password link, ends their sessions. */
export const personPage: SitePage = {
  path: "/staff/people/:id/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const person = await personOf();
    return consolePage(
      person.email,
      <>
        <RowFaults actions={["take-staff"]} />
        <Facts
          facts={[
            [visit.words.name, <bdi>{person.name}</bdi>],
            [words.inOrganizations, <Memberships email={person.email} />],
            [words.staffMark, person.isStaff ? words.yes : words.no],
            [words.passwordSet, person.hasPassword ? words.yes : words.no],
            [words.sessions, shownNumber(person.sessions)],
          ]}
        />
        <h2>{words.actions}</h2>
        <div class="row">
          <ActionButton action="make-link" label={words.makeLink} />
          {context.mails.canSend && <ActionButton action="mail-link" label={words.mailLink} />}
          <ActionButton action="end-sessions" label={words.endSessions} />
        </div>
        <StaffMark person={person} />
      </>,
    );
  },
  actions: {
    "give-staff": () => markStaff(true),
    "take-staff": () => markStaff(false),
    "make-link": makeLink,
    "mail-link": mailLink,
    "end-sessions": endSessions,
  },
};

function StaffMark({ person }: { person: PersonAccount }) {
  const words = useVisit().words.staffPages;
  if (!person.isStaff) {
    return (
      <ActionButton action="give-staff" label={words.giveStaff} confirm={words.giveStaffConfirm} />
    );
  }
  if (isSelf(person)) return <p>{words.ownStaff}</p>;
  return <ActionButton inRow action="take-staff" label={words.takeStaff} danger />;
}

async function markStaff(isStaff: boolean): Promise<View> {
  const context = useSite();
  const words = useVisit().words.staffPages;
  const person = await personOf();
  if (!isStaff && isSelf(person)) throw pageError("conflict", words.ownStaff);
  const people = await context.people.people();
  const others = people.filter((one) => one.isStaff && one.id !== person.id);
  if (!isStaff && others.length === 0) throw pageError("conflict", words.lastStaff);
  if (isStaff) await context.people.removeUnverifiedPassword(person.email);
  await context.people.markStaff({ email: person.email, isStaff, by: currentActor() });
  return done(person, isStaff ? "staff-given" : "staff-taken");
}

async function makeLink(): Promise<View> {
  const person = await personOf();
  const token = await linkOf(person, "person.password-link");
  return linkView(person.email, token, `/staff/people/${person.id}/`);
}

async function mailLink(): Promise<View> {
  const visit = useVisit();
  const context = useSite();
  const person = await personOf();
  if (!context.mails.canSend) throw notFound("mailServer");
  const token = await linkOf(person, "person.password-mail");
  await context.mails.queue(passwordMail(visit, person.email, token));
  return done(person, "mailed");
}

async function endSessions(): Promise<View> {
  const context = useSite();
  const person = await personOf();
  await context.people.endSessions(person.email, currentActor());
  return done(person, "sessions-ended");
}

async function linkOf(
  { email }: PersonAccount,
  action: "person.password-link" | "person.password-mail",
): Promise<string> {
  const { people } = useSite();
  const change = { by: currentActor(), action, id: email };
  const token = await people.passwordLink({ email, isTrusted: true, change });
  if (token === null) throw notFound("person", email);
  return token;
}

async function personOf(): Promise<PersonAccount> {
  const { params } = useVisit();
  const { people } = useSite();
  const found = (await people.people()).find(({ id }) => id === params["id"]);
  if (found === undefined) throw notFound("person");
  return found;
}

function isSelf({ id }: PersonAccount): boolean {
  const { signedIn } = useVisit();
  return signedIn?.person.id === id;
}

function done({ id }: PersonAccount, what: string): View {
  return redirect(`/staff/people/${id}/?done=${what}`);
}
