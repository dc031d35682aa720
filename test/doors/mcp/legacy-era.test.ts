import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { version } from "../../../package.json";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  expectRpcError,
  LEGACY_VERSIONS,
  type McpRequests,
  MODERN_VERSION,
  mcpRequests,
  TOOL_NAMES,
} from "../../support/mcp-requests.ts";

/** The protocol's revisions up to 2025-11-25: `initialize`, `ping`, `tools/list`. */

let appliance: Appliance;
let mcp: McpRequests;

beforeAll(async () => {
  appliance = await startAppliance();
});

beforeEach(async () => {
  mcp = mcpRequests(appliance, (await appliance.customer()).key);
});

afterAll(() => appliance.close());

const hello = (protocolVersion: unknown) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

describe("initialize", () => {
  test("answers with the server's name and version, and tools, resources and prompts", async () => {
    const { status, body } = await mcp.ask("initialize", hello("2025-11-25"));
    expect(status).toBe(200);
    expect(body.result.serverInfo).toMatchObject({ name: "kanalog", version });
    expect(body.result.capabilities.tools).toBeObject();
    expect(Object.keys(body.result.capabilities)).toEqual([
      "tools",
      "resources",
      "prompts",
      "extensions",
    ]);
    expect(body.result).not.toHaveProperty("resultType");
  });

  test("has instructions that name resolving, the card, statistics and posts in this order, and paging", async () => {
    const { instructions } = (await mcp.ask("initialize", hello("2025-11-25"))).body.result;
    const places = [
      "msgr_channels_resolve_retrieve",
      "msgr_channels_retrieve",
      "msgr_stats_daily_list",
      "msgr_channels_posts_retrieve",
    ].map((name) => instructions.indexOf(name));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(instructions).toContain("`next`");
    expect(instructions).toContain("`cursor`");
  });

  test("is free, and calls work without it", async () => {
    await mcp.ask("initialize", hello("2025-11-25"));
    expect(await mcp.used()).toBe(0);
    const other = mcpRequests(appliance, (await appliance.customer()).key);
    expect((await other.call("me_retrieve")).body.result.isError).toBe(false);
  });
});

test("ping answers an empty object, with and without params, and is free", async () => {
  for (const params of [undefined, {}, { _meta: {} }]) {
    const { status, body } = await mcp.ask("ping", params);
    expect([status, body]).toEqual([200, { jsonrpc: "2.0", id: 1, result: {} }]);
  }
  expect(await mcp.used()).toBe(0);
});

describe("the revision in the header", () => {
  for (const header of LEGACY_VERSIONS) {
    test(`${header} is served like a request without the header`, async () => {
      const headers = { "mcp-protocol-version": header };
      const without = await mcp.ask("tools/list");
      expect((await mcp.ask("tools/list", undefined, headers)).body).toEqual(without.body);
      expect((await mcp.ask("ping", undefined, headers)).body.result).toEqual({});
    });
  }

  for (const header of ["2024-10-07", "2025-11-26", "2026-07-29", "DRAFT", "1.0", "2025-11-25x"]) {
    test(`${header} is -32022 with HTTP 400, listing the supported ones`, async () => {
      const answer = await mcp.ask("tools/list", {}, { "mcp-protocol-version": header });
      expectRpcError(answer, -32022, 400);
      expect(answer.body.error.data.requested).toBe(header);
      expect(answer.body.error.data.supported).toBeArray();
    });
  }

  test("is quoted without control characters, and shortened if it is long", async () => {
    const header = `1\u0085${"2".repeat(5_000)}`;
    const answer = await mcp.ask("tools/list", {}, { "mcp-protocol-version": header });
    expectRpcError(answer, -32022, 400);
    expect(answer.body.error.data.requested).toMatch(/^12{98}…$/);
  });

  test("is supported exactly if server/discover lists it", async () => {
    const { body } = await mcp.modern("server/discover");
    const refused = await mcp.ask("ping", {}, { "mcp-protocol-version": "1999-01-01" });
    expect(refused.body.error.data.supported).toEqual(body.result.supportedVersions);
    expect(body.result.supportedVersions.toSorted()).toEqual([...LEGACY_VERSIONS, MODERN_VERSION]);
  });

  test("runs nothing if it is unknown", async () => {
    const params = { name: "msgr_channels_list", arguments: {} };
    const answer = await mcp.ask("tools/call", params, { "mcp-protocol-version": "1999-01-01" });
    expectRpcError(answer, -32022, 400);
    expect(await mcp.used()).toBe(0);
  });
});

test("an unknown method is -32601 with HTTP 200 and costs nothing", async () => {
  for (const method of [
    "nope",
    "",
    "tools",
    "tools/call/",
    "Tools/List",
    " ping",
    "resources/subscribe",
    "logging/setLevel",
    "completion/complete",
    "rpc.discover",
    "msgr_channels_list",
  ]) {
    expectRpcError(await mcp.ask(method, {}), -32601, 200, method);
  }
  expect(await mcp.used()).toBe(0);
});

describe("tools/list", () => {
  test("is one page: there is no cursor, and sending one is -32602", async () => {
    const { body } = await mcp.ask("tools/list", {});
    expect(Object.keys(body.result)).toEqual(["tools"]);
    for (const cursor of ["x", "", 1, {}]) {
      const answer = await mcp.ask("tools/list", { cursor });
      expectRpcError(answer, -32602, 200, JSON.stringify(cursor));
    }
  });

  test("costs nothing, on every plan", async () => {
    for (const plan of ["test", "start", "growth", "profi"] as const) {
      const client = mcpRequests(appliance, (await appliance.customer({ plan })).key);
      expect((await client.ask("tools/list")).body.result.tools).toHaveLength(TOOL_NAMES.length);
      expect(await client.used()).toBe(0);
    }
  });
});
