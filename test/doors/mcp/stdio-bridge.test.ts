import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { contract, toolCalls, VALUES } from "../../support/contract.ts";
import { createMachine, type Machine, PROGRAM, type Serving } from "../../support/machine.ts";
import { clientKinds, refusalOf, type StdioProgram, textOf } from "../../support/mcp-clients.ts";
import { TOOL_NAMES } from "../../support/mcp-requests.ts";
import { startTalk, type Talk } from "../../support/stdio-talk.ts";

/** `kanalog mcp` as a process, connected to a serving process with the sample data. */
const [COMMAND, ...WORDS] = PROGRAM;
const sample = new URL("../../../data/sample/", import.meta.url).pathname;

let machine: Machine;
let serving: Serving;
let key: string;

beforeAll(async () => {
  machine = createMachine();
  for (const [kind, file] of [
    ["channels", "channels.ndjson"],
    ["posts", "posts.ndjson"],
    ["stats", "stats.csv"],
  ] as const) {
    await machine.json(["import", kind, sample + file]);
  }
  key = (await machine.customer()).key;
  serving = await machine.serve();
});
afterAll(() => machine.leave());

function bridge(words: string[], env: Record<string, string> = {}): StdioProgram {
  return {
    command: COMMAND,
    args: [...WORDS, "mcp", ...words],
    env: { PATH: process.env["PATH"] ?? "", ...env },
    cwd: machine.folder,
  };
}

const byOptions = () => bridge(["--url", serving.address, "--key", key]);
const byEnvironment = () => bridge([], { KANALOG_URL: serving.address, KANALOG_KEY: key });

const ping = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });
const call = (id: unknown, name: string, args: object, more: object = {}) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args, ...more },
  });
const MODERN = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

/** Sends the lines, ends the input, and returns all answers. */
async function answersTo(lines: string[], program = byOptions()) {
  const talk = startTalk(program);
  for (const line of lines) talk.say(line);
  const { exitCode } = await talk.end();
  expect(exitCode).toBe(0);
  return talk.answers();
}

describe.each(clientKinds.map((kind) => [kind.name, kind] as const))("%s", (_name, kind) => {
  test("speaks its era through the bridge, lists the tools and calls each", async () => {
    const client = await kind.overStdio(byEnvironment());
    expect(client.era()).toBe(kind.era);
    expect(client.instructions()).toContain("msgr_channels_resolve_retrieve");
    expect((await client.tools()).map(({ name }) => name)).toEqual(TOOL_NAMES);
    for (const [tool, args] of toolCalls({ ...VALUES, q: "@nsmag" })) {
      const result = await client.call(tool, args);
      const { answer = [] } = contract.methods.find(({ operation }) => operation === tool) ?? {};
      expect(result.structuredContent[answer[0] ?? ""], tool).toBeDefined();
      expect(textOf(result)).toBe(JSON.stringify(result.structuredContent));
    }
    const unknown = await client.call("msgr_channels_retrieve", { channel: "nobody" });
    expect([unknown.isError, unknown.structuredContent]).toEqual([true, undefined]);
    expect(textOf(unknown)).toStartWith("404 not_found: ");
    const wrong = await client.call("msgr_channels_list", { kind: "group" });
    expect(textOf(wrong)).toBe(
      '400 invalid: kind: "group" is not a valid choice. Allowed: channel, chat.',
    );
    expect((await refusalOf(client.call("msgr_webhooks_list"))).code).toBe(-32602);
    expect(client.complaints).toEqual([]);
    await client.close();
  });

  test("makes 200 calls at once through the bridge and gets the right answer to each", async () => {
    const client = await kind.overStdio(byOptions());
    const wanted = Array.from({ length: 200 }, (_, index) => (index % 9) + 1);
    const answers = await Promise.all(
      wanted.map((id) => client.call("msgr_channels_retrieve", { channel: String(id) })),
    );
    expect(answers.map(({ structuredContent }) => structuredContent.id)).toEqual(wanted);
    await client.close();
  });

  test("reports a wrong key and a server that is down, and does not hang", async () => {
    const wrongKey = bridge(["--url", serving.address, "--key", `${key}x`]);
    // The pinned client reports its own message whatever the answer says.
    const says = (words: RegExp) => (kind.name.includes("pinned") ? /did not offer/ : words);
    expect((await refusalOf(kind.overStdio(wrongKey))).message).toMatch(says(/\b401\b/));
    // Nothing listens on port 9, that of the discard protocol.
    const nowhere = bridge(["--url", "http://127.0.0.1:9", "--key", key]);
    expect((await refusalOf(kind.overStdio(nowhere))).message).toMatch(says(/reached/));
  });
});

