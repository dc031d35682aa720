import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import {
  getToolUiResourceUri,
  RESOURCE_MIME_TYPE,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Browser, Frame, Page } from "playwright-core";
import { importFile } from "../../../src/catalog/imports/import-file.ts";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { makeTrends } from "../../../src/catalog/trends/make-trends.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { imported } from "../../support/expectations.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import { expectToolResult, type McpRequests, mcpRequests } from "../../support/mcp-requests.ts";
import { CHROMIUM, launchBrowser } from "../../support/site-browser.ts";

/** Pages that a host shows beside an answer, drawn by the extension's own host in a browser. */
if (CHROMIUM === undefined) console.warn("No Chromium here: no app was drawn.");
const inBrowser = test.skipIf(CHROMIUM === undefined);
const BYTES_MAX = 120_000;

let appliance: Appliance;
let mcp: McpRequests;
let browser: Browser;
let script: string;
beforeAll(async () => {
  const ports = fakePorts("2024-12-06T12:00:00+03:00");
  appliance = await startAppliance({}, ports);
  const { db } = appliance.app.domains;
  const sample = new URL("../../../data/sample/", import.meta.url).pathname;
  await importFile(db, ports.clock, "channels", `${sample}channels.ndjson`);
  await importFile(db, ports.clock, "posts", `${sample}posts.ndjson`);
  await importFile(db, ports.clock, "stats", `${sample}stats.csv`);
  await computeMetrics(db, ports.clock);
  await imported(appliance, "posts", risingPosts());
  await makeTrends(db, ports.clock);
  mcp = mcpRequests(appliance, (await appliance.customer()).key);
  if (CHROMIUM === undefined) return;
  browser = await launchBrowser();
  const { outputs } = await Bun.build({
    entrypoints: [new URL("../../support/app-host.ts", import.meta.url).pathname],
    target: "browser",
  });
  script = (await outputs[0]?.text()) ?? "";
});
afterAll(async () => {
  await browser?.close();
  await appliance?.close();
});

/** Posts of six channels about a flood within eight hours. */
function risingPosts() {
  return Array.from({ length: 12 }, (_, at) => ({
    ...{ channel: 1 + (at % 6), msgr_post_id: 900_000 + at, views: 100 * at },
    ...{ text: "Наводнение в Казани", link: `https://t.me/s/flood/${at}` },
    published_at: `2024-12-06T${String(4 + (at % 8)).padStart(2, "0")}:20:00+03:00`,
  }));
}

async function toolsWithApps(): Promise<[tool: string, uri: string][]> {
  const { tools } = (await mcp.ask("tools/list")).body.result;
  return tools.flatMap((tool: { name: string }) => {
    const uri = getToolUiResourceUri(tool);
    return uri === undefined ? [] : [[tool.name, uri]];
  });
}

async function pageOf(uri: string): Promise<string> {
  const [content] = (await mcp.ask("resources/read", { uri })).body.result.contents;
  expect(content).toMatchObject({ uri, mimeType: RESOURCE_MIME_TYPE, _meta: { ui: { csp: {} } } });
  return content.text;
}

test("every app is a listed resource, small, and of one text that may ask for nothing", async () => {
  const { resources } = (await mcp.ask("resources/list")).body.result;
  const listed = resources.filter(({ uri }: { uri: string }) => uri.startsWith("ui://"));
  const uris: string[] = listed.map(({ uri }: { uri: string }) => uri);
  const tools = await toolsWithApps();
  expect(new Set(tools.map(([, uri]) => uri))).toEqual(new Set(uris));
  expect(uris).toHaveLength(5);
  for (const uri of uris) {
    const html = await pageOf(uri);
    expect(Buffer.byteLength(html)).toBeLessThan(BYTES_MAX);
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/unsafe|<link|\ssrc=|@import|url\(|innerHTML/);
  }
  for (const uri of ["ui://kanalog/none", "ui://kanalog/growth/", "ui://other/growth"]) {
    expect((await mcp.ask("resources/read", { uri })).body.error.code).toBe(-32602);
  }
});

