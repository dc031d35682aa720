/** @jsxImportSource hono/jsx */
import { LANGUAGE_COOKIE, LANGUAGES } from "../../../../values/messages/messages.ts";
import { requireTurn } from "../../guard/throttle.ts";
import { NewPasswordField } from "../../look/action-button.tsx";
import { Form, TextField } from "../../look/form.tsx";
import { Done, Facts } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import type { View } from "../../visit/visit.ts";
import { ownPath, page, redirect, siteCookie, useSite, useVisit } from "../../visit/visit.ts";

/** `/account/profile/`: who is signed in, and their password. */
export const profilePage: SitePage = {
  path: "/account/profile/",
  access: "person",
  async show(visit) {
    const { words, signedIn } = visit;
    const field = { type: "password" };
    return page(
      words.profile,
      <>
        <Done words={{ password: words.passwordChanged }} />
        {(await closedPlaces()).map((sentence) => (
          <p class="notice">{sentence}</p>
        ))}
        <Facts
          facts={[
            [words.name, signedIn?.person.name ?? ""],
            [words.email, signedIn?.person.email ?? ""],
          ]}
        />
        <h2>{words.changePassword}</h2>
        <Form action="change-password" submit={words.save}>
          <TextField
            {...field}
            name="password"
            label={words.presentPassword}
            autocomplete="current-password"
          />
          <NewPasswordField {...field} name="newPassword" />
        </Form>
      </>,
    );
  },
  actions: { "change-password": changePassword },
};

/** Why organizations that somebody belongs to are closed to them. */
async function closedPlaces(): Promise<string[]> {
  const { words, signedIn } = useVisit();
  const { accounts } = useSite();
  if (signedIn === null) return [];
  const { email, isVerified } = signedIn.person;
  const places = await accounts.allMembershipsOf(email);
  if (places.length === 0) return [words.noOrganization];
  const memberships = await accounts.membershipsOf(email, isVerified);
  const open = memberships.map(({ organization }) => organization.id);
  return places
    .filter(({ organization }) => !open.includes(organization.id))
    .map(({ member, organization: { name, archivedAt } }) => {
      if (archivedAt !== null) return words.archivedPlace(name);
      return member.suspendedAt === null ? words.unverifiedIn(name) : words.suspendedIn(name);
    });
}

async function changePassword(): Promise<View> {
  const { people } = useSite();
  const { form, request, signedIn, network } = useVisit();
  // Throttled, so that nobody can guess the password in a session left open.
  requireTurn([`present password ${signedIn?.person.id}`]);
  const { setCookies } = await people.changePassword({
    network,
    cookie: request.headers.get("cookie") ?? "",
    email: signedIn?.person.email ?? "",
    password: form.get("password"),
    newPassword: form.get("newPassword"),
  });
  return redirect("/account/profile/?done=password", setCookies);
}

/** `/account/language/`: where every page's form chooses the language, of mails too. */
export const languagePage: SitePage = {
  path: "/account/language/",
  access: "anybody",
  show: () => redirect("/account/"),
  actions: { "choose-language": chooseLanguage },
};

async function chooseLanguage(): Promise<View> {
  const { people } = useSite();
  const { form, signedIn } = useVisit();
  const chosen = LANGUAGES.find((language) => language === form.get("to"));
  if (chosen !== undefined && signedIn !== null) {
    // Pages can change their language while the database takes no changes.
    const noted = people.noteLanguage({ email: signedIn.person.email, language: chosen });
    await noted.catch(() => {});
  }
  const cookies = chosen === undefined ? [] : [siteCookie(LANGUAGE_COOKIE, chosen)];
  return redirect(ownPath(form.get("back")), cookies);
}
