import { notFound } from "../../../../errors.ts";
import { madeOnce } from "../../../../values/kept-briefly.ts";
import { LANGUAGES, type Language } from "../../../../values/messages/messages.ts";
import { WORDS } from "../../../../words/words.ts";
import { asset, type PublicRoute, type PublicRoutes, pageResponse } from "../../public-routes.ts";
import type { BaseAddress } from "../../requests/base-address.ts";
import { type Docs, framedPage } from "../frame.ts";
import { guideHtml, WRITTEN_ADDRESS } from "../guide-html.ts";
import introductionEn from "../introduction.md" with { type: "text" };
import introductionRu from "../introduction.ru.md" with { type: "text" };
import { cachedByReader, readersLanguage } from "../readers-language.ts";
import styles from "./reference.css" with { type: "file" };
import type { ApiDocument, Operation } from "./reference-fields.ts";
import { fieldsOf, methodsOf, typeText } from "./reference-fields.ts";
import texts from "./texts.ru.json" with { type: "json" };
import titles from "./titles.ru.json" with { type: "json" };
// @ts-expect-error a script of the page, which is only served
import script from "./try-method.js" with { type: "file" };

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'";

/**
 * `/docs/` and a page for each method: its words, its fields, a request in three languages with its answer, and a
 * form that sends it. Made from the OpenAPI document, whole on the server.
 * @param openApi text of the OpenAPI document
 */
export function referenceRoutes(
  docs: Docs,
  baseAddress: BaseAddress,
  openApi: () => Promise<string>,
): PublicRoutes {
  const methods = madeOnce(async () => methodsOf(JSON.parse(await openApi()) as ApiDocument));
  const pages = new Map<string, string>();
  const route =
    (root: string, render: (all: Operation[], reader: Reader, name: string) => Page): PublicRoute =>
    async (request, name) => {
      const reader = readersLanguage(request);
      const key = `${name} ${reader.language} ${reader.query}`;
      const page = pages.get(key) ?? framed(render(await methods(), reader, name), reader, root);
      pages.set(key, page);
      const own = Bun.escapeHTML(baseAddress(request));
      return cachedByReader(pageResponse(page.replaceAll(WRITTEN_ADDRESS, own), POLICY), 300);
    };
  const framed = ({ title, body }: Page, { language, query }: Reader, root: string): string =>
    framedPage({
      ...docs,
      ...{ title, language, query, root, body, languages: LANGUAGES, current: "docs/" },
      styles: ["account/assets/site.css", "docs/guide.css", "docs/reference.css"],
    });
  return {
    "/docs/": route("../", overview),
    "/docs/methods/:name/": route("../../../", (all, reader, name) => {
      const method = all.find(({ operationId }) => operationId === name);
      if (method === undefined) throw notFound("address");
      return methodPage(all, method, reader);
    }),
    "/docs/reference.css": asset(Bun.file(styles), "text/css; charset=utf-8"),
    "/docs/try-method.js": asset(Bun.file(script), "text/javascript"),
  };
}

type Reader = ReturnType<typeof readersLanguage>;
interface Page {
  title: string;
  body: string;
}

const INTRODUCTIONS: Readonly<Record<Language, string>> = {
  en: introductionEn,
  ru: introductionRu,
};

const html = (text: string): string => Bun.escapeHTML(text);
/** A text of the document, which is trusted Markdown. */
const prose = (text: string): string => Bun.markdown.html(text);
const inline = (text: string): string => prose(text).replace(/^<p>|<\/p>\s*$/g, "");

function titleOf({ operationId, summary }: Operation, language: Language): string {
  return language === "ru" ? (TITLES[operationId]?.[0] ?? summary) : summary;
}

/** Title and description of each method. */
const TITLES: Readonly<Record<string, readonly string[]>> = titles;
/** All other texts of the document, each without its example and the offset of times. */
const TEXTS: Readonly<Record<string, string>> = texts;

const EXAMPLE = /Example:(?= `[^`]*`\.$)/;
const OFFSET = "; ISO 8601 with the Moscow offset";

/** A text of the document in the reader's language. */
export function inLanguage(text: string, language: Language): string {
  if (language === "en") return text;
  const [main = "", example] = text.split(EXAMPLE);
  const isTime = main.endsWith(OFFSET);
  const plain = isTime ? main.slice(0, -OFFSET.length) : main.trim();
  return [
    TEXTS[plain] ?? plain,
    isTime ? TEXTS[OFFSET] : "",
    example === undefined ? "" : ` ${TEXTS["Example:"]}${example}`,
  ].join("");
}

/** A method's description; its last paragraph is the price. */
function descriptionOf({ operationId, description }: Operation, language: Language): string {
  if (language === "en") return prose(description);
  const price = description.split("\n\n").at(-1) ?? "";
  return prose(`${TITLES[operationId]?.[1] ?? ""}\n\n${inLanguage(price, language)}`);
}

function overview(all: Operation[], { language, query }: Reader): Page {
  const words = WORDS[language].docsPages;
  const groups = [...new Set(all.map(({ tag }) => tag))].map((tag) => {
    const rows = all
      .filter((one) => one.tag === tag)
      .map(
        (one) =>
          `<tr><td>${linkTo(one, language, `methods/`, query)}</td><td>${callOf(one)}</td></tr>`,
      );
    return `<h2>${html(words.tags[tag as keyof typeof words.tags])}</h2>