test("an id comes back with its type and value, whatever it is", async () => {
  const ids = ["1", 1, 0, -7, "", "знак", Number.MAX_SAFE_INTEGER, '"'];
  const answers = await answersTo(ids.map(ping));
  expect(answers).toHaveLength(ids.length);
  for (const id of ids) expect(answers).toContainEqual({ jsonrpc: "2.0", id, result: {} });
});

test("a notification is forwarded and not answered, not even one that calls a tool", async () => {
  const answers = await answersTo([
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"me_retrieve","arguments":{}}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    ping("after"),
  ]);
  expect(answers).toEqual([{ jsonrpc: "2.0", id: "after", result: {} }]);
});

test("a response is not answered, whether the server is up or down", async () => {
  const responses = [
    '{"jsonrpc":"2.0","id":5,"result":{}}',
    '{"jsonrpc":"2.0","id":6,"error":{"code":-32601,"message":"Not here."}}',
  ];
  const answers = await answersTo([...responses, ping("after")]);
  expect(answers).toEqual([{ jsonrpc: "2.0", id: "after", result: {} }]);
  const nowhere = bridge(["--url", "http://127.0.0.1:9", "--key", key]);
  expect(await answersTo(responses, nowhere)).toEqual([]);
});

test("lines that are not requests get the server's errors, and do not affect others", async () => {
  const answers = await answersTo([
    "garbage",
    '{"jsonrpc":"2.0","id":1,"method":',
    "",
    "   ",
    "[]",
    `[${ping(2)}]`,
    "null",
    ping("after"),
  ]);
  const codes = answers.filter(({ error }) => error).map(({ id, error }) => [id, error.code]);
  expect(codes.toSorted()).toEqual([
    [null, -32600],
    [null, -32600],
    [null, -32600],
    [null, -32700],
    [null, -32700],
  ]);
  expect(answers.filter(({ error }) => !error)).toEqual([
    { jsonrpc: "2.0", id: "after", result: {} },
  ]);
});

test("lines end only at line feeds, not at other separators in a text", async () => {
  const text = "a\u2028b\u2029c\u0085d";
  const [answer] = await answersTo([call(1, "msgr_channels_list", { q: text })]);
  expect(answer.id).toBe(1);
  expect(answer.result.structuredContent).toEqual({ results: [], next: null });
});

test("a line may end with CR LF, and the last one without a line end", async () => {
  const talk = startTalk(byOptions());
  talk.write(`${ping(1)}\r\n${ping(2)}`);
  await talk.end();
  const ids = talk.answers().map(({ id }) => id);
  expect(ids.toSorted()).toEqual([1, 2]);
});

test("a text that arrives in pieces, split within a letter, is one message", async () => {
  const talk = startTalk(byOptions());
  const bytes = new TextEncoder().encode(
    `${ping("сначала")}\n${call(2, "msgr_channels_list", { q: "новости" })}\n`,
  );
  const cut = bytes.lastIndexOf(0xd0) + 1;
  talk.write(bytes.slice(0, cut));
  // Once this is answered, the first piece has been read.
  await talk.answer(({ id }) => id === "сначала");
  talk.write(bytes.slice(cut));
  const { result } = await talk.answer(({ id }) => id === 2);
  expect(result.structuredContent.results.length).toBeGreaterThan(0);
  await talk.end();
});

