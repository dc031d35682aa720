import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { toolCalls, VALUES } from "../../support/contract.ts";
import { createMachine, type Machine, PROGRAM } from "../../support/machine.ts";
import { clientKinds, refusalOf, type StdioProgram, textOf } from "../../support/mcp-clients.ts";
import { TOOL_NAMES } from "../../support/mcp-requests.ts";
import { startTalk } from "../../support/stdio-talk.ts";

/** `kanalog mcp --db FILE` and `--sample`: an assistant reads a file, without an appliance or a key. */
const [COMMAND, ...WORDS] = PROGRAM;
const sample = new URL("../../../data/sample/", import.meta.url).pathname;
/** Where there is no account, there is no tool that tells of it. */
const LOCAL_TOOLS = TOOL_NAMES.filter((name) => name !== "me_retrieve");

let machine: Machine;
let empty: Machine;
beforeAll(async () => {
  machine = createMachine();
  empty = createMachine();
  for (const [kind, file] of [
    ["channels", "channels.ndjson"],
    ["posts", "posts.ndjson"],
    ["stats", "stats.csv"],
  ] as const) {
    await machine.json(["import", kind, sample + file]);
  }
});
afterAll(async () => {
  await machine.leave();
  await empty.leave();
});

function local(
  words: string[],
  cwd = empty.folder,
  env: Record<string, string> = {},
): StdioProgram {
  const args = [...WORDS, "mcp", ...words];
  return { command: COMMAND, args, env: { PATH: process.env["PATH"] ?? "", ...env }, cwd };
}

const ofFile = () => local(["--db", machine.database]);

describe.each(clientKinds.map((kind) => [kind.name, kind] as const))("%s", (_name, kind) => {
  test("reads a file: lists the tools and calls each, as free, while an appliance serves it", async () => {
    const serving = await machine.serve();
    const client = await kind.overStdio(ofFile());
    expect(client.era()).toBe(kind.era);
    expect(client.instructions()).toContain("msgr_channels_list");
    expect(client.instructions()).not.toContain("unit");
    const tools = await client.tools();
    expect(tools.map(({ name }) => name)).toEqual(LOCAL_TOOLS);
    for (const { description } of tools) expect(description).toEndWith("Free.");
    const before = readFileSync(machine.database);
    for (const [tool, args] of toolCalls({ ...VALUES, q: "@nsmag" })) {
      if (tool === "me_retrieve") continue;
      const result = await client.call(tool, args);
      expect([tool, result.isError ?? false]).toEqual([tool, false]);
      expect(textOf(result)).toBe(JSON.stringify(result.structuredContent));
    }
    expect((await refusalOf(client.call("me_retrieve"))).code).toBe(-32602);
    const unknown = await client.call("msgr_channels_retrieve", { channel: "nobody" });
    expect(textOf(unknown)).toStartWith("404 not_found: ");
    expect(readFileSync(machine.database)).toEqual(before);
    expect(machine.query("SELECT * FROM usage_periods")).toEqual([]);
    await client.close();
    await serving.stop();
  });
});

test("what the appliance writes is seen at once", async () => {
  const talk = startTalk(ofFile());
  const ask = (id: number) =>
    talk.say(
      JSON.stringify({
        ...{ jsonrpc: "2.0", id, method: "tools/call" },
        params: { name: "msgr_channels_retrieve", arguments: { channel: "just_now" } },
      }),
    );
  ask(1);
  expect((await talk.answer(({ id }) => id === 1)).result.isError).toBe(true);
  machine.write("more.csv", "handle,title,subscribers\njust_now,Только что,5\n");
  await machine.json(["import", "channels", machine.path("more.csv")]);
  ask(2);
  const { result } = await talk.answer(({ id }) => id === 2);
  expect(result.structuredContent.title).toBe("Только что");
  expect(await talk.end()).toMatchObject({ exitCode: 0, notes: "" });
});

test("the next page is that of the same cursor as the appliance's", async () => {
  const talk = startTalk(ofFile());
  const call = (id: number, args: object) =>
    talk.say(
      JSON.stringify({
        ...{ jsonrpc: "2.0", id, method: "tools/call" },
        params: { name: "msgr_channels_list", arguments: args },
      }),
    );
  call(1, { limit: 4, fields: "id" });
  const first = (await talk.answer(({ id }) => id === 1)).result.structuredContent;
  call(2, { cursor: first.next });
  const second = (await talk.answer(({ id }) => id === 2)).result.structuredContent;
  const ids = [...first.results, ...second.results].map(({ id }: { id: number }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(4);
  await talk.end();
});

test("the sample is read from memory: posts are found, and no file is left", async () => {
  const talk = startTalk(local(["--sample"]));
  talk.say('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  const params = { name: "msgr_posts_search_list", arguments: { q: "вакцина", limit: 1 } };
  talk.say(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params }));
  const { result } = await talk.answer(({ id }) => id === 2);
  expect(result.structuredContent.results).toHaveLength(1);
  expect((await talk.answer(({ id }) => id === 1)).result.tools).toHaveLength(LOCAL_TOOLS.length);
  expect(await talk.end()).toMatchObject({ exitCode: 0, notes: "" });
  expect(readdirSync(empty.folder)).toEqual([]);
});

test("a file that is none of ours, a missing one, and contradicting options are refused", async () => {
  machine.write("text.db", "no database");
  for (const [words, exitCode, says] of [
    [["--db", machine.path("none.db")], 1, "none.db"],
    [["--db", machine.path("text.db")], 1, "text.db"],
    [["--db", ":memory:"], 2, "name a file"],
    [["--db", machine.database, "--sample"], 2, "--sample"],
    [["--sample", "--key", "k"], 2, "--key"],
    [[], 2, "--db or --sample"],
  ] as const) {
    const finished = await machine.runProgram(["mcp", ...words]);
    expect([words, finished.exitCode]).toEqual([words, exitCode]);
    expect(finished.notes).toContain(says);
    expect(finished.out).toBe("");
  }
  expect(machine.exists("none.db")).toBe(false);
});
