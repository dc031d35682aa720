import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  Client as Client2,
  StreamableHTTPClientTransport as HttpTransport2,
  UnauthorizedError as Unauthorized2,
} from "@modelcontextprotocol/client";
import { UnauthorizedError as Unauthorized1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpTransport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as Transport1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Browser } from "playwright-core";
import { importFile } from "../../../../src/catalog/imports/import-file.ts";
import { type Appliance, startAppliance } from "../../../support/appliance.ts";
import { fakePorts } from "../../../support/fake-ports.ts";
import { TOOL_NAMES } from "../../../support/mcp-requests.ts";
import {
  CHROMIUM,
  launchBrowser,
  openWindow,
  seriousFaults,
  tooWide,
} from "../../../support/site-browser.ts";
import { addPerson, PASSWORD } from "../../../support/visitor.ts";

/**
 * The official clients, given only the MCP server's address: from the 401 over the person's consent in a
 * real browser to tools, refresh and revocation.
 */
if (CHROMIUM === undefined) console.warn("No Chromium here: nobody let an assistant in.");
const inBrowser = test.skipIf(CHROMIUM === undefined);

const HOUR_MS = 3_600_000;
const EMAIL = "ada@example.com";
const ARGUMENTS: Record<string, Record<string, unknown>> = {
  msgr_channels_resolve_retrieve: { q: "@nsmag" },
  msgr_channels_list: { limit: 2 },
  msgr_channels_retrieve: { channel: "nsmag" },
  msgr_stats_daily_list: { channels: "1" },
  msgr_channels_posts_retrieve: { channel: "goproglib", limit: 2 },
  msgr_posts_retrieve: { id: 1 },
  msgr_posts_search_list: { q: "новости", limit: 2 },
  msgr_posts_search_stats: { q: "новости" },
  msgr_channels_compare_list: { channels: "1" },
  msgr_channels_mentions_list: { channel: "goproglib", limit: 2 },
  msgr_channels_similar_list: { channel: "goproglib" },
};

let browser: Browser;
let appliance: Appliance;
let address: string;
let back: Bun.Server<undefined>;
let returned: URL[];
beforeAll(async () => {
  if (CHROMIUM !== undefined) browser = await launchBrowser();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  const ports = fakePorts("2024-12-05T12:00:00+03:00");
  appliance = await startAppliance({ KANALOG_PORT: "0", KANALOG_OAUTH: "on" }, ports);
  const { db } = appliance.app.domains;
  const sample = new URL("../../../../data/sample/", import.meta.url).pathname;
  await importFile(db, ports.clock, "channels", `${sample}channels.ndjson`);
  await importFile(db, ports.clock, "posts", `${sample}posts.ndjson`);
  address = appliance.app.listen();
  await addPerson(appliance, { email: EMAIL });
  returned = [];
  back = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      if (new URL(request.url).pathname === "/callback") returned.push(new URL(request.url));
      return new Response("You may close this window.");
    },
  });
});
afterEach(async () => {
  await back.stop(true);
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const WORDS = {
  "en-GB": { allow: "Allow", refuse: "Deny", heading: "Grant access to an assistant" },
  "ru-RU": { allow: "Разрешить", refuse: "Отказать", heading: "Доступ для ассистента" },
};
type Locale = keyof typeof WORDS;
/** Locales whose page has been audited: it is the same for each assistant. */
const audited = new Set<Locale>();

/** Signs the person in and presses a button of the page. @returns where they were sent */
async function decide(asked: URL, locale: Locale, button: "allow" | "refuse"): Promise<URL> {
  const viewport = { width: 390, height: 844 };
  const { page, context, faults } = await openWindow(browser, address, { locale, viewport });
  await page.goto(asked.href);
  await page.fill("[name=email]", EMAIL);
  await page.fill("[name=password]", PASSWORD);
  await page.click("main button[type=submit]");
  await page.waitForURL("**/account/authorize/**");
  expect(await page.locator("h1").textContent()).toBe(WORDS[locale].heading);
  expect(await page.locator("main bdi").first().textContent()).toBe("Test assistant");
  expect(await page.locator("main").textContent()).toContain(`127.0.0.1:${back.port}`);
  if (!audited.has(locale)) expect(await seriousFaults(page)).toEqual([]);
  audited.add(locale);
  expect(await tooWide(page)).toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: WORDS[locale][button], exact: true }).click();
  await page.waitForURL("**/callback?**");
  expect(faults.filter((fault) => !fault.includes(`:${back.port}/`))).toEqual([]);
  await context.close();
  const [to, ...others] = returned.splice(0);
  expect(others).toEqual([]);
  return to as URL;
}

/** A client's memory between its requests. */
// biome-ignore lint/suspicious/noExplicitAny: two libraries' types of the same things
type ClientMemory = Record<"client" | "tokens" | "verifier" | "asked" | "discovery", any>;