<section class="scroll" role="group" tabindex="0" aria-label="${words.table}"><table class="data"><tbody>${rows.join("")}</tbody></table></section>`;
  });
  return {
    title: words.methods,
    body: `<div class="reference">${menu(all, language, "methods/", query, null)}<article>
<h1>${html(words.methods)}</h1>
<p>${words.referenceIntro} <a href="json">OpenAPI</a>, <a href="swagger/">Swagger UI</a>.</p>
${groups.join("\n")}
<section>${guideHtml(INTRODUCTIONS[language], language).body.replace(/<nav[\s\S]*?<\/nav>/, "")}</section>
</article></div><script src="try-method.js"></script>`,
  };
}

function linkTo(one: Operation, language: Language, up: string, query: string): string {
  return `<a href="${up}${one.operationId}/${query}">${html(titleOf(one, language))}</a>`;
}

const callOf = ({ verb, path }: Operation): string =>
  `<span class="verb ${verb}">${verb.toUpperCase()}</span> <code>${html(path)}</code>`;

/** All methods, which the script filters by what is typed. */
function menu(
  all: Operation[],
  language: Language,
  up: string,
  query: string,
  current: Operation | null,
): string {
  const words = WORDS[language].docsPages;
  const groups = [...new Set(all.map(({ tag }) => tag))].map((tag) => {
    const links = all
      .filter((one) => one.tag === tag)
      .map((one) => {
        const found = [one.summary, one.path, ...one.parameters.map(({ name }) => name)].join(" ");
        const mark = one === current ? ' aria-current="page"' : "";
        return `<li data-words="${html(`${found} ${titleOf(one, language)}`.toLowerCase())}"><a href="${up}${one.operationId}/${query}"${mark}>${html(titleOf(one, language))}</a></li>`;
      });
    return `<li><span>${html(words.tags[tag as keyof typeof words.tags])}</span><ul>${links.join("")}</ul></li>`;
  });
  return `<nav class="methods" aria-label="${words.methods}"><label><span class="hidden">${words.find}</span><input type="search" placeholder="${words.find}" hidden></label><ul>${groups.join("")}</ul></nav>`;
}

function methodPage(all: Operation[], method: Operation, { language, query }: Reader): Page {
  const words = WORDS[language].docsPages;
  const title = titleOf(method, language);
  const snippets = method.snippets.map(
    ({ label, source }, at) =>
      `<details name="snippet"${at === 0 ? " open" : ""}><summary>${label}</summary><pre tabindex="0"><code data-snippet>${html(source)}</code></pre></details>`,
  );
  const example =
    method.example === undefined
      ? ""
      : `<h2>${words.exampleAnswer}</h2><pre class="answer" tabindex="0"><code>${html(JSON.stringify(method.example, null, 2))}</code></pre>`;
  return {
    title,
    body: `<div class="reference">${menu(all, language, "../", query, method)}<article>
<p class="call">${callOf(method)}</p>
<h1>${html(title)}</h1>
${descriptionOf(method, language)}
${form(method, language)}
${answerFields(method, language)}
<h2>${words.errors}</h2>
<p>${method.errors.map((status) => `<code>${status}</code>`).join(" ")}. <a href="../../${query}#${words.errors.toLowerCase()}">${words.errorsAre}</a></p>
</article><aside><h2>${words.request}</h2>${snippets.join("")}${example}</aside></div><script src="../../try-method.js"></script>`,
  };
}

/** What may be given, each with a field; the script sends it. */
function form({ verb, path, parameters }: Operation, language: Language): string {
  const words = WORDS[language].docsPages;
  const rows = parameters.map(({ name, place, required, description, schema, example }) => {
    const value =
      example === undefined
        ? ""
        : html(typeof example === "string" ? example : JSON.stringify(example));
    const id = `field-${name}`;
    return `<div class="parameter"><label for="${id}"><code>${name}</code></label> <small>${html(typeText(schema))}${required ? ` · <strong>${words.required}</strong>` : ""}</small>
<div>${inline(inLanguage(description, language))}</div>
<input id="${id}" name="${name}" data-in="${place}" value="${required ? value : ""}" placeholder="${value}" autocomplete="off"></div>`;
  });
  return `<h2>${words.parameters}</h2>
<form class="try" data-verb="${verb.toUpperCase()}" data-path="${html(path)}" data-base="${WRITTEN_ADDRESS}">
${rows.length === 0 ? `<p>${words.noParameters}</p>` : rows.join("\n")}
<div class="parameter"><label for="key">${words.yourKey}</label>
<input id="key" type="password" autocomplete="off" placeholder="knl_…"><small>${words.keyStays}</small></div>
<p><button type="submit" disabled>${words.send}</button> <output></output></p>
<pre class="answer" hidden tabindex="0"></pre></form>`;
}

function answerFields(method: Operation, language: Language): string {
  const words = WORDS[language].docsPages;
  const fields = fieldsOf(method.answer);
  if (fields.length === 0) return "";
  const rows = fields.map(
    ({ name, type, description }) =>
      `<div class="parameter"><code>${html(name)}</code> <small>${html(type)}</small><br>${inline(inLanguage(description, language))}</div>`,
  );
  return `<h2>${words.answer}</h2>${rows.join("\n")}`;
}
