import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Readable } from "node:stream";
import { HtmlValidate } from "html-validate";
import { imageSize } from "image-size";
import openGraph from "open-graph-scraper";
import { parseSitemap, parseSitemapIndex } from "sitemap";
import { COMMAND_LINE } from "../../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../../support/appliance.ts";
import { channel, imported } from "../../../support/expectations.ts";
import { webp } from "../../../support/webp.ts";

/** The public catalog, as visitors without an account and search engines see it. */

const BASE = "https://data.example.com";
const HOSTILE = `</script><b>"'&\u202E<!-- ]]> {{x}}`;

let appliance: Appliance;
afterEach(() => appliance.close());

async function start(
  catalog: "off" | "cards" | "charts",
  settings: Record<string, string> = {},
): Promise<void> {
  appliance = await startAppliance({
    ...{ KANALOG_PUBLIC: catalog, KANALOG_BASE_URL: BASE, KANALOG_TRUST_PROXY: "true" },
    ...settings,
  });
  await imported(appliance, "channels", [
    ...[1, 2, 3].map((id) =>
      channel(id, {
        ...{ handle: `Handle_${id}`, title: `Channel ${id}`, subscribers: 10_000 - id },
        ...{ category: "news", territory: "moskva", former_handles: [`old_${id}`] },
      }),
    ),
    channel(4, { handle: "hostile", title: HOSTILE, description: HOSTILE, category: "news" }),
    channel(5, { handle: null, title: "Without a handle", category: "news" }),
    channel(6, { handle: "hidden_one", title: "Hidden", is_public: false }),
  ]);
  await imported(
    appliance,
    "stats",
    ["01", "02", "08", "09"].map((day, at) => ({
      ...{ channel: 1, day: `2026-11-${day}`, subscribers: 9_000 + at, views: 1, posts: 1 },
    })),
  );
}

const PAGES = ["/c/", "/c/Handle_1/", "/c/hostile/", "/c/category/news/", "/c/territory/moskva/"];
const IN_ENGLISH = PAGES.map((path) => `/en${path}`);

const get = (path: string, init?: RequestInit) => appliance.request(path, init);

/** Attributes of the page's elements of one kind. */
async function attributesOf(html: string, selector: string, name: string): Promise<string[]> {
  const found: string[] = [];
  await new HTMLRewriter()
    .on(selector, { element: (element) => void found.push(element.getAttribute(name) ?? "") })
    .transform(new Response(html))
    .text();
  return found;
}

test("without the setting nothing of it exists", async () => {
  await start("off");
  for (const path of [...PAGES, "/c/Handle_1/badge.svg", "/c/Handle_1/chart.svg"]) {
    expect((await get(path)).status, path).toBe(404);
  }
});

