import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { version } from "../../../package.json";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import {
  expectRpcError,
  expectToolError,
  expectToolResult,
  LEGACY_VERSIONS,
  type McpRequests,
  MODERN_META,
  MODERN_VERSION,
  mcpRequests,
} from "../../support/mcp-requests.ts";

/** The protocol's revision 2026-07-28: no handshake, each request self-contained. */

let appliance: Appliance;
let mcp: McpRequests;

beforeAll(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1, { handle: "one" })]);
});

beforeEach(async () => {
  mcp = mcpRequests(appliance, (await appliance.customer()).key);
});

afterAll(() => appliance.close());

const CARD = { name: "msgr_channels_retrieve", arguments: { channel: "1" } };
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

describe("results", () => {
  test("say that they are complete, and name the server", async () => {
    for (const [method, params] of [
      ["server/discover", {}],
      ["tools/list", {}],
      ["tools/call", CARD],
      ["tools/call", { ...CARD, arguments: { channel: "99" } }],
    ] as const) {
      const { status, body } = await mcp.modern(method, params);
      expect(status, method).toBe(200);
      expect(body.result.resultType).toBe("complete");
      expect(body.result._meta["io.modelcontextprotocol/serverInfo"]).toMatchObject({
        name: "kanalog",
        version,
      });
    }
  });

  test("of server/discover list the revisions, the tools capability and the instructions", async () => {
    const { result } = (await mcp.modern("server/discover")).body;
    expect(result.supportedVersions.toSorted()).toEqual([...LEGACY_VERSIONS, MODERN_VERSION]);
    expect(Object.keys(result.capabilities)).toEqual([
      "tools",
      "resources",
      "prompts",
      "extensions",
    ]);
    const legacy = await mcp.ask("initialize", { protocolVersion: "2025-11-25" });
    expect(result.instructions).toBe(legacy.body.result.instructions);
  });

  test("of tools/call are the same as in the legacy era, at the same cost", async () => {
    const legacy = await mcp.call(CARD.name, CARD.arguments);
    const modern = await mcp.modern("tools/call", CARD);
    expect(expectToolResult(modern)).toEqual(expectToolResult(legacy));
    expect(await mcp.used()).toBe(2);
    const failed = await mcp.modern("tools/call", {
      name: "msgr_channels_list",
      arguments: { kind: "group" },
    });
    expectToolError(
      failed,
      '400 invalid: kind: "group" is not a valid choice. Allowed: channel, chat.',
    );
    expect(await mcp.used()).toBe(3);
  });

  test("of the legacy era have none of these members", async () => {
    const list = await mcp.ask("tools/list");
    const card = await mcp.call(CARD.name, CARD.arguments);
    for (const { body } of [list, card]) {
      for (const name of ["resultType", "ttlMs", "cacheScope", "_meta"]) {
        expect(body.result).not.toHaveProperty(name);
      }
    }
  });
});

describe("methods", () => {
  for (const method of ["initialize", "ping", "nope", "", "__proto__", "tools", "resources"]) {
    test(`"${method}" does not exist: 404 and -32601`, async () => {
      const params = { protocolVersion: MODERN_VERSION, capabilities: {}, clientInfo: {} };
      expectRpcError(await mcp.modern(method, params), -32601, 404);
    });
  }

  test("without an id are 202 and run nothing", async () => {
    const params = { _meta: MODERN_META, ...CARD };
    const { status, body } = await mcp.post(
      JSON.stringify({ jsonrpc: "2.0", method: "tools/call", params }),
      { "mcp-protocol-version": MODERN_VERSION, "mcp-method": "tools/call", "mcp-name": CARD.name },
    );
    expect([status, body]).toEqual([202, ""]);
    expect(await mcp.used()).toBe(0);
  });
});

describe("_meta", () => {
  const name = "io.modelcontextprotocol/protocolVersion";
  const capabilities = "io.modelcontextprotocol/clientCapabilities";
  for (const [what, _meta] of [
    ["missing", undefined],
    ["empty", {}],
    ["without the revision", { [capabilities]: {} }],
    ["without the client's capabilities", { [name]: MODERN_VERSION }],
    ["null", null],
    ["a list", []],
    ["a string", "x"],
    ["with all of it behind __proto__", JSON.parse(`{"__proto__":${JSON.stringify(MODERN_META)}}`)],
  ] as const) {
    test(`${what} is 400 and -32602, for every method, and runs nothing`, async () => {
      for (const [method, params] of [
        ["server/discover", {}],
        ["tools/list", {}],
        ["tools/call", CARD],
      ] as const) {
        expectRpcError(await mcp.modern(method, { ...params, _meta }), -32602, 400, method);
      }
      expect(await mcp.used()).toBe(0);
    });
  }

  test("without params at all is 400 and -32602", async () => {
    const answer = await mcp.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {
      "mcp-protocol-version": MODERN_VERSION,
      "mcp-method": "tools/list",
    });
    expectRpcError(answer, -32602, 400);
  });

  test("with another revision than the header's is refused with 400", async () => {
    const _meta = { ...MODERN_META, [name]: "2025-11-25" };
    const { status, body } = await mcp.modern("tools/list", { _meta });
    expect([status, body.error?.code]).toEqual([400, -32020]);
  });

  test("may have further members, and capabilities with content", async () => {
    const _meta = {
      [name]: MODERN_VERSION,
      [capabilities]: { elicitation: {}, sampling: {} },
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      progressToken: "abc",
    };
    expect((await mcp.modern("tools/list", { _meta })).status).toBe(200);
  });
});