test("each answer is one line, and nothing else is printed to standard output", async () => {
  const talk = startTalk(byOptions());
  talk.say(call(1, "msgr_channels_posts_retrieve", { channel: "8", limit: 100 }));
  talk.say(call(2, "msgr_territories_list", {}));
  talk.say(call(3, "msgr_channels_retrieve", { channel: "nobody" }));
  talk.say("garbage");
  const { output } = await talk.end();
  const lines = output.split("\n");
  expect(lines.pop()).toBe("");
  expect(lines).toHaveLength(4);
  for (const line of lines) expect(JSON.parse(line).jsonrpc).toBe("2.0");
});

test("the bridge runs until its input ends, then answers all pending requests and exits with 0", async () => {
  const talk = startTalk(byOptions());
  for (const id of [1, 2]) {
    talk.say(ping(id));
    await talk.answer((answer) => answer.id === id);
    expect(talk.exitCode()).toBeNull();
  }
  for (let id = 3; id <= 302; id++) {
    talk.say(call(id, "msgr_channels_posts_retrieve", { channel: "8", limit: 20 }));
  }
  const { exitCode } = await talk.end();
  expect(exitCode).toBe(0);
  const answers = talk.answers();
  expect(answers).toHaveLength(302);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(302);
  expect(answers.filter(({ error }) => error)).toEqual([]);
});

test("an empty input ends the bridge at once", async () => {
  expect(await answersTo([])).toEqual([]);
});

test("both eras work side by side through the same bridge", async () => {
  const answers = await answersTo([
    ...[ping("old"), JSON.stringify({ jsonrpc: "2.0", id: "new", method: "ping", params: MODERN })],
    JSON.stringify({ jsonrpc: "2.0", id: "discover", method: "server/discover", params: MODERN }),
    call("called", "msgr_channels_retrieve", { channel: "nsmag" }, MODERN),
    call("кот", "кот", {}, MODERN),
  ]);
  const byId = Object.fromEntries(answers.map((answer) => [answer.id, answer]));
  expect(byId["old"].result).toEqual({});
  expect(byId["new"].error.code).toBe(-32601);
  expect(byId["discover"].result.resultType).toBe("complete");
  expect(byId["called"].result).toMatchObject({
    resultType: "complete",
    structuredContent: { handle: "nsmag" },
  });
  expect(byId["кот"].error.code).toBe(-32602);
});

test("a modern tool name that looks encoded is forwarded unchanged, and is an unknown tool", async () => {
  const [answer] = await answersTo([call(1, "=?base64?YWJj?=", {}, MODERN)]);
  expect(answer).toMatchObject({ id: 1, error: { code: -32602 } });
});

test("a server that goes down fails each request under its own id, and is used again once it is up", async () => {
  const other = createMachine();
  try {
    const { key: otherKey } = await other.customer();
    let server = await other.serve();
    const { address } = server;
    const talk = startTalk(bridge(["--url", address, "--key", otherKey]));
    talk.say(call("before", "me_retrieve", {}));
    const before = await talk.answer(({ id }) => id === "before");
    expect(before.result.isError).toBe(false);

    await server.stop();
    for (const id of ["1", 1]) talk.say(ping(id));
    talk.say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    for (const id of ["1", 1]) {
      const { jsonrpc, error } = await talk.answer((answer) => answer.id === id);
      expect([jsonrpc, typeof error.code, typeof error.message]).toEqual([
        ...["2.0", "number", "string"],
      ]);
      expect(error.code).toBeLessThan(0);
    }

    server = await other.serve(["serve", "--port", new URL(address).port]);
    talk.say(call("after", "me_retrieve", {}));
    const after = await talk.answer(({ id }) => id === "after");
    expect(after.result.structuredContent.api_tariff).toBe("profi");
    expect((await talk.end()).exitCode).toBe(0);
    expect(talk.answers()).toHaveLength(4);
  } finally {
    await other.leave();
  }
});

