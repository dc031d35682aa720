/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { PersonAccount } from "../../../../../customers/people/people.ts";
import { ofPerson } from "../../../../../customers/people/person.ts";
import { notFound } from "../../../../../errors.ts";
import { pageError } from "../../../forms/faults.ts";
import { ActionButton } from "../../../look/action-button.tsx";
import { Facts } from "../../../look/facts.tsx";
import { RowFaults, withoutForm } from "../../../look/row-actions.tsx";
import { shownNumber } from "../../../look/shown.tsx";
import { passwordMail } from "../../../mail-texts.ts";
import type { SiteContext } from "../../../site-context.ts";
import type { SitePage } from "../../../site-pages.ts";
import { redirect, type View } from "../../../visit/view.ts";
import { actorOf } from "../../../visit/viewer.ts";
import type { Visit } from "../../../visit/visit.ts";
import { consolePage } from "../console.tsx";
import { linkView } from "./link-view.tsx";
import { Memberships } from "./memberships.tsx";

/** `/staff/people/<number>/`: makes somebody staff, creates a password link, ends their sessions. */
export const personPage: SitePage = {
  path: "/staff/people/:id/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const person = await personOf(visit, context);
    return consolePage(
      visit,
      person.email,
      <>
        <RowFaults visit={visit} actions={["take-staff"]} />
        <Facts
          facts={[
            [visit.words.name, <bdi>{person.name}</bdi>],
            [
              words.inOrganizations,
              <Memberships visit={visit} context={context} email={person.email} />,
            ],
            [words.staffMark, person.isStaff ? words.yes : words.no],
            [words.passwordSet, person.hasPassword ? words.yes : words.no],
            [words.sessions, shownNumber(visit, person.sessions)],
          ]}
        />
        <h2>{words.actions}</h2>
        <div class="row">
          <ActionButton visit={visit} action="make-link" label={words.makeLink} />
          {context.mails.canSend && (
            <ActionButton visit={visit} action="mail-link" label={words.mailLink} />
          )}
          <ActionButton visit={visit} action="end-sessions" label={words.endSessions} />
        </div>
        <StaffMark visit={visit} person={person} />
      </>,
    );
  },
  actions: {
    "give-staff": (visit, context) => markStaff(visit, context, true),
    "take-staff": (visit, context) => markStaff(visit, context, false),
    "make-link": makeLink,
    "mail-link": mailLink,
    "end-sessions": endSessions,
  },
};

function StaffMark({ visit, person }: { visit: Visit; person: PersonAccount }): JSX.Element {
  const words = visit.words.staffPages;
  if (!person.isStaff) {
    return (
      <ActionButton
        visit={visit}
        action="give-staff"
        label={words.giveStaff}
        confirm={words.giveStaffConfirm}
      />
    );
  }
  if (isSelf(visit, person)) return <p>{words.ownStaff}</p>;
  return (
    <ActionButton visit={withoutForm(visit)} action="take-staff" label={words.takeStaff} danger />
  );
}

async function markStaff(visit: Visit, context: SiteContext, isStaff: boolean): Promise<View> {
  const words = visit.words.staffPages;
  const person = await personOf(visit, context);
  if (!isStaff && isSelf(visit, person)) throw pageError("conflict", words.ownStaff);
  const people = await context.people.people();
  const others = people.filter((one) => one.isStaff && one.id !== person.id);
  if (!isStaff && others.length === 0) throw pageError("conflict", words.lastStaff);
  if (isStaff) await context.people.removeUnverifiedPassword(person.email);
  await context.people.markStaff({ email: person.email, isStaff, by: actorOf(visit) });
  return done(person, isStaff ? "staff-given" : "staff-taken");
}

async function makeLink(visit: Visit, context: SiteContext): Promise<View> {
  const person = await personOf(visit, context);
  const token = await linkOf(visit, context, person, "person.password-link");
  return linkView(visit, person.email, token, `/staff/people/${person.id}/`);
}

async function mailLink(visit: Visit, context: SiteContext): Promise<View> {
  const person = await personOf(visit, context);
  if (!context.mails.canSend) throw notFound("mailServer");
  const token = await linkOf(visit, context, person, "person.password-mail");
  await context.mails.queue(passwordMail(visit.baseAddress, person.email, token));
  return done(person, "mailed");
}

async function endSessions(visit: Visit, context: SiteContext): Promise<View> {
  const person = await personOf(visit, context);
  await context.people.endSessions(person.email, actorOf(visit));
  return done(person, "sessions-ended");
}

async function linkOf(
  visit: Visit,
  { people }: SiteContext,
  { email }: PersonAccount,
  action: "person.password-link" | "person.password-mail",
): Promise<string> {
  const change = { by: actorOf(visit), ...ofPerson(action, email) };
  const token = await people.passwordLink({ email, isTrusted: true, change });
  if (token === null) throw notFound("person", email);
  return token;
}

async function personOf({ params }: Visit, { people }: SiteContext): Promise<PersonAccount> {
  const found = (await people.people()).find(({ id }) => id === params["id"]);
  if (found === undefined) throw notFound("person");
  return found;
}

function isSelf({ signedIn }: Visit, { id }: PersonAccount): boolean {
  return signedIn?.person.id === id;
}

function done({ id }: PersonAccount, what: string): View {
  return redirect(`/staff/people/${id}/?done=${what}`);
}