interface Shown {
  page: Page;
  frame: Frame;
  faults: string[];
}

async function shown(
  tool: string,
  args: Record<string, unknown>,
  given: { theme?: string; locale?: string; result?: object; called?: object } = {},
): Promise<Shown> {
  appliance.ports.clock.advance(2_000);
  const html = await pageOf(new Map(await toolsWithApps()).get(tool) ?? "");
  const result = given.result ?? (await mcp.call(tool, args)).body.result;
  const page = await browser.newPage({ viewport: { width: 640, height: 900 } });
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("request", (request) => {
    if (!/^(data|about):/.test(request.url())) faults.push(`asked ${request.url()}`);
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  const { theme = "light", locale = "en-GB", called } = given;
  await page.setContent("<!doctype html><title>Host</title>");
  await page.addScriptTag({ type: "module", content: script });
  await page.waitForFunction("typeof show === 'function'");
  await page.evaluate(
    (what) => {
      // biome-ignore lint/suspicious/noExplicitAny: put there by the host's script
      return (globalThis as any).show(what).then(() => null);
    },
    { html, arguments: args, result, theme, locale, called },
  );
  const [, frame] = page.frames();
  await frame?.waitForFunction(
    "!/^(|Waiting.*|Ответ ещё.*)$/.test(document.querySelector('main').textContent)",
  );
  return { page, frame: frame as Frame, faults };
}

const CALLS = {
  "a card": ["msgr_channels_retrieve", { channel: "nsmag", include: "metrics" }],
  "daily statistics": ["msgr_stats_daily_list", { channels: "1,3", from: "2024-11-05" }],
  "a comparison": ["msgr_channels_compare_list", { channels: "1,3,5", from: "2024-11-05" }],
  "a word over time": ["msgr_posts_search_list", { q: "год", limit: 100 }],
  "a word by week": ["msgr_posts_search_stats", { q: "год", group: "week", from: "2024-10-01" }],
  posts: ["msgr_channels_posts_retrieve", { channel: 1 }],
  mentions: ["msgr_channels_mentions_list", { channel: "@goproglib" }],
  "what rises": ["msgr_trends_list", {}],
} as const;
/** Folder for pictures to look at; none are kept without it. */
const PICTURES = process.env["KANALOG_TEST_PICTURES"];

const LOCALES = ["en-GB", "ru-RU"];

describe.each(["light", "dark"])("in the %s theme", (theme) => {
  describe.each(LOCALES)("in %s", (locale) => {
    for (const [name, [tool, args]] of Object.entries(CALLS)) {
      inBrowser(`${name} is drawn without a fault`, async () => {
        const { page, frame, faults } = await shown(tool, { ...args }, { theme, locale });
        expect(await frame.getAttribute("html", "lang")).toBe(locale.slice(0, 2));
        const drawn = await frame.evaluate<{ color: string; backgroundColor: string }>(
          "(({ color, backgroundColor }) => ({ color, backgroundColor }))(getComputedStyle(document.documentElement))",
        );
        const [ink = 0, paper = 0] = [drawn.color, drawn.backgroundColor].map((one) =>
          Number(/\d+/.exec(one)?.[0]),
        );
        expect(ink > paper).toBe(theme === "dark");
        // The host hears of the app's size a moment after it is drawn.
        await page.waitForFunction("globalThis.seen.height > 40");
        expect(faults).toEqual([]);
        const tables = frame.locator(".wide");
        const cut = await tables.evaluateAll((all) =>
          all.filter((one) => one.scrollWidth > one.clientWidth),
        );
        expect(cut).toEqual([]);
        if (PICTURES !== undefined) {
          mkdirSync(PICTURES, { recursive: true });
          const path = `${PICTURES}/${name.replaceAll(" ", "-")}-${theme}-${locale.slice(0, 2)}.png`;
          await page.screenshot({ path, fullPage: true });
        }
        await page.close();
      });
    }
  });
});

inBrowser("the figures are those of the answer", async () => {
  const call = { channels: "1", from: "2024-11-05" };
  const { results } = expectToolResult(await mcp.call("msgr_stats_daily_list", call));
  const { frame, page } = await shown("msgr_stats_daily_list", call);
  const last = results.at(-1).subscribers.toLocaleString("en-GB");
  expect(await frame.textContent("h2")).toContain(last);
  const points = await frame.getAttribute("polyline", "points");
  expect(points?.split(" ")).toHaveLength(results.length);
  await page.close();
});

inBrowser("a mention names the channel that it stands in", async () => {
  const { results } = expectToolResult(
    await mcp.call("msgr_channels_mentions_list", { channel: "@goproglib" }),
  );
  const { frame, page } = await shown("msgr_channels_mentions_list", { channel: "@goproglib" });
  expect(await frame.textContent("li")).toStartWith(results[0].mentioned_by.title);
  await page.close();
});

inBrowser("strangers' words are text, whatever they contain", async () => {
  const hostile = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;
  const post = {
    id: 1,
    channel: 1,
    text: hostile,
    link: "javascript:document.title='taken'",
    views: 1,
  };
  for (const [tool, data] of [
    ["msgr_channels_posts_retrieve", { results: [post], next: null, note: hostile }],
    ["msgr_posts_search_list", { results: [{ ...post, published_at: hostile }], matches: 1 }],
    ["msgr_channels_retrieve", { id: 1, title: hostile, handle: hostile, description: hostile }],
    ["msgr_channels_compare_list", { results: [{ channel: 1, growth: hostile, best_post: post }] }],
    ["msgr_stats_daily_list", { results: [{ channel: hostile, day: hostile, subscribers: 1 }] }],
    ["msgr_trends_list", { results: [{ words: hostile, channels: 5, top_posts: [post] }] }],
  ] as const) {
    const result = { content: [], structuredContent: data };
    const { page, frame, faults } = await shown(tool, {}, { result });
    expect(await frame.locator("img, script:not([type=module])").count()).toBe(0);
    expect(await frame.textContent("main")).toContain("<img src=x");
    expect(await frame.title()).toBe("Kanalog");
    expect(await frame.getByText("Open", { exact: true }).count()).toBe(0);
    expect([tool, faults]).toEqual([tool, []]);
    await page.close();
  }
});

inBrowser("an error, and an answer as text alone, are shown as well", async () => {
  const text = "404 not_found: There is no such channel.";
  const failed = { content: [{ type: "text", text }], isError: true };
  const error = await shown("msgr_channels_retrieve", {}, { result: failed });
  expect(await error.frame.textContent("main")).toContain(text);
  await error.page.close();
  const alone = { content: [{ type: "text", text: '{"id":1,"title":"Канал","subscribers":12}' }] };
  const read = await shown("msgr_channels_retrieve", {}, { result: alone });
  expect(await read.frame.textContent("h1")).toBe("Канал");
  await read.page.close();
});

inBrowser("a long list shows ten posts, and the others when the person asks", async () => {
  const { page, frame, faults } = await shown("msgr_posts_search_list", { q: "год", limit: 100 });
  expect(await frame.locator("li").count()).toBe(10);
  await frame.getByRole("button", { name: "Show all (100)" }).click();
  expect(await frame.locator("li").count()).toBe(100);
  expect(faults).toEqual([]);
  await page.close();
});

inBrowser("a card draws its days when the person asks, and not before", async () => {
  const days = { channels: "1", from: "2024-11-05" };
  const { body } = await mcp.call("msgr_stats_daily_list", days);
  const called = body.result;
  const card = { channel: "nsmag" };
  const { page, frame, faults } = await shown("msgr_channels_retrieve", card, { called });
  // biome-ignore lint/suspicious/noExplicitAny: put there by the host's script
  const calls = () => page.evaluate(() => (globalThis as any).seen.calls);
  expect(await calls()).toEqual([]);
  await frame.getByRole("button", { name: "Show 30 days" }).click();
  await frame.waitForSelector("polyline");
  expect(await calls()).toEqual([{ name: "msgr_stats_daily_list", arguments: { channels: "1" } }]);
  expect(faults).toEqual([]);
  await page.close();
});