function providerOf(memory: Partial<ClientMemory>) {
  const redirect = `http://127.0.0.1:${back.port}/callback`;
  const store = (name: keyof ClientMemory) => (value: unknown) => {
    memory[name] = value;
  };
  return {
    redirectUrl: redirect,
    clientMetadata: { client_name: "Test assistant", redirect_uris: [redirect] },
    state: () => "of the test",
    clientInformation: () => memory.client,
    saveClientInformation: store("client"),
    tokens: () => memory.tokens,
    saveTokens: store("tokens"),
    redirectToAuthorization: store("asked"),
    saveCodeVerifier: store("verifier"),
    codeVerifier: () => memory.verifier,
    saveDiscoveryState: store("discovery"),
    discoveryState: () => memory.discovery,
    invalidateCredentials: () => store("tokens")(undefined),
  };
}

interface Assistant {
  /** @throws if it has to ask the person first */
  connect(): Promise<{
    tools(): Promise<string[]>;
    call(name: string, args: Record<string, unknown>): Promise<{ isError?: boolean }>;
    close(): Promise<void>;
  }>;
  finish(to: URL): Promise<void>;
  unauthorized: new (...args: never[]) => Error;
}

const IDENTITY = { name: "kanalog-test", version: "1" };

const ASSISTANTS: [string, (memory: Partial<ClientMemory>) => Assistant][] = [
  [
    "the 1.x client",
    (memory) => {
      const transport = () =>
        new HttpTransport1(new URL(`${address}/v1/mcp/`), { authProvider: providerOf(memory) });
      return {
        unauthorized: Unauthorized1,
        finish: (to) => transport().finishAuth(to.searchParams.get("code") ?? ""),
        async connect() {
          const client = new Client1(IDENTITY);
          await client.connect(transport() as Transport1);
          return {
            tools: async () => (await client.listTools()).tools.map(({ name }) => name),
            call: async (name, args) =>
              (await client.callTool({ name, arguments: args })) as { isError?: boolean },
            close: () => client.close(),
          };
        },
      };
    },
  ],
  ...(["legacy", "auto"] as const).map(
    (mode): [string, (memory: Partial<ClientMemory>) => Assistant] => [
      `the 2.x client, ${mode}`,
      (memory) => {
        const transport = () =>
          new HttpTransport2(new URL(`${address}/v1/mcp/`), {
            authProvider: providerOf(memory) as never,
          });
        return {
          unauthorized: Unauthorized2,
          finish: (to) => transport().finishAuth(to.searchParams),
          async connect() {
            const client = new Client2(IDENTITY, { versionNegotiation: { mode } });
            await client.connect(transport());
            return {
              tools: async () => (await client.listTools()).tools.map(({ name }) => name),
              call: async (name, args) =>
                (await client.callTool({ name, arguments: args })) as { isError?: boolean },
              close: () => client.close(),
            };
          },
        };
      },
    ],
  ),
];

describe.each(ASSISTANTS)("%s", (name, assistantOf) => {
  const locale: Locale = name.includes("2.x") ? "ru-RU" : "en-GB";

  inBrowser(
    "needs only the address to register, get consent, call tools, refresh its token and revoke it",
    async () => {
      const memory: Partial<ClientMemory> = {};
      const assistant = assistantOf(memory);
      await expect(assistant.connect()).rejects.toThrow();
      expect(memory.client.client_id).toMatch(/^[\w-]+\.[\w-]{43}$/);
      expect(memory.asked.pathname).toBe("/account/authorize/");
      await assistant.finish(await decide(memory.asked, locale, "allow"));
      const first = memory.tokens.access_token;
      expect(first).toMatch(/^knl_oa_/);

      const client = await assistant.connect();
      expect(await client.tools()).toEqual(TOOL_NAMES);
      for (const tool of TOOL_NAMES) {
        const { isError } = await client.call(tool, ARGUMENTS[tool] ?? {});
        expect([tool, isError ?? false]).toEqual([tool, false]);
      }

      appliance.ports.clock.advance(HOUR_MS);
      expect((await client.call("msgr_categories_list", {})).isError ?? false).toBe(false);
      expect(memory.tokens.access_token).not.toBe(first);

      const revoked = await fetch(`${address}/oauth/revoke`, {
        method: "POST",
        body: new URLSearchParams({
          token: memory.tokens.refresh_token,
          client_id: memory.client.client_id,
        }),
      });
      expect(revoked.status).toBe(200);
      await expect(client.call("msgr_categories_list", {})).rejects.toThrow();
      await client.close();
    },
  );
});

inBrowser(
  "a person who refuses is redirected with the refusal, and no token is issued",
  async () => {
    for (const locale of ["en-GB", "ru-RU"] as const) {
      const memory: Partial<ClientMemory> = {};
      const [, assistantOf] = ASSISTANTS[0] as (typeof ASSISTANTS)[number];
      await expect(assistantOf(memory).connect()).rejects.toThrow();
      const to = await decide(memory.asked, locale, "refuse");
      expect(Object.fromEntries(to.searchParams)).toEqual({
        ...{ error: "access_denied", state: "of the test", iss: address },
      });
    }
    expect(await appliance.app.domains.keys.keys(1)).toEqual([]);
  },
);
