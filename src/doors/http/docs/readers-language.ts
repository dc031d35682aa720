import type { Language } from "../../../values/messages/messages.ts";
import { LANGUAGE_COOKIE, LANGUAGES, languageOf } from "../../../values/messages/messages.ts";
import { readQuery } from "../requests/base-address.ts";

/** The reader's language, and the query that keeps it if the address names it. */
export function readersLanguage({ url, headers }: Request): { language: Language; query: string } {
  const named = LANGUAGES.find((language) => language === readQuery(url)["lang"]);
  if (named !== undefined) return { language: named, query: `?lang=${named}` };
  // The language chosen on the account site, or else the browser's.
  const chosen = new Bun.CookieMap(headers.get("cookie") ?? "").get(LANGUAGE_COOKIE);
  return { language: languageOf(chosen ?? undefined, headers.get("accept-language")), query: "" };
}

/**
 * Keeps a page out of shared caches: it depends on the reader's language, and may contain the address that this
 * request named.
 */
export function cachedByReader(response: Response, maxAgeS: number): Response {
  response.headers.set("cache-control", `private, max-age=${maxAgeS}`);
  response.headers.set("vary", "accept-language, cookie");
  return response;
}
