import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Answer, type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import {
  expectRpcError,
  expectToolError,
  expectToolResult,
  type McpRequests,
  mcpRequests,
} from "../../support/mcp-requests.ts";

/** Bodies of a POST, valid and invalid, which both eras treat alike. */

let appliance: Appliance;
let mcp: McpRequests;

beforeAll(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1, { handle: "one" })]);
});

beforeEach(async () => {
  mcp = mcpRequests(appliance, (await appliance.customer()).key);
});

afterEach(() => {
  expect(appliance.ports.log.errors).toEqual([]);
});

afterAll(() => appliance.close());

const CALL =
  '"method":"tools/call","params":{"name":"msgr_channels_retrieve","arguments":{"channel":"1"}}';

/** Expects that no unit was used, and that the tool of `CALL` did not run. */
async function expectNothingRan(): Promise<void> {
  expect(await mcp.usage()).not.toHaveProperty("msgr_channels_retrieve");
  expect(await mcp.used()).toBe(0);
}

describe("an id", () => {
  for (const id of [
    "1",
    "0",
    "-1",
    "9007199254740991",
    "-9007199254740991",
    '""',
    '"1"',
    '"a b/c?#"',
    '"ключ"',
    '"\\ud83d\\ude00"',
    '"__proto__"',
    `"${"x".repeat(2_048)}"`,
  ]) {
    test(`${id.slice(0, 30)} comes back unchanged, with a result, an error and a tool's error`, async () => {
      for (const rest of [
        '"method":"ping"',
        '"method":"nope"',
        '"method":"tools/call","params":{"name":"nope"}',
        '"method":"tools/call","params":{"name":"msgr_posts_retrieve","arguments":{"id":"99"}}',
        CALL,
      ]) {
        const { body } = await mcp.post(`{"jsonrpc":"2.0","id":${id},${rest}}`);
        expect(body.id).toBe(JSON.parse(id));
      }
    });
  }

  for (const id of [
    "null",
    "{}",
    '{"a":1}',
    "[]",
    "[1]",
    "true",
    "false",
    "1.5",
    "-0.1",
    "9007199254740992",
    "-9007199254740992",
    "12345678901234567890",
    "1e400",
    "1e21",
  ]) {
    test(`${id} is an invalid request, and nothing runs`, async () => {
      const answer = await mcp.post(`{"jsonrpc":"2.0","id":${id},${CALL}}`);
      expectRpcError(answer, -32600, 400);
      expect(answer.body.id).toBeNull();
      await expectNothingRan();
    });
  }
});