describe("with charts", () => {
  beforeEach(() => start("charts"));

  test("each page is valid HTML in both languages, whatever titles contain, under 60 kB with its styles", async () => {
    const validator = new HtmlValidate({
      extends: ["html-validate:standard"],
      rules: { "long-title": "off", "require-sri": "off", "no-raw-characters": "off" },
    });
    const styles = (await get("/account/assets/public.css")).body.length;
    for (const path of [...PAGES, ...IN_ENGLISH, "/c/?q=channel", "/c/nothing/"]) {
      const { body } = await get(path);
      const { results } = await validator.validateString(body);
      const faults = results.flatMap(({ messages }) =>
        messages.map(({ ruleId, message, line, column }) => [ruleId, message, line, column]),
      );
      expect(faults, path).toEqual([]);
      expect(Buffer.byteLength(body) + styles, path).toBeLessThan(60_000);
      expect(body, path).not.toContain("\u202E");
    }
  });

  test("each page names its address in each language, and what a link to it looks like elsewhere", async () => {
    for (const path of [...PAGES, ...IN_ENGLISH]) {
      const { body } = await get(path);
      const own = path.replace(/^\/en/, "");
      expect(await attributesOf(body, "link[rel=canonical]", "href")).toEqual([BASE + path]);
      expect(await attributesOf(body, "link[rel=alternate]", "hreflang")).toEqual([
        ...["en", "ru", "x-default"],
      ]);
      expect(await attributesOf(body, "link[rel=alternate]", "href")).toEqual(
        [`/en${own}`, own, own].map((one) => BASE + one),
      );
      expect(await attributesOf(body, "html", "lang")).toEqual([path === own ? "ru" : "en"]);
      const { result, error } = await openGraph({ html: body });
      expect(error, path).toBe(false);
      expect(result.success).toBe(true);
      expect(result.ogUrl).toBe(BASE + path);
      expect(result.ogTitle?.length).toBeGreaterThan(0);
      expect(result.ogDescription?.length).toBeGreaterThan(20);
      expect(result.twitterTitle).toBe(result.ogTitle);
    }
  });

  test("its data for search engines is one JSON text that nothing in a title ends", async () => {
    for (const path of [...PAGES, ...IN_ENGLISH]) {
      const { body } = await get(path);
      const scripts = [...body.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)];
      expect(scripts.length, path).toBe(1);
      const graph = JSON.parse(scripts[0]?.[1] ?? "");
      const [publisher, dataset] = graph["@graph"];
      expect(graph["@context"]).toBe("https://schema.org");
      expect(publisher).toMatchObject({ "@type": "Organization", name: "Kanalog" });
      expect(dataset).toMatchObject({
        "@type": "Dataset",
        url: BASE + path,
        creator: { "@id": publisher["@id"] },
      });
      // Google's bounds for a data set's description.
      expect(dataset.description.length, path).toBeWithin(50, 5_000);
    }
  });

  test("a channel's page shows its figures, its place in the category and its chart with gaps", async () => {
    const { body } = await get("/en/c/Handle_2/");
    expect(body).toContain("<dd>9,998</dd>");
    expect(body).toContain("Rank</dt><dd>2 <small><bdi>Новости и СМИ</bdi></small></dd>");
    expect(body).toContain("No readings in the last 90 days.");
    const first = (await get("/en/c/Handle_1/")).body;
    const [, line = ""] = /<path class="line" d="([^"]*)"/.exec(first) ?? [];
    expect(line.match(/M/g)?.length).toBe(2);
    expect(body).toContain("/v1/msgr/channels/Handle_2/");
  });

  test("a description keeps its line breaks", async () => {
    await imported(appliance, "channels", [
      channel(9, { handle: "poem", description: "First line\nSecond line" }),
    ]);
    const { body } = await get("/en/c/poem/");
    expect(body).toContain('<p class="lines" dir="auto">First line\nSecond line</p>');
    const styles = (await get("/account/assets/public.css")).body;
    expect(styles).toMatch(/\.lines\s*\{\s*white-space:\s*pre-line/);
  });

  test("subscribers that were never read are a dash, and have no place", async () => {
    const unread = { ...channel(9, { handle: "unread", category: "news" }), subscribers: null };
    await imported(appliance, "channels", [unread]);
    const { body } = await get("/en/c/unread/");
    expect(body).toContain("<dt>Subscribers</dt><dd>—</dd>");
    expect(body).toContain("Rank</dt><dd>— <small><bdi>Новости и СМИ</bdi></small></dd>");
    expect((await get("/en/c/unread/badge.svg")).body).toContain("—");
  });

  test("its place in its category is known, however far down, and follows new readings", async () => {
    const more = Array.from({ length: 1_000 }, (_, at) =>
      channel(100 + at, { handle: `more_${at}`, subscribers: 9_000 - at, category: "business" }),
    );
    await imported(appliance, "channels", [
      ...more,
      channel(2_000, { handle: "last_one", subscribers: 5, category: "business" }),
    ]);
    const places = async (handle: string) =>
      /Rank<\/dt><dd>([^ ]*)/.exec((await get(`/en/c/${handle}/`)).body)?.[1];
    expect(await places("more_999")).toBe("1,000");
    expect(await places("last_one")).toBe("1,001");
    await imported(appliance, "channels", [
      channel(2_000, { handle: "last_one", subscribers: 90_000, category: "business" }),
    ]);
    appliance.ports.clock.advance(60_001);
    expect(await places("last_one")).toBe("1");
    expect(await places("more_0")).toBe("2");
  });

  test("a handle in another case or of before leads to the channel's address", async () => {
    for (const given of ["handle_1", "old_1"]) {
      const { status, headers } = await get(`/en/c/${given}/badge.svg`);
      expect([status, headers.get("location")]).toEqual([301, "/en/c/Handle_1/badge.svg"]);
    }
    const chart = await get("/en/c/old_1/chart.svg?theme=dark&other=1");
    expect(chart.headers.get("location")).toBe("/en/c/Handle_1/chart.svg?theme=dark");
    const slash = await get("/c/Handle_1");
    expect([slash.status, slash.headers.get("location")]).toEqual([301, "/c/Handle_1/"]);
    const found = await get("/c/?q=@handle_1");
    expect(found.status).toBe(301);
  });

  test("a hidden channel is gone from everything within a minute, from caches too", async () => {
    const paths = ["/c/Handle_1/", "/c/Handle_1/badge.svg", "/c/Handle_1/chart.svg"];
    for (const path of [...paths, "/c/", "/c/category/news/"]) {
      const { status, headers } = await get(path);
      expect(status, path).toBe(200);
      // Caches may show a badge for longer, but only instead of an error.
      const more = path.endsWith("badge.svg") ? ", stale-if-error=86400" : "";
      expect(headers.get("cache-control")).toBe(`public, max-age=30${more}`);
    }
    await imported(appliance, "channels", [
      channel(1, { handle: "Handle_1", title: "Channel 1", is_public: false }),
    ]);
    // Kept here for 25 seconds, and then by caches on the way for 30.
    appliance.ports.clock.advance(25_001);
    for (const path of paths) {
      const { status, headers } = await get(path);
      expect([status, headers.get("cache-control")], path).toEqual([410, "no-store"]);
    }
    for (const path of ["/c/", "/c/category/news/", "/c/Handle_2/"]) {
      expect((await get(path)).body, path).not.toContain("Channel 1");
    }
    expect((await get("/c/hidden_one/")).status).toBe(410);
    await appliance.app.domains.channels.delete(2, COMMAND_LINE);
    appliance.ports.clock.advance(25_001);
    expect((await get("/c/Handle_2/")).status).toBe(410);
    expect((await get("/c/nobody/")).status).toBe(404);
  });

  test("a channel's picture stands on its initials, comes from here, and goes with the channel", async () => {
    const image = "https://cdn.example.com/1.webp";
    appliance.ports.network.answerGet = () => ({ status: 200, body: webp(100, 100) });
    const put = (is_public: boolean) =>
      imported(appliance, "channels", [channel(1, { handle: "Handle_1", image, is_public })]);
    await put(true);
    appliance.ports.clock.advance(25_001);
    for (const path of ["/c/", "/en/c/Handle_1/", "/c/category/news/"]) {
      const { body } = await get(path);
      expect(body, path).toContain('<img src="/c/Handle_1/picture" alt="" loading="lazy"/>');
      expect(await attributesOf(body, "img:not([loading])", "src"), path).not.toContain(image);
    }
    const { status, headers } = await get("/c/Handle_1/picture");
    expect([status, headers.get("content-type")]).toEqual([200, "image/webp"]);
    // Nothing is fetched for a channel without one; a broken picture would be framed.
    expect((await get("/c/Handle_2/picture")).headers.get("content-type")).toBe("image/gif");
    expect(appliance.ports.network.gets.length).toBe(1);
    await put(false);
    appliance.ports.clock.advance(25_001);
    expect((await get("/c/Handle_1/picture")).status).toBe(410);
  });

  test("a kept answer is told by its tag, and is the same for all who ask", async () => {
    const { headers, body } = await get("/c/Handle_1/");
    const etag = headers.get("etag") ?? "";
    const again = await get("/c/Handle_1/", { headers: { "if-none-match": etag } });
    expect([again.status, again.body]).toEqual([304, ""]);
    expect(again.headers.get("etag")).toBe(etag);
    const other = await get("/c/Handle_1/", {
      headers: { cookie: "a=b", "accept-language": "en" },
    });
    expect(other.body).toBe(body);
    expect(headers.get("set-cookie")).toBeNull();
  });

  test("only the chart may be framed by other sites, and no picture loads or runs anything", async () => {
    const policy = async (path: string) =>
      (await get(path)).headers.get("content-security-policy") ?? "";
    expect(await policy("/c/Handle_1/chart.svg")).toContain("frame-ancestors *");
    for (const path of [...PAGES, "/c/Handle_1/badge.svg", "/c/nobody/"]) {
      expect(await policy(path), path).toContain("frame-ancestors 'none'");
    }
    for (const picture of ["chart.svg", "chart.svg?theme=dark", "badge.svg"]) {
      const { headers, body } = await get(`/c/hostile/${picture}`);
      expect(headers.get("content-type")).toBe("image/svg+xml; charset=utf-8");
      expect(await policy(`/c/hostile/${picture}`)).toContain("default-src 'none'");
      expect(body).not.toContain("<script");
      expect(body).not.toContain("<b>");
    }
  });

  test("handles that do not exist take no memory, however many are asked for", async () => {
    const { handle } = appliance.app.server;
    const afterAsking = async (from: number) => {
      for (let at = from; at < from + 5_000; at++) {
        // Each from an address of its own, which is limited otherwise.
        const headers = { "x-forwarded-for": `198.18.${(at >> 8) & 255}.${at & 255}` };
        const response = await handle(new Request(`${BASE}/c/nobody_${at}/`, { headers }));
        if (response.status !== 404) throw new Error(`${at}: ${response.status}`);
        await response.arrayBuffer();
      }
      Bun.gc(true);
      return process.memoryUsage().heapUsed;
    };
    await afterAsking(0);
    const before = await afterAsking(5_000);
    // A page has 3 KB: 5,000 that were kept would be 15 MB.
    expect((await afterAsking(10_000)) - before).toBeLessThan(3_000_000);
  });

  test("bad input is answered, and costs nobody units", async () => {
    const customer = await appliance.customer();
    for (const path of [
      ...["/c/%FF/", "/c/a%00b/", "/c/1/", "/c/@x/", "/c/category/%FF/", "/c/category/nothing/"],
      ...["/c/__proto__/", `/c/${"x".repeat(3_000)}/`, "/c/constructor/badge.svg"],
    ]) {
      expect((await get(path)).status, path).toBe(404);
    }
    for (const q of ["a", "%FF", "<script>", "'; DROP", "x".repeat(5_000), "a%00b%00c"]) {
      const { status, headers, body } = await get(`/c/?q=${q}`);
      expect([status, headers.get("cache-control")], q).toEqual([200, "no-store"]);
      expect(body).not.toContain("<script>");
    }
    const { body } = await appliance.get("/v1/me/", customer.key);
    expect(JSON.stringify(body)).toContain('"used":0');
  });
});

