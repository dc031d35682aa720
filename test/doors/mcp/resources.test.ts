import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as Transport1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  expectRpcError,
  type McpRequests,
  mcpRequests,
  TOOL_NAMES,
} from "../../support/mcp-requests.ts";

/** Resources and prompts, through the official clients of both eras. */

let appliance: Appliance;
let mcp: McpRequests;
let address: URL;
beforeAll(async () => {
  appliance = await startAppliance({ KANALOG_PORT: "0" });
  address = new URL(`${appliance.app.listen()}/v1/mcp/`);
  mcp = mcpRequests(appliance, (await appliance.customer()).key);
});
afterAll(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const IDENTITY = { name: "kanalog-test", version: "1" };
const withKey = () => ({ requestInit: { headers: { authorization: `Bearer ${mcp.key}` } } });

const CLIENTS = {
  legacy: async () => {
    const client = new Client1(IDENTITY);
    await client.connect(new Http1(address, withKey()) as Transport1);
    return client;
  },
  modern: async () => {
    const client = new Client2(IDENTITY, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new Http2(address, withKey()));
    return client;
  },
};

describe.each(["legacy", "modern"] as const)("in the %s era", (era) => {
  test("resources are listed and read, free of charge", async () => {
    appliance.ports.clock.advance(5_000);
    const client = await CLIENTS[era]();
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri).filter((uri) => uri.startsWith("kanalog://"));
    expect(uris).toEqual(["kanalog://categories", "kanalog://territories", "kanalog://guide"]);
    const texts: string[] = [];
    for (const uri of uris) {
      const [content] = (await client.readResource({ uri })).contents;
      texts.push(content !== undefined && "text" in content ? content.text : "");
    }
    expect(texts[0]).toStartWith("slug\tname\tchannels\nauto\tАвто и мото\t0\n");
    expect(texts[1]).toContain("\nmoskva\tМосква\tregion\t");
    expect(texts[2]).toContain("- `growth_30d`: Change of subscribers over 30 days");
    expect(texts[2]).not.toContain("undefined");
    await expect(client.readResource({ uri: "kanalog://nothing" })).rejects.toThrow("no such");
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
    await client.close();
    expect(await mcp.used()).toBe(0);
  });

  test("prompts name tools that exist, with what the person gave", async () => {
    appliance.ports.clock.advance(5_000);
    const client = await CLIENTS[era]();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      ...["weekly_report", "where_to_advertise", "who_wrote_first"],
    ]);
    for (const { name, arguments: needed = [] } of prompts) {
      const given = Object.fromEntries(needed.map((one) => [one.name, `"${one.name}"\u202e`]));
      const { messages } = await client.getPrompt({ name, arguments: given });
      const [{ content } = { content: null }] = messages;
      const text = content !== null && "text" in content ? String(content.text) : "";
      for (const one of needed) expect(text).toContain(`"${one.name}"`);
      expect(text).not.toContain("\u202e");
      const tools = [...text.matchAll(/\bmsgr_[a-z_]+\b/g)].map(([tool]) => tool);
      expect(tools.length).toBeGreaterThan(0);
      for (const tool of tools) expect(TOOL_NAMES).toContain(tool);
      await expect(client.getPrompt({ name, arguments: {} })).rejects.toThrow("needs the argument");
    }
    await client.close();
  });
});

test("forged requests are errors, and nothing else", async () => {
  for (const [method, params] of [
    ["resources/read", {}],
    ["resources/read", { uri: 1 }],
    ["resources/read", { uri: "file:///etc/passwd" }],
    ["resources/read", { uri: "__proto__" }],
    ["prompts/get", {}],
    ["prompts/get", { name: "constructor" }],
    ["prompts/get", { name: "weekly_report", arguments: [] }],
    ["prompts/get", { name: "weekly_report", arguments: { channels: 1 } }],
  ] as const) {
    expectRpcError(await mcp.ask(method, params), -32602, 200, JSON.stringify(params));
  }
});
