import { afterAll, beforeAll, expect, test } from "bun:test";
import { importFile } from "../../../src/catalog/imports/import-file.ts";
import { toolMethods } from "../../../src/verbs/methods/table.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { fakePorts } from "../../support/fake-ports.ts";

/** Everything an assistant has to work with: the instructions, the list of tools, and their answers. */
interface Tool {
  name: string;
  description: string;
  inputSchema: {
    properties: Record<string, { type: string; description?: string; enum?: string[] }>;
    required?: string[];
  };
}

let appliance: Appliance;
let key: string;
let tools: Tool[];
let instructions: string;

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function ask(method: string, params: object): Promise<any> {
  const { body } = await appliance.request("/v1/mcp/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    key,
  });
  return body.result;
}

beforeAll(async () => {
  const ports = fakePorts("2024-12-05T12:00:00+03:00");
  appliance = await startAppliance({}, ports);
  const { db } = appliance.app.domains;
  const sample = new URL("../../../data/sample/", import.meta.url).pathname;
  await importFile(db, ports.clock, "channels", `${sample}channels.ndjson`);
  await importFile(db, ports.clock, "posts", `${sample}posts.ndjson`);
  await importFile(db, ports.clock, "stats", `${sample}stats.csv`);
  key = (await appliance.customer()).key;
  const handshake = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "assistant", version: "1" },
  };
  instructions = (await ask("initialize", handshake)).instructions;
  tools = (await ask("tools/list", {})).tools;
});
afterAll(() => appliance.close());

test('"how did the biggest science channel grow this month" takes three calls and 5,000 characters', async () => {
  let calls = 0;
  let characters = 0;
  const call = async (name: string, args: object) => {
    const { content, structuredContent } = await ask("tools/call", { name, arguments: args });
    calls += 1;
    characters += JSON.stringify(args).length + content[0].text.length;
    return structuredContent;
  };
  const { results: categories } = await call("msgr_categories_list", {});
  const { slug } = categories.find(({ name }: { name: string }) => /наука/i.test(name));
  const catalog = await call("msgr_channels_list", { category: slug, limit: 1 });
  const [{ id, title }] = catalog.results;
  const { results: days } = await call("msgr_stats_daily_list", {
    channels: String(id),
    from: "2024-12-01",
  });
  expect([title, days.at(0).subscribers, days.at(-1).subscribers]).toEqual([
    ...["Naked Science", 120_132, 120_221],
  ]);
  expect(calls).toBe(3);
  expect(characters).toBeLessThan(5000);
});

test("what a model reads before its first call is at most 12,000 characters", () => {
  const read = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));
  expect(JSON.stringify(read).length).toBeLessThan(12_000);
  expect(instructions.length).toBeLessThan(1_400);
});

test("every tool can be found by the messenger's name, and the instructions name every tool", () => {
  for (const { name, description } of tools) {
    if (name !== "me_retrieve") expect(description, name).toContain("Telegram");
    expect(instructions).toContain(name);
    expect(description).not.toContain("{");
  }
});

test("instructions and descriptions name only tools and arguments that exist", () => {
  const names = new Set(tools.map(({ name }) => name));
  const texts = [instructions, ...tools.map(({ description }) => description)];
  let named = 0;
  for (const text of texts) {
    for (const [name] of text.matchAll(/\bm(?:sgr|e)_[a-z_]+\b/g)) {
      expect(names, text).toContain(name);
      named += 1;
    }
  }
  expect(named).toBeGreaterThan(5);
});

test("every argument is described, and takes each of its choices, or its method's example", async () => {
  for (const { name, inputSchema } of tools) {
    const { required = [], properties } = inputSchema;
    const { parameters = {} } = toolMethods.find(({ operationId }) => operationId === name) ?? {};
    const exampleOf = (argument: string): unknown =>
      (parameters[argument]?.schema["examples"] as unknown[] | undefined)?.[0];
    const needed = Object.fromEntries(required.map((argument) => [argument, exampleOf(argument)]));
    for (const [argument, { description = "", enum: choices }] of Object.entries(properties)) {
      expect(description.length, `${name}.${argument}`).toBeGreaterThanOrEqual(10);
      // Nobody can make up a cursor.
      if (argument === "cursor") continue;
      for (const value of choices ?? [exampleOf(argument)]) {
        const args = { ...needed, [argument]: value };
        const { isError, content } = await ask("tools/call", { name, arguments: args });
        expect(isError, `${name} ${JSON.stringify(args)}: ${content[0].text}`).toBe(false);
      }
    }
  }
});