describe("files for programs", () => {
  beforeEach(() => start("charts"));

  test("the share picture is a PNG of 1200 x 630 for any title, with cards alone too", async () => {
    for (const path of ["/c/Handle_1/card.png", "/en/c/hostile/card.png"]) {
      const { status, headers } = await get(path);
      expect([status, headers.get("content-type")], path).toEqual([200, "image/png"]);
      const response = await appliance.app.server.handle(new Request(`http://localhost${path}`));
      const bytes = await response.bytes();
      expect(imageSize(bytes)).toMatchObject({ type: "png", width: 1200, height: 630 });
      expect(bytes.length).toBeLessThan(120_000);
    }
  });

  test("site maps list each public page in each language, and nothing else", async () => {
    const index = await get("/sitemap.xml");
    expect(index.headers.get("content-type")).toContain("application/xml");
    const maps = await parseSitemapIndex(Readable.from([index.body]));
    const listed: string[] = [];
    for (const { url } of maps) {
      const { body } = await get(url.replace(BASE, ""));
      const items = await parseSitemap(Readable.from([body]));
      listed.push(...items.map((item) => item.url));
    }
    const known = [...[1, 2, 3].map((id) => `/c/Handle_${id}/`), "/c/hostile/"];
    const lists = ["/c/", "/c/category/news/", "/c/territory/moskva/"];
    for (const path of [...known, ...lists].flatMap((one) => [one, `/en${one}`])) {
      expect(listed, path).toContain(BASE + path);
    }
    const channels = listed.filter((one) => !/\/c\/(?:$|category|territory)/.test(one));
    expect(channels.length).toBe(2 * known.length);
    for (const path of [...channels, ...listed.slice(0, 6)]) {
      expect((await get(path.replace(BASE, ""))).status, path).toBe(200);
    }
    for (const part of ["1.xml", "0", "x.xml", "%FF"]) {
      expect((await get(`/sitemap/${part}`)).status, part).toBe(404);
    }
  });

  test("security.txt, and the footer, name the contact that the operator set", async () => {
    expect((await get("/.well-known/security.txt")).status).toBe(404);
    const other = await startAppliance({
      ...{ KANALOG_PUBLIC: "cards", KANALOG_CONTACT: "help@example.com" },
      ...{ KANALOG_BASE_URL: BASE, KANALOG_LEGAL: 'A "b"<i>=https://example.com/terms' },
    });
    expect((await other.request("/.well-known/security.txt")).body).toBe(
      "Contact: mailto:help@example.com\nExpires: 2027-05-19T00:00:00.000Z\n" +
        `Preferred-Languages: en, ru\nCanonical: ${BASE}/.well-known/security.txt\n`,
    );
    for (const path of ["/", "/c/", "/account/sign-in/"]) {
      const { body } = await other.request(path);
      expect(body, path).toContain('href="mailto:help@example.com"');
      expect(body, path).toContain(
        '<a href="https://example.com/terms"><bdi>A &quot;b&quot;&lt;i&gt;</bdi></a>',
      );
    }
    await other.close();
  });

  test("the icon is also where programs look for it", async () => {
    const { status, headers } = await get("/favicon.ico");
    expect([status, headers.get("location")]).toEqual([301, "/account/assets/mark"]);
    expect((await get("/account/assets/mark")).status).toBe(200);
  });

  test("robots.txt keeps crawlers out of accounts, and llms.txt has links that work", async () => {
    const robots = (await get("/robots.txt")).body;
    for (const path of ["/account/", "/staff/", "/v1/"]) {
      expect(robots).toContain(`Disallow: ${path}\n`);
    }
    expect(robots).toContain(`Sitemap: ${BASE}/sitemap.xml\n`);
    const llms: string = (await get("/llms.txt")).body;
    const links = [...llms.matchAll(/\]\(([^)]+)\)/g)].map(([, to = ""]) => to);
    expect(links.length).toBeGreaterThan(4);
    for (const to of links) {
      const path = to.replace(BASE, "").replace("HANDLE", "Handle_1");
      expect((await get(path)).status, path).toBe(200);
    }
  });
});