test("an answer that is not from an appliance becomes an error under the request's id", async () => {
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
  });
  try {
    const program = bridge(["--url", `http://127.0.0.1:${proxy.port}`, "--key", key]);
    const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    const answers = await answersTo([ping("x"), notification], program);
    expect(answers).toEqual([
      {
        jsonrpc: "2.0",
        id: "x",
        error: expect.objectContaining({ message: expect.stringContaining("502") }),
      },
    ]);
  } finally {
    await proxy.stop(true);
  }
});

test("an answer of several lines is written as one", async () => {
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response('{\n  "jsonrpc": "2.0",\n  "id": "x",\n  "result": {}\n}\n'),
  });
  try {
    const talk = startTalk(bridge(["--url", `http://127.0.0.1:${proxy.port}`, "--key", key]));
    talk.say(ping("x"));
    const { output } = await talk.end();
    expect(output).toBe('{"jsonrpc":"2.0","id":"x","result":{}}\n');
  } finally {
    await proxy.stop(true);
  }
});

test("a wrong key fails each request under its own id, with the API's code", async () => {
  const wrong = bridge(["--url", serving.address, "--key", `${key}x`]);
  const answers = await answersTo([ping(1), call("2", "me_retrieve", {})], wrong);
  expect(answers.map(({ id }) => id).toSorted()).toEqual([1, "2"]);
  for (const { error, result } of answers) {
    expect(result).toBeUndefined();
    expect(error.message).toContain("401 authentication_failed");
  }
});

test("a line larger than the server accepts is an error under its id", async () => {
  const answers = await answersTo([
    call(7, "msgr_channels_list", { q: "я".repeat(1_100_000) }),
    ping(8),
  ]);
  const byId = Object.fromEntries(answers.map((answer) => [answer.id, answer]));
  expect(byId[7].error.message).toContain("413");
  expect(byId[8].result).toEqual({});
});

test("address and key come from the options, or else from the environment", async () => {
  const { address } = serving;
  for (const program of [
    byEnvironment(),
    bridge(["--url", `${address}/`, "--key", key]),
    bridge(["--url", `${address}/v1/mcp/`, "--key", key]),
    bridge(["--url", `${address}/v1/mcp`, "--key", key]),
    bridge(["--url", address, "--key", key], { KANALOG_URL: "http://127.0.0.1:9" }),
    bridge(["--url", address, "--key", key], { KANALOG_KEY: "knl_ro_wrong" }),
    bridge(["--url", address], { KANALOG_KEY_FILE: machine.write("key", `${key}\n`) }),
  ]) {
    const [answer] = await answersTo([call(1, "me_retrieve", {})], program);
    expect(answer.result?.isError, program.args.join(" ")).toBe(false);
  }
});

test("without address or key the bridge exits with 2, and names the setting in one line on standard error", async () => {
  const talkOf = async (program: StdioProgram): Promise<Awaited<ReturnType<Talk["end"]>>> =>
    startTalk(program).end();
  for (const [program, name] of [
    [bridge([]), "KANALOG_URL"],
    [bridge(["--url", serving.address]), "KANALOG_KEY"],
    [bridge(["--key", key]), "KANALOG_URL"],
    [bridge(["--url", "no address", "--key", key]), "KANALOG_URL"],
    [bridge(["--url", "ftp://127.0.0.1", "--key", key]), "KANALOG_URL"],
  ] as const) {
    const { exitCode, output, notes } = await talkOf(program);
    expect([exitCode, output], program.args.join(" ")).toEqual([2, ""]);
    expect(notes.trim().split("\n")).toEqual([expect.stringContaining(name)]);
  }
});

test("the bridge opens no database and leaves no file behind", async () => {
  const other = createMachine();
  try {
    await answersTo([ping(1)], { ...byOptions(), cwd: other.folder });
    expect(readdirSync(other.folder)).toEqual([]);
  } finally {
    await other.leave();
  }
});
