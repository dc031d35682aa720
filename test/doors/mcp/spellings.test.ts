import { afterAll, beforeAll, expect, test } from "bun:test";
import { auth, createMCPClient } from "@ai-sdk/mcp";
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as Transport1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import { aiSdkOverHttp, clientKinds } from "../../support/mcp-clients.ts";
import { TOOL_NAMES } from "../../support/mcp-requests.ts";
import { leadsTo } from "../../support/oauth-client.ts";
import { addPerson, signedInVisitor, type Visitor } from "../../support/visitor.ts";

/** Every client connects at every spelling of the address, with a key and by signing in. */

const SPELLINGS = ["/v1/mcp/", "/v1/mcp", "/mcp/", "/mcp"];
const IDENTITY = { name: "kanalog-test", version: "1" };

let appliance: Appliance;
let address: string;
let key: string;
let person: Visitor;
let organizationId: number;
beforeAll(async () => {
  appliance = await startAppliance({ KANALOG_PORT: "0", KANALOG_OAUTH: "on" }, fakePorts());
  await imported(appliance, "channels", [channel(1, { handle: "one" })]);
  address = appliance.app.listen();
  key = (await appliance.customer()).key;
  ({ organizationId } = await addPerson(appliance));
  person = await signedInVisitor(appliance, "ada@example.com");
});
afterAll(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const WITH_KEY = [
  ...clientKinds.map(({ name, overHttp }) => [name, overHttp] as const),
  ["the AI SDK's client", aiSdkOverHttp] as const,
];

for (const path of SPELLINGS) {
  test.each(WITH_KEY)(`%s connects at ${path} with a key`, async (_name, connect) => {
    const client = await connect(address + path, key);
    expect((await client.tools()).map(({ name }) => name)).toEqual(TOOL_NAMES);
    expect((await client.call("msgr_categories_list")).isError ?? false).toBe(false);
    expect(client.complaints).toEqual([]);
    await client.close();
  });
}

/** What a client stores, and the page that it wants to send its person to. */
// biome-ignore lint/suspicious/noExplicitAny: three libraries' types of the same things
type Memory = Record<string, any>;

function providerOf(memory: Memory) {
  const redirect = "http://127.0.0.1/callback";
  const store = (name: string) => (value: unknown) => {
    memory[name] = value;
  };
  return {
    redirectUrl: redirect,
    clientMetadata: { client_name: "Test assistant", redirect_uris: [redirect] },
    state: () => "of-the-test",
    saveState: store("state"),
    storedState: () => memory["state"],
    clientInformation: () => memory["client"],
    saveClientInformation: store("client"),
    isClientInformationDynamicallyRegistered: () => true,
    authorizationServerInformation: () => memory["server"],
    saveAuthorizationServerInformation: store("server"),
    tokens: () => memory["tokens"],
    saveTokens: store("tokens"),
    redirectToAuthorization: store("asked"),
    saveCodeVerifier: store("verifier"),
    codeVerifier: () => memory["verifier"],
    saveDiscoveryState: store("discovery"),
    discoveryState: () => memory["discovery"],
  };
}

/** @returns names of the tools, once it is connected */
type Connect = (url: URL, memory: Memory) => Promise<string[]>;
type Finish = (url: URL, memory: Memory, to: URLSearchParams) => Promise<unknown>;

const BY_SIGNING_IN: [name: string, connect: Connect, finish: Finish][] = [
  [
    "the 1.x client",
    async (url, memory) => {
      const client = new Client1(IDENTITY);
      await client.connect(new Http1(url, { authProvider: providerOf(memory) }) as Transport1);
      return (await client.listTools()).tools.map(({ name }) => name);
    },
    (url, memory, to) =>
      new Http1(url, { authProvider: providerOf(memory) }).finishAuth(to.get("code") ?? ""),
  ],
  [
    "the 2.x client",
    async (url, memory) => {
      const client = new Client2(IDENTITY, { versionNegotiation: { mode: "auto" } });
      await client.connect(new Http2(url, { authProvider: providerOf(memory) as never }));
      return (await client.listTools()).tools.map(({ name }) => name);
    },
    (url, memory, to) =>
      new Http2(url, { authProvider: providerOf(memory) as never }).finishAuth(to),
  ],
  [
    "the AI SDK's client",
    async (url, memory) => {
      const client = await createMCPClient({
        transport: { type: "http", url: url.href, authProvider: providerOf(memory) as never },
      });
      return (await client.listTools()).tools.map(({ name }) => name);
    },
    (url, memory, to) =>
      auth(providerOf(memory) as never, {
        serverUrl: url,
        authorizationCode: to.get("code") ?? "",
        callbackState: to.get("state") ?? "",
        callbackIssuer: to.get("iss") ?? "",
      }),
  ],
];

for (const path of SPELLINGS) {
  test.each(BY_SIGNING_IN)(
    `%s connects at ${path} by signing in`,
    async (_name, connect, finish) => {
      const url = new URL(address + path);
      const memory: Memory = {};
      await expect(connect(url, memory)).rejects.toThrow();
      const asked: URL = memory["asked"];
      expect(asked.searchParams.get("resource")).toBe(url.href);
      const to = leadsTo(
        await person.post(asked.pathname + asked.search, {
          action: "allow",
          organization: organizationId,
        }),
      );
      await finish(url, memory, to?.searchParams ?? new URLSearchParams());
      expect(await connect(url, memory)).toEqual(TOOL_NAMES);
      appliance.ports.clock.advance(3_600_000);
      expect(await connect(url, memory)).toEqual(TOOL_NAMES);
    },
  );
}
