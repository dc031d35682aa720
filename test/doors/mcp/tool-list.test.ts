import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { contract, methodNamed } from "../../support/contract.ts";
import { expectRpcError, mcpRequests, TOOL_NAMES } from "../../support/mcp-requests.ts";

/** The tools as an assistant sees them. */

interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: {
    properties: Record<string, Record<string, unknown>>;
    required?: string[];
  };
  outputSchema: { properties: Record<string, unknown>; required: string[] };
  annotations: Record<string, unknown>;
}

let appliance: Appliance;
let tools: Tool[];
let rawList: string;

beforeAll(async () => {
  appliance = await startAppliance();
  const { body } = await mcpRequests(appliance, (await appliance.customer()).key).ask("tools/list");
  rawList = JSON.stringify(body);
  tools = body.result.tools;
});

afterAll(() => appliance.close());

const toolOf = (name: string) => tools.find((tool) => tool.name === name) as Tool;

test("the tools are the specification's, in its order, and ours after them", () => {
  expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
});

test("the list is always the same for every key, byte for byte", async () => {
  for (const plan of ["test", "profi"] as const) {
    const { key } = await appliance.customer({ plan, access: "read_write" });
    for (let count = 0; count < 3; count++) {
      const { body } = await mcpRequests(appliance, key).ask("tools/list");
      expect(JSON.stringify(body)).toBe(rawList);
    }
  }
});

test("methods that write, and those about webhooks or usage, are not listed and cannot be called", async () => {
  const { key } = await appliance.customer({ access: "read_write" });
  const mcp = mcpRequests(appliance, key);
  const { body } = await appliance.request("/docs/json");
  const operations = Object.values<Record<string, { operationId: string }>>(body.paths)
    .flatMap((verbs) => Object.values(verbs).map(({ operationId }) => operationId))
    .filter((name) => !TOOL_NAMES.includes(name));
  expect(operations).toContain("me_usage_list");
  expect(operations.filter((name) => name.includes("webhook")).length).toBeGreaterThan(6);
  for (const name of operations) {
    expectRpcError(await mcp.call(name, {}), -32602, 200, name);
    expectRpcError(await mcp.ask(name, {}), -32601, 200, name);
  }
  expect(rawList).not.toContain("msgr_webhooks");
  expect(rawList).not.toContain("me_usage");
});

for (const [index, name] of TOOL_NAMES.entries()) {
  describe(name, () => {
    test("has a title and a description that says what it costs", () => {
      const { title, description } = tools[index] as Tool;
      expect(title).toMatch(/\S{3}/);
      const { units } = methodNamed(name);
      expect(description).toMatch(units === 0 ? /\bfree\b/i : /\b1 unit\b/);
    });

    test("is marked as read-only", () => {
      expect(tools[index]?.annotations).toMatchObject({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
    });

    test("accepts a flat object of simply described arguments, and no others", () => {
      const { inputSchema } = tools[index] as Tool;
      const { properties, required, ...rest } = inputSchema;
      expect(rest).toEqual({ type: "object", additionalProperties: false } as typeof rest);
      for (const [argument, schema] of Object.entries(properties)) {
        for (const keyword of Object.keys(schema)) {
          expect(["type", "enum", "minimum", "maximum", "description"], argument).toContain(
            keyword,
          );
        }
        // A channel is given by its handle or its number.
        const types = argument === "channel" ? ["string", "integer"] : null;
        if (types !== null) expect(schema["type"]).toEqual(types);
        else expect(["string", "integer", "number", "boolean"]).toContain(schema["type"] as string);
        // Each tool by itself: some clients show a model one at a time.
        const description = String(schema["description"]);
        expect(description, argument).not.toContain("As in");
        expect(description.length, argument).toBeGreaterThan(10);
      }
      for (const argument of required ?? []) expect(Object.keys(properties)).toContain(argument);
    });

    test("has schemas that validators of both drafts compile", () => {
      const { inputSchema, outputSchema } = tools[index] as Tool;
      for (const ajv of [new Ajv({ strict: false }), new Ajv2020({ strict: false })]) {
        addFormats(ajv);
        for (const schema of [inputSchema, outputSchema]) {
          expect(ajv.validateSchema(schema)).toBe(true);
          expect(ajv.compile(schema)).toBeFunction();
        }
      }
      expect(outputSchema).toMatchObject({ type: "object" });
      expect(JSON.stringify(outputSchema)).not.toContain("$ref");
    });
  });
}

/** Filters that a tool does not offer, for the length of what a model reads before its first call. */
const REACH_BY_AGE = ["reach_24h_min", "reach_48h_min", "ad_reach_24h_min", "ad_reach_48h_min"];
const LEFT_OUT: Record<string, string[]> = {
  msgr_channels_list: REACH_BY_AGE,
  msgr_posts_search_stats: ["is_ad", "media", "views_min"],
  msgr_channels_stats_retrieve: REACH_BY_AGE,
};

test("the arguments are the API method's parameters, and the required ones are marked", () => {
  for (const { name, inputSchema } of tools) {
    const { properties, required = [] } = inputSchema;
    const method = contract.methods.find(({ operation }) => operation === name);
    expect(required, name).toEqual(method?.required ?? []);
    const all = [...(method?.required ?? []), ...(method?.optional ?? [])].filter(
      (parameter) => !LEFT_OUT[name]?.includes(parameter),
    );
    expect(Object.keys(properties).toSorted(), name).toEqual(all.toSorted());
  }
});

test("values and bounds are declared if the specification limits them", () => {
  const catalog = toolOf("msgr_channels_list").inputSchema.properties;
  expect(catalog["kind"]?.["enum"]).toEqual(["channel", "chat"]);
  expect(catalog["ordering"]?.["enum"]).toEqual([
    "-subscribers",
    "-quality",
    "-citation",
    "-last_post_at",
    ...["-growth_7d", "-growth_30d", "-growth_30d_percent", "-reach_30d", "-err_30d"],
    ...["-reach_24h", "-reach_48h", "-ad_reach_24h", "-ad_reach_48h"],
  ]);
  expect(catalog["limit"]).toMatchObject({ type: "integer", minimum: 1, maximum: 100 });
  expect(catalog["subscribers_min"]).toMatchObject({ type: "integer" });
  expect(catalog["a_plus"]).toMatchObject({ type: "boolean" });
  const posts = toolOf("msgr_channels_posts_retrieve").inputSchema.properties;
  expect(posts["limit"]).toMatchObject({ type: "integer", minimum: 1, maximum: 100 });
  const kinds = toolOf("msgr_territories_list").inputSchema.properties["kind"]?.[
    "enum"
  ] as string[];
  expect(kinds.toSorted()).toEqual(["city", "country", "district", "region"]);
});

test("tools with pages say how many items a page has, and what a cursor is", () => {
  for (const [name, items] of [
    ["msgr_channels_list", 20],
    ["msgr_channels_posts_retrieve", 10],
    ["msgr_posts_search_list", 10],
    ["msgr_channels_mentions_list", 10],
  ] as const) {
    const { limit, cursor } = toolOf(name).inputSchema.properties;
    expect(limit?.["description"]).toBe(`${items} by default.`);
    expect(cursor?.["description"]).toContain("`next`");
  }
});
