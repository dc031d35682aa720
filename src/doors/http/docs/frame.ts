import type { Language } from "../../../values/messages/messages.ts";
import { WORDS } from "../../../words/words.ts";
import { type Guide, guidePath } from "./guide.ts";

/** Contents that all pages of the documentation share. */
export interface Docs {
  /** The operator's name for the appliance. */
  brand: string;
  guides: readonly Guide[];
}

/** A page in the common frame of the documentation: the site's look, and a bar with all guides. */
interface FramedPage extends Docs {
  /** Precedes that name in the title; empty for the name alone. */
  title: string;
  language: Language;
  /** Relative path from the page to the appliance's root, such as `../../`. */
  root: string;
  /** The page's own path from the root, highlighted in the bar; null if it is not in the bar. */
  current: string | null;
  /** Languages in which the page is available. */
  languages: readonly Language[];
  /** Query that keeps the reader's language on links to other guides, such as `?lang=ru`. */
  query: string;
  /** Paths of further styles, beside the frame's own, from the appliance's root. */
  styles: readonly string[];
  /** HTML. */
  body: string;
}

/** Styles of a page of text. */
export const PROSE_STYLES = ["account/assets/site.css", "docs/guide.css"];

export function framedPage(page: FramedPage): string {
  const { language, root, body } = page;
  const { skipToContent, documentation, docsPages: words } = WORDS[language];
  const brand = Bun.escapeHTML(page.brand);
  const title = page.title === "" ? brand : `${page.title} · ${brand}`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${root}account/assets/mark">
${["account/assets/frame.css", ...page.styles].map((path) => `<link rel="stylesheet" href="${root}${path}">`).join("\n")}
</head>
<body class="docs">
<a class="skip" href="#content">${skipToContent}</a>
<header>
<a class="brand" href="${root}"><span>${brand}</span></a>
<div class="own">${languageLinks(page)}<a href="${root}account/">${words.account}</a></div>
<nav aria-label="${documentation}">
<ul>
${barLinks(page).join("\n")}
</ul>
</nav>
</header>
<main id="content">
${body}
</main>
</body>
</html>
`;
}

function languageLinks({ language, languages }: FramedPage): string {
  return languages
    .filter((one) => one !== language)
    .map(
      (one) =>
        `<a href="?lang=${one}" lang="${one}" hreflang="${one}">${WORDS[one].languageName}</a>`,
    )
    .join("");
}

/** Customers find their guides in the bar, the operator's pages the operator's. */
function barLinks({ language, root, guides, current, query }: FramedPage): string[] {
  const words = WORDS[language].docsPages;
  const isStaffs = current?.startsWith("staff/") ?? false;
  const link = (path: string, label: string, own: string): string => {
    const mark = path === current ? ' aria-current="page"' : "";
    return `<li><a href="${root}${path}${own}"${mark}>${label}</a></li>`;
  };
  return [
    link("docs/", words.methods, ""),
    ...guides.flatMap((guide) => {
      const path = guidePath(guide);
      if (path.startsWith("staff/") !== isStaffs) return [];
      return link(path, words.guides[guide.name], query);
    }),
  ];
}
