import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { guides } from "../../src/app/guides.ts";
import { guidePath } from "../../src/doors/http/docs/guide.ts";
import { guideHtml, WRITTEN_ADDRESS } from "../../src/doors/http/docs/guide-html.ts";
import { apiMethods } from "../../src/verbs/methods/table.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import {
  type Document,
  guideDocuments,
  linksOf,
  ROOT,
  readDocument,
} from "../support/documents.ts";
import { englishIn } from "../support/russian.ts";

/** Tests the guides, both as files and as the pages that the appliance serves. */
let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

/** The only other hosts that our texts link to; they are not contacted here. */
const OTHER_HOSTS = ["business.max.ru", "nodejs.org", "bun.sh", "www.npmjs.com", "pypi.org"];
const ORIGIN = "http://localhost";

const pages = [
  "/",
  "/docs/",
  ...guides.flatMap((guide) =>
    Object.keys(guide.texts).map((language) => `/${guidePath(guide)}?lang=${language}`),
  ),
];
const loaded = new Map<string, Promise<{ status: number; body: unknown }>>();
/** Requests each address once. */
function load(path: string) {
  const page = loaded.get(path) ?? appliance.request(path);
  loaded.set(path, page);
  return page;
}

const titleOf = ({ title }: { title: string }) => title;
const anchorsIn = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);

/** What is wrong with an address; null if nothing is. */
async function faultOf(address: URL): Promise<string | null> {
  if (address.origin !== ORIGIN) return OTHER_HOSTS.includes(address.host) ? null : "leads away";
  const { status, body } = await load(address.pathname + address.search);
  // Pages of the account site ask a stranger to sign in.
  if (status !== 200 && status !== 303) return String(status);
  const anchor = decodeURIComponent(address.hash.slice(1));
  return anchor === "" || anchorsIn(String(body)).includes(anchor) ? null : "no such anchor";
}

async function faultOfLink(from: Document, link: string): Promise<string | null> {
  if (/^https?:/.test(link)) return faultOf(new URL(link.replace(WRITTEN_ADDRESS, ORIGIN)));
  const [path = "", anchor] = link.split("#");
  const file = join(dirname(from.path), path);
  if (!existsSync(join(ROOT, file))) return "no such file";
  if (anchor === undefined) return null;
  const { body } = guideHtml(readDocument(file).text, "en");
  return anchorsIn(body).includes(anchor) ? null : "no such anchor";
}

test("every link of README, CONTRIBUTING and the guides' files leads somewhere", async () => {
  const documents = [
    ...["README.md", ".github/CONTRIBUTING.md"].map(readDocument),
    ...guideDocuments,
  ];
  expect(documents).toHaveLength(2 + guides.flatMap(({ texts }) => Object.keys(texts)).length);
  const links = documents.flatMap((one) => linksOf(one).map((link) => ({ one, link })));
  expect(links.length).toBeGreaterThan(40);
  for (const { one, link } of links) {
    expect(await faultOfLink(one, link), `${one.path}: ${link}`).toBeNull();
  }
});

test("every link of the served pages leads somewhere, and nothing is loaded from other hosts", async () => {
  for (const page of pages) {
    const html = String((await load(page)).body);
    const links = [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link = ""]) => link);
    expect(links.length, page).toBeGreaterThan(8);
    for (const link of links) {
      expect(await faultOf(new URL(link, ORIGIN + page)), `${page}: ${link}`).toBeNull();
    }
    expect(html, page).not.toMatch(
      /<(?:link rel="(?:icon|stylesheet)"|script|img)[^>]*(?:href|src)="[^"]*\/\//,
    );
  }
});

