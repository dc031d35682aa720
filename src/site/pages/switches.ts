import { LANGUAGE_COOKIE, ORGANIZATION_COOKIE, siteCookie } from "../site-cookies.ts";
import type { SitePage } from "../site-pages.ts";
import { ownPath, redirect } from "../view.ts";
import { LANGUAGES } from "../words/words.ts";

/** `/account/language/?to=ru`: the language from now on. */
export const languagePage: SitePage = {
  path: "/account/language/",
  access: "anybody",
  show({ query }) {
    const chosen = LANGUAGES.find((language) => language === query.get("to"));
    const cookies = chosen === undefined ? [] : [siteCookie(LANGUAGE_COOKIE, chosen)];
    return redirect(ownPath(query.get("back") ?? ""), cookies);
  },
};

/** `/account/organization/?id=2`: whose pages are shown from now on. */
export const organizationPage: SitePage = {
  path: "/account/organization/",
  access: "person",
  show({ query, memberships }) {
    const chosen = memberships.find(
      ({ organization }) => String(organization.id) === query.get("id"),
    );
    const cookies =
      chosen === undefined ? [] : [siteCookie(ORGANIZATION_COOKIE, String(chosen.organization.id))];
    return redirect("/account/", cookies);
  },
};
