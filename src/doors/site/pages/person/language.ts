import { LANGUAGE_COOKIE, LANGUAGES } from "../../../../values/messages/messages.ts";
import type { SitePage } from "../../site-pages.ts";
import { ownPath, redirect, siteCookie } from "../../visit/view.ts";

/** `/account/language/?to=ru`: sets the language. */
export const languagePage: SitePage = {
  path: "/account/language/",
  access: "anybody",
  show({ query }) {
    const chosen = LANGUAGES.find((language) => language === query.get("to"));
    const cookies = chosen === undefined ? [] : [siteCookie(LANGUAGE_COOKIE, chosen)];
    return redirect(ownPath(query.get("back") ?? ""), cookies);
  },
};