test("pictures of guides are served SVG drawings with descriptions, and small altogether", async () => {
  const names = guides.flatMap(({ pictures = {} }) => Object.keys(pictures));
  expect(names.length).toBeGreaterThan(3);
  let bytes = 0;
  for (const name of names) {
    const { status, body, headers } = await appliance.request(`/docs/pictures/${name}`);
    expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect(String(body)).not.toMatch(/<script|\son\w+=|href=|style=|url\(/i);
    bytes += Buffer.byteLength(String(body));
    // The guide of sources is in English.
    if (name.endsWith(".ru.svg")) continue;
    const html = String((await load("/staff/guides/sources/?lang=en")).body);
    expect(html).toMatch(new RegExp(`<img src="../../../docs/pictures/${name}" alt="[^"]{20,}"`));
  }
  expect(bytes).toBeLessThan(200_000);
});

test("the operator's guides have a list, with what each is about", async () => {
  const html = String((await load("/staff/guides/?lang=en")).body);
  for (const guide of guides) {
    const isStaffs = guidePath(guide).startsWith("staff/");
    expect(html.includes(`<h2><a href="${guide.name}/">`), guide.name).toBe(isStaffs);
  }
  expect(html.match(/<\/h2>\n<p>/g)?.length).toBe(html.match(/<h2>/g)?.length);
});

test("a bar on each guide leads to all of its readers, customers or the operator, and marks the current one", async () => {
  for (const page of pages.filter((one) => one !== "/")) {
    const html = String((await load(page)).body);
    const [, bar = ""] = /<nav aria-label="[^"]*">([\s\S]*?)<\/nav>/.exec(html) ?? [];
    const to = [...bar.matchAll(/<a href="([^"]+)"( aria-current="page")?/g)];
    const paths = to.map(([, link = ""]) => new URL(link, ORIGIN + page).pathname);
    const folder = page.startsWith("/staff/") ? "/staff/" : "/docs/";
    const own = guides
      .map((guide) => `/${guidePath(guide)}`)
      .filter((path) => path.startsWith(folder));
    expect(own.length).toBeGreaterThan(4);
    expect(paths, page).toEqual(["/docs/", ...own]);
    const marked = to.flatMap(([, , mark], at) => (mark === undefined ? [] : [paths[at]]));
    expect(marked).toEqual([page.split("?")[0]]);
  }
});

test("a guide is served in the reader's language if it is translated, and in English otherwise", async () => {
  const languageOf = async (path: string, headers: Record<string, string>) => {
    const { body, headers: answered } = await appliance.request(path, { headers });
    expect(answered.get("vary")).toBe("accept-language, cookie");
    return /<html lang="(\w+)">/.exec(body)?.[1];
  };
  const russian = { "accept-language": "ru-RU,ru;q=0.9,en;q=0.8" };
  const chosen = { ...russian, cookie: "a=b; kanalog.language=en" };
  expect(await languageOf("/docs/webhooks/", {})).toBe("en");
  expect(await languageOf("/docs/webhooks/", russian)).toBe("ru");
  expect(await languageOf("/docs/webhooks/", chosen)).toBe("en");
  expect(await languageOf("/docs/webhooks/?lang=ru", chosen)).toBe("ru");
  expect(await languageOf("/docs/webhooks/?lang=xx", russian)).toBe("ru");
  expect(await languageOf("/staff/guides/operating/?lang=ru", russian)).toBe("en");
});

test("Russian guides contain no English except for the titles of tools", async () => {
  const names = ["Model Context Protocol", "Cursor, LM Studio", ...apiMethods.map(titleOf)];
  for (const path of ["/docs/clients/?lang=ru", "/docs/webhooks/?lang=ru", "/docs/mcp/?lang=ru"]) {
    const found = englishIn(String((await load(path)).body));
    expect(
      found.filter((one) => !names.includes(one)),
      path,
    ).toEqual([]);
  }
});

test("a guide shows the reader's own address and is not stored by shared caches", async () => {
  const served = await startAppliance({ KANALOG_BASE_URL: "https://api.example.com/kanalog" });
  const { body, headers } = await served.request("/docs/webhooks/");
  expect(body).toContain("export API=https://api.example.com/kanalog/v1");
  expect(body).not.toContain(WRITTEN_ADDRESS);
  expect(headers.get("cache-control")).toBe("private, max-age=300");
  expect(headers.get("content-security-policy")).toStartWith(
    "default-src 'none'; style-src 'self'",
  );
  await served.close();
});

test("a guide's column of numbers is aligned at the right, with its heading, and no other is", () => {
  const table = "| plan | units | note |\n|---|---|---|\n| a | 1,000 | 5 |\n| b | 20 | none |\n";
  const { body } = guideHtml(table, "en");
  expect(body).toContain('<tr><th>plan</th><th class="number">units</th><th>note</th></tr>');
  expect(body).toContain('<td class="number" data-label="units">20</td><td data-label="note">none');
});
