import { LANGUAGE_COOKIE, LANGUAGES, type Language, languageOf } from "../../../values/language.ts";
import { asset, PROSE_POLICY, type PublicRoutes, pageResponse } from "../public-routes.ts";
import type { BaseAddress } from "../requests/base-address.ts";
import { readQuery } from "../requests/query.ts";
import { framedPage } from "./frame.ts";
import styles from "./guide.css" with { type: "file" };
import type { Guide } from "./guide.ts";
import { guideHtml, WRITTEN_ADDRESS } from "./guide-html.ts";

const HEAD = `<link rel="stylesheet" href="../../account/assets/site.css">
<link rel="stylesheet" href="../guide.css">`;

/** `/docs/<name>/`: the guides, in the reader's language where there is a text in it, and their pictures. */
export function guideRoutes(
  guides: readonly Guide[],
  brand: string,
  baseAddress: BaseAddress,
): PublicRoutes {
  const pages = guides.map((guide) => {
    const languages = LANGUAGES.filter((language) => guide.texts[language] !== undefined);
    // HTML by language and query, made when somebody first asks.
    const made = new Map<string, string>();
    const show = (request: Request): Response => {
      const asked = LANGUAGES.find((language) => language === readQuery(request.url)["lang"]);
      const wanted = asked ?? readersLanguage(request);
      const language = languages.includes(wanted) ? wanted : "en";
      const query = asked === undefined ? "" : `?lang=${asked}`;
      const key = language + query;
      const html = made.get(key) ?? pageOf(guide, language, query, guides, languages, brand);
      made.set(key, html);
      const own = Bun.escapeHTML(baseAddress(request));
      const response = pageResponse(html.replaceAll(WRITTEN_ADDRESS, own), PROSE_POLICY);
      // Not for shared caches: the page may have the address that this request named.
      response.headers.set("cache-control", "private, max-age=300");
      response.headers.set("vary", "accept-language, cookie");
      return response;
    };
    return [`/docs/${guide.name}/`, show] as const;
  });
  const pictures = guides.flatMap(({ pictures = {} }) => Object.entries(pictures));
  return {
    ...Object.fromEntries(pages),
    ...Object.fromEntries(
      pictures.map(([name, path]) => [
        `/docs/pictures/${name}`,
        () => asset(Bun.file(path), "image/svg+xml"),
      ]),
    ),
    "/docs/guide.css": () => asset(Bun.file(styles), "text/css; charset=utf-8"),
  };
}

function pageOf(
  guide: Guide,
  language: Language,
  query: string,
  guides: readonly Guide[],
  languages: readonly Language[],
  brand: string,
): string {
  const { title, body } = guideHtml(guide.texts[language] ?? guide.texts.en, language);
  return framedPage({
    brand,
    title,
    language,
    root: "../../",
    guides,
    current: `${guide.name}/`,
    languages,
    query,
    head: HEAD,
    body,
  });
}

/** The choice made on the account site, else the browser's. */
export function readersLanguage({ headers }: Request): Language {
  const chosen = new Bun.CookieMap(headers.get("cookie") ?? "").get(LANGUAGE_COOKIE);
  return languageOf(chosen ?? undefined, headers.get("accept-language"));
}