describe("a body that is not a JSON-RPC 2.0 object", () => {
  for (const [what, body] of [
    ["an empty batch", "[]"],
    ["a batch of one", `[{"jsonrpc":"2.0","id":1,${CALL}}]`],
    ["a batch of two", `[{"jsonrpc":"2.0","id":1,${CALL}},{"jsonrpc":"2.0","id":2,${CALL}}]`],
    ["a batch of notifications", `[{"jsonrpc":"2.0",${CALL}}]`],
    ["a number", "1"],
    ["a string", '"tools/list"'],
    ["null", "null"],
    ["true", "true"],
    ["an empty object", "{}"],
    ["no jsonrpc", `{"id":1,${CALL}}`],
    ["jsonrpc 1.0", `{"jsonrpc":"1.0","id":1,${CALL}}`],
    ["jsonrpc as a number", `{"jsonrpc":2.0,"id":1,${CALL}}`],
    ["jsonrpc null", `{"jsonrpc":null,"id":1,${CALL}}`],
    ["jsonrpc in a list", `{"jsonrpc":["2.0"],"id":1,${CALL}}`],
    ["a notification without jsonrpc", `{${CALL}}`],
    ["no method", '{"jsonrpc":"2.0","id":1}'],
    ["no method, with params", '{"jsonrpc":"2.0","id":1,"params":{"name":"me_retrieve"}}'],
    ["a method that is a number", '{"jsonrpc":"2.0","id":1,"method":1}'],
    ["a method that is null", '{"jsonrpc":"2.0","id":1,"method":null}'],
    ["a method in a list", '{"jsonrpc":"2.0","id":1,"method":["tools/list"]}'],
    ["a method that is an object", '{"jsonrpc":"2.0","id":1,"method":{}}'],
    ["all of it behind __proto__", `{"__proto__":{"jsonrpc":"2.0","id":1,${CALL}}}`],
  ] as const) {
    test(`${what} is -32600 with HTTP 400 and the id, if it has one, and nothing runs`, async () => {
      const answer = await mcp.post(body);
      expectRpcError(answer, -32600, 400);
      expect(answer.body.id).toBe(/^{("jsonrpc":[^,]*,)?"id":1/.test(body) ? 1 : null);
      await expectNothingRan();
    });
  }
});

describe("a body that is not JSON", () => {
  const encoder = new TextEncoder();
  const broken = (byte: number) => {
    const bytes = encoder.encode('{"jsonrpc":"2.0","id":1,"method":"ping","x":"?"}');
    bytes[bytes.indexOf(0x3f)] = byte;
    return bytes;
  };
  for (const [what, body] of [
    ["nothing", ""],
    ["blanks", " \r\n\t"],
    ["half an object", '{"jsonrpc":"2.0","id":1'],
    ["an object and more", '{"jsonrpc":"2.0","id":1,"method":"ping"}}'],
    ["two lines of JSON", '{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0"}'],
    ["a comma too many", '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
    ["single quotes", "{'jsonrpc':'2.0','id':1,'method':'ping'}"],
    ["a comment", '{"jsonrpc":"2.0","id":1,"method":"ping"} // hello'],
    ["NaN", '{"jsonrpc":"2.0","id":NaN,"method":"ping"}'],
    ["a bare line end in a string", '{"jsonrpc":"2.0","id":"\n","method":"ping"}'],
    ["a form", "jsonrpc=2.0&id=1&method=ping"],
    ["XML", "<methodCall/>"],
    ["a byte that is not UTF-8", broken(0xff)],
    ["a broken UTF-8 sequence", broken(0xc3)],
    ["NUL bytes", "\0\0\0"],
    ["200,000 opening brackets", "[".repeat(200_000)],
    ["200,000 opening braces", '{"a":'.repeat(200_000)],
  ] as const) {
    test(`${what} is -32700 with HTTP 400 and id null`, async () => {
      const answer = await mcp.post(body);
      expectRpcError(answer, -32700, 400);
      expect(answer.body.id).toBeNull();
    });
  }
});

describe("params", () => {
  for (const params of ["[]", '["me_retrieve"]', '"x"', "1", "true", "null"]) {
    test(`${params} are -32602 for every method, and cost nothing`, async () => {
      for (const method of ["initialize", "ping", "tools/list", "tools/call"]) {
        const body = `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params}}`;
        const answer = await mcp.post(body);
        expectRpcError(answer, -32602, 200, method);
        expect(answer.body.id).toBe(7);
      }
      await expectNothingRan();
    });
  }
});

describe("a message that needs no answer", () => {
  for (const [what, body] of [
    ["notifications/initialized", '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    [
      "a cancellation",
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    ],
    ["an unknown notification", '{"jsonrpc":"2.0","method":"nope/nope"}'],
    ["a ping without id", '{"jsonrpc":"2.0","method":"ping"}'],
    ["a tool call without id", `{"jsonrpc":"2.0",${CALL}}`],
    [
      "a call of an unknown tool without id",
      '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}',
    ],
    ["a response with a result", '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ["a response with an error", '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}'],
    ["a response under a string", '{"jsonrpc":"2.0","id":"abc","result":{"a":[1]}}'],
  ] as const) {
    test(`${what} is a 202 with no body, and nothing runs`, async () => {
      const answer = await mcp.post(body);
      expect([answer.status, answer.body]).toEqual([202, ""]);
      await expectNothingRan();
    });
  }
});

describe("a hostile body", () => {
  /** Expects one of the codes, and that the appliance still answers a ping correctly. */
  async function expectSound(answer: Answer, codes: number[]): Promise<void> {
    expect(codes, JSON.stringify(answer.body).slice(0, 300)).toContain(answer.body.error?.code);
    expect((await mcp.ask("ping")).body).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  }

  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  const deepObject = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  for (const [what, bomb] of [
    ["200,000 lists", deep],
    ["100,000 objects", deepObject],
  ] as const) {
    test(`of ${what} nested in each other is refused`, async () => {
      await expectSound(await mcp.post(bomb), [-32600, -32700]);
    });

    test(`with an id of ${what} nested in each other is refused`, async () => {
      await expectSound(
        await mcp.post(`{"jsonrpc":"2.0","id":${bomb},"method":"ping"}`),
        [-32600, -32700],
      );
    });

    test(`with arguments of ${what} nested in each other is refused and costs nothing`, async () => {
      await expectSound(await mcp.call("me_retrieve", bomb), [-32602, -32700]);
      await expectSound(await mcp.call("me_retrieve", `{"a":${bomb}}`), [-32602, -32700]);
      await expectNothingRan();
    });

    test(`with a known argument of ${what} nested in each other does not fail the appliance`, async () => {
      const answer = await mcp.call("msgr_channels_list", `{"q":${bomb}}`);
      if (answer.body.result !== undefined) expectToolError(answer, "400 invalid: q: ");
      else await expectSound(answer, [-32602, -32700]);
    });

    test(`with ${what} nested in an unknown member does not fail the appliance`, async () => {
      const answer = await mcp.post(`{"jsonrpc":"2.0","id":1,"method":"ping","x":${bomb}}`);
      if (answer.body.result !== undefined) expect(answer.body.result).toEqual({});
      else await expectSound(answer, [-32700]);
    });
  }

  for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
    test(`with a method or tool named ${name} is refused as unknown`, async () => {
      expectRpcError(await mcp.ask(name), -32601, 200);
      expectRpcError(await mcp.call(name), -32602, 200);
      await expectNothingRan();
    });

    test(`with the argument ${name} is refused as having an unknown argument`, async () => {
      for (const [tool, more] of [
        ["me_retrieve", ""],
        ["msgr_channels_retrieve", '"channel":"1",'],
        ["msgr_channels_list", ""],
      ] as const) {
        for (const value of ["1", "null", '{"channel":"1"}']) {
          expectRpcError(await mcp.call(tool, `{${more}"${name}":${value}}`), -32602, 200, tool);
        }
      }
      await expectNothingRan();
    });

    test(`with an unknown member ${name} is answered as without it`, async () => {
      const hidden = `"${name}":{"name":"me_retrieve","arguments":{},"limit":1,"isAdmin":true}`;
      const { body } = await mcp.post(
        `{${hidden},"jsonrpc":"2.0","id":1,"method":"ping","params":{${hidden}}}`,
      );
      expect(body).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
      const call = await mcp.post(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${hidden}}}`,
      );
      expectRpcError(call, -32602, 200);
      expect({}).not.toHaveProperty("isAdmin");
    });
  }

  test("cannot supply a missing argument through __proto__", async () => {
    const answer = await mcp.call("msgr_channels_retrieve", '{"__proto__":{"channel":"1"}}');
    expectRpcError(answer, -32602, 200);
    await expectNothingRan();
  });

  test("with a megabyte of text as id, argument or name gets a short answer", async () => {
    const text = "x".repeat(1_000_000);
    const ping = (id: string) => mcp.post(`{"jsonrpc":"2.0","id":"${id}","method":"ping"}`);
    expect((await ping(text.slice(0, 2_048))).body.id).toBe(text.slice(0, 2_048));
    // The limit is in bytes of JSON.
    for (const long of [text, "я".repeat(1_100), "\\u0001".repeat(400)]) {
      expect((await ping(long)).body).toMatchObject({ id: null, error: { code: -32600 } });
    }
    for (const list of ["q", "category", "territory", "cursor", "kind", "ids", "verified"]) {
      const answer = await mcp.call("msgr_channels_list", { [list]: text });
      expectToolError(answer, `400 invalid: ${list}: `);
      expect(JSON.stringify(answer.body).length).toBeLessThan(1_000);
    }
    expectToolError(await mcp.call("msgr_channels_retrieve", { channel: text }), "404 not_found: ");
    expectRpcError(await mcp.call(text), -32602, 200);
    expectRpcError(await mcp.ask(text), -32601, 200);
    expectRpcError(await mcp.call("me_retrieve", { [text]: 1 }), -32602, 200);
  });

  test("with NUL bytes or unpaired surrogates gets the method's own 400 or 404", async () => {
    const nul = await mcp.call("msgr_channels_list", '{"q":"abc\\u0000"}');
    expectToolError(nul, "400 invalid: q: ");
    const path = await mcp.call("msgr_channels_retrieve", '{"channel":"\\u0000"}');
    expectToolError(path, "404 not_found: ");
    const half = await mcp.call("msgr_channels_retrieve", '{"channel":"\\ud800"}');
    expectToolError(half, "404 not_found: ");
  });

  test("with a repeated member is answered once, by the last one", async () => {
    const { body } = await mcp.post('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}');
    expect(body).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
  });
});

test("unknown members are ignored", async () => {
  const { body } = await mcp.post(
    '{"jsonrpc":"2.0","id":1,"method":"ping","extra":1,"params":{"extra":1,"_meta":{"progressToken":7}}}',
  );
  expect(body).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  const call = await mcp.ask("tools/call", {
    name: "msgr_channels_retrieve",
    arguments: { channel: "1" },
    extra: 1,
    _meta: { progressToken: 7 },
  });
  expect(expectToolResult(call).id).toBe(1);
});

test("a thousand concurrent calls are each answered under their own id", async () => {
  await imported(
    appliance,
    "channels",
    Array.from({ length: 100 }, (_, index) => channel(1 + index)),
  );
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => {
      const id = index % 2 === 0 ? index : String(index);
      const params = {
        name: "msgr_channels_retrieve",
        arguments: { channel: String(1 + (index % 100)) },
      };
      return mcp.post(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
    }),
  );
  for (const [index, answer] of answers.entries()) {
    expect(answer.body.id).toBe(index % 2 === 0 ? index : String(index));
    expect(expectToolResult(answer).id).toBe(1 + (index % 100));
  }
  expect(await mcp.used()).toBe(1_000);
});