describe("the headers", () => {
  for (const [what, params, headers] of [
    ["no Mcp-Method", {}, { "mcp-method": null }],
    ["an empty Mcp-Method", {}, { "mcp-method": "" }],
    ["another Mcp-Method", {}, { "mcp-method": "tools/call" }],
    ["Mcp-Method in capitals", {}, { "mcp-method": "TOOLS/LIST" }],
  ] as const) {
    test(`${what} is 400 and -32020`, async () => {
      expectRpcError(await mcp.modern("tools/list", params, headers), -32020, 400);
    });
  }

  for (const [what, headers] of [
    ["no Mcp-Name", { "mcp-name": null }],
    ["an empty Mcp-Name", { "mcp-name": "" }],
    ["another tool in Mcp-Name", { "mcp-name": "me_retrieve" }],
    ["Mcp-Name in capitals", { "mcp-name": "MSGR_CHANNELS_RETRIEVE" }],
    ["another tool in Mcp-Name, in base64", { "mcp-name": base64("me_retrieve") }],
    ["broken base64 in Mcp-Name", { "mcp-name": "=?base64?%%%?=" }],
    ["base64 that is not UTF-8", { "mcp-name": "=?base64?/w==?=" }],
    [
      "the name in base64 without its marks",
      { "mcp-name": Buffer.from(CARD.name).toString("base64") },
    ],
    ["no Mcp-Method on a call", { "mcp-method": null }],
    ["another Mcp-Method on a call", { "mcp-method": "tools/list" }],
  ] as const) {
    test(`${what} is 400 and -32020, and runs nothing`, async () => {
      expectRpcError(await mcp.modern("tools/call", CARD, headers), -32020, 400);
      expect(await mcp.used()).toBe(0);
    });
  }

  test("without Mcp-Name are 400 and -32020 even if the body names no tool", async () => {
    for (const params of [{}, { name: null }, { name: 1 }]) {
      const answer = await mcp.modern("tools/call", params, { "mcp-name": null });
      expectRpcError(answer, -32020, 400, JSON.stringify(params));
    }
  });

  test("may contain the tool's name in base64", async () => {
    const answer = await mcp.modern("tools/call", CARD, { "mcp-name": base64(CARD.name) });
    expect(expectToolResult(answer).id).toBe(1);
  });

  test("may name an unknown tool, also in Russian, and the answer is that the tool is unknown", async () => {
    for (const name of ["nope", "инструмент"]) {
      const answer = await mcp.modern("tools/call", { name }, { "mcp-name": base64(name) });
      expect(answer.body.error?.code, name).toBe(-32602);
    }
  });

  test("need Mcp-Name only on a call, and are ignored in the legacy era", async () => {
    expect((await mcp.modern("tools/list")).status).toBe(200);
    const { body } = await mcp.ask("tools/call", CARD, {
      "mcp-method": "ping",
      "mcp-name": "me_retrieve",
    });
    expect(body.result.isError).toBe(false);
  });
});

describe("errors that both eras share", () => {
  for (const [what, raw, code, status] of [
    ["broken JSON", "{", -32700, 400],
    ["an empty body", "", -32700, 400],
    ["a batch", "[]", -32600, 400],
    ["an id that is null", '{"jsonrpc":"2.0","id":null,"method":"tools/list"}', -32600, 400],
    ["another jsonrpc", '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', -32600, 400],
  ] as const) {
    test(`${what} is ${code} with HTTP ${status}`, async () => {
      const headers = { "mcp-protocol-version": MODERN_VERSION, "mcp-method": "tools/list" };
      expectRpcError(await mcp.post(raw, headers), code, status);
    });
  }

  test("wrong arguments are not among them: the model reads what is wrong, free of charge", async () => {
    for (const [args, text] of [
      [
        { channel: "1", x: 1 },
        '400 invalid: msgr_channels_retrieve has no argument "x"; it takes: channel, include, fields.',
      ],
      [{}, '400 invalid: msgr_channels_retrieve needs the argument "channel".'],
      [{ channel: "a/b" }, '400 invalid: "channel" must not contain /, ? or #.'],
      [[], "400 invalid: `arguments` must be an object."],
    ] as const) {
      const answer = await mcp.modern("tools/call", { ...CARD, arguments: args });
      expect(answer.status).toBe(200);
      expect(answer.body.result).toMatchObject({
        ...{ resultType: "complete", isError: true },
        content: [{ type: "text", text }],
      });
    }
    expect(await mcp.used()).toBe(0);
  });
});
