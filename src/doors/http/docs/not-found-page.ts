import { WORDS } from "../../../words/words.ts";
import { PROSE_POLICY, pageResponse } from "../public-routes.ts";
import { pathOf } from "../requests/base-address.ts";
import { type Docs, framedPage, PROSE_STYLES } from "./frame.ts";
import { readersLanguage } from "./readers-language.ts";

/**
 * Deepest path to get a page: its links go up as many folders as the path has. Deeper ones get the answer
 * for programs.
 */
const DEPTH_MAX = 4;

/** Page for an unknown address, such as a mistyped guide; null unless a browser is asking. */
export function notFoundPage(request: Request, docs: Docs): Response | null {
  const path = pathOf(request);
  const depth = path.split("/").length - 2;
  const isPage = request.method === "GET" && !path.startsWith("/v1/") && depth <= DEPTH_MAX;
  const accept = request.headers.get("accept") ?? "";
  if (!isPage || !/\btext\/html\b/.test(accept)) return null;
  const { language } = readersLanguage(request);
  const words = WORDS[language].docsPages;
  const root = "../".repeat(depth) || "./";
  const html = framedPage({
    ...docs,
    title: words.notFound,
    language,
    languages: [language],
    query: "",
    root,
    current: null,
    styles: PROSE_STYLES,
    body: `<h1>${words.notFound}</h1>
<p>${words.notFoundText} <a href="${root}">${words.firstPage}</a></p>`,
  });
  const { headers } = pageResponse(html, PROSE_POLICY);
  headers.set("cache-control", "no-store");
  return new Response(html, { status: 404, headers });
}