test("the last post's first lines are shown only where the operator allows it", async () => {
  const post = (id: number, text: string) => ({
    ...{ id, channel: 1, text, published_at: `2026-11-0${id}T10:00:00+03:00` },
  });
  for (const setting of ["off", "on"]) {
    await start("cards", { KANALOG_PUBLIC_POSTS: setting });
    const long = `**${HOSTILE}** ${"word ".repeat(100)}end`;
    await imported(appliance, "posts", [post(1, "The first post"), post(2, long)]);
    const { body } = await get("/en/c/Handle_1/");
    const shown = /<h2>Last post<\/h2><p class="text" dir="auto">([^<]*)<\/p>/.exec(body)?.[1];
    if (setting === "off") expect(body).not.toContain("word word");
    else expect(shown).toMatch(/^&lt;\/script&gt;.*word word/);
    expect(body).not.toContain("word end");
    expect(body).not.toContain("The first post");
    if (setting === "off") await appliance.close();
  }
});

test("with cards alone there is no growth and no chart", async () => {
  await start("cards");
  const { body } = await get("/en/c/Handle_1/");
  expect(body).not.toContain("Growth");
  expect(body).not.toContain("<svg");
  expect((await get("/c/Handle_1/chart.svg")).status).toBe(404);
  expect((await get("/c/Handle_1/badge.svg")).status).toBe(200);
});
