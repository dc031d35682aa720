import { LANGUAGES } from "../../../values/messages/messages.ts";
import { WORDS } from "../../../words/words.ts";
import { asset, PROSE_POLICY, type PublicRoutes, pageResponse } from "../public-routes.ts";
import type { BaseAddress } from "../requests/base-address.ts";
import { type Docs, framedPage, PROSE_STYLES } from "./frame.ts";
import styles from "./guide.css" with { type: "file" };
import { type Guide, guidePath } from "./guide.ts";
import { guideHtml, WRITTEN_ADDRESS } from "./guide-html.ts";
import { cachedByReader, readersLanguage } from "./readers-language.ts";

/** The guides, in the reader's language if available, and their pictures. */
export function guideRoutes(docs: Docs, baseAddress: BaseAddress): PublicRoutes {
  const pages = docs.guides.map((guide) => [
    `/${guidePath(guide)}`,
    guidePage(guide, docs, baseAddress),
  ]);
  const pictures = docs.guides.flatMap(({ pictures = {} }) => Object.entries(pictures));
  return {
    ...Object.fromEntries(pages),
    "/staff/guides/": guideList(docs),
    ...Object.fromEntries(
      pictures.map(([name, path]) => [
        `/docs/pictures/${name}`,
        asset(Bun.file(path), "image/svg+xml"),
      ]),
    ),
    "/docs/guide.css": asset(Bun.file(styles), "text/css; charset=utf-8"),
  };
}

/** The operator's guides, each with its first paragraph. */
function guideList(docs: Docs) {
  const guides = docs.guides.filter((guide) => guidePath(guide).startsWith("staff/"));
  const items = guides.map(({ name, texts }) => {
    const { title, body } = guideHtml(texts.en, "en");
    const [first = ""] = /<p>[\s\S]*?<\/p>/.exec(body) ?? [];
    return `<h2><a href="${name}/">${title}</a></h2>\n${first.replace(/<\/?a\b[^>]*>/g, "")}`;
  });
  return (request: Request): Response => {
    const { language, query } = readersLanguage(request);
    const title = WORDS[language].docsPages.operatorGuides;
    const body = `<h1>${title}</h1>\n<div lang="en">${items.join("\n")}</div>`;
    const common = { ...docs, title, language, query, body, languages: LANGUAGES };
    const page = framedPage({
      ...common,
      root: "../../",
      current: "staff/guides/",
      styles: PROSE_STYLES,
    });
    return cachedByReader(pageResponse(page, PROSE_POLICY), 300);
  };
}

function guidePage(guide: Guide, docs: Docs, baseAddress: BaseAddress) {
  const languages = LANGUAGES.filter((language) => guide.texts[language] !== undefined);
  // HTML by language and query, rendered on first request.
  const pagesByKey = new Map<string, string>();
  return (request: Request): Response => {
    const { language: wanted, query } = readersLanguage(request);
    const language = languages.includes(wanted) ? wanted : "en";
    const key = language + query;
    let html = pagesByKey.get(key);
    if (html === undefined) {
      const path = guidePath(guide);
      const root = "../".repeat(path.split("/").length - 1);
      const pathTo = (name: string) => {
        const other = docs.guides.find((one) => one.name === name);
        return other && root + guidePath(other);
      };
      const text = guide.texts[language] ?? guide.texts.en;
      const { title, body } = guideHtml(text, language, root, pathTo);
      html = framedPage({
        ...docs,
        title,
        language,
        languages,
        query,
        body,
        root,
        current: path,
        styles: PROSE_STYLES,
      });
      pagesByKey.set(key, html);
    }
    const own = Bun.escapeHTML(baseAddress(request));
    const page = pageResponse(html.replaceAll(WRITTEN_ADDRESS, own), PROSE_POLICY);
    return cachedByReader(page, 300);
  };
}
