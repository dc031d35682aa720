import { afterAll, beforeAll, expect, test } from "bun:test";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { imageSize } from "image-size";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { createMachine, type Machine } from "../../support/machine.ts";

/** `kanalog mcp manifest`: the entry of the official registry. */

let machine: Machine;
let appliance: Appliance;
beforeAll(async () => {
  machine = createMachine();
  appliance = await startAppliance();
});
afterAll(async () => {
  await machine.leave();
  await appliance.close();
});

const SETTINGS = { KANALOG_BASE_URL: "https://data.example.co.uk", KANALOG_BRAND: "Каналы" };

async function manifest(environment: Record<string, string> = SETTINGS) {
  const { exitCode, out, notes } = await machine.runProgram(["mcp", "manifest"], { environment });
  expect([exitCode, notes]).toEqual([0, ""]);
  return JSON.parse(out);
}

const text = (maxLength: number, more: object = {}) => ({ type: "string", maxLength, ...more });
const https = { type: "string", format: "uri", pattern: "^https://", maxLength: 255 };
const input = {
  type: "object",
  required: ["description"],
  properties: { isRequired: { type: "boolean" }, isSecret: { type: "boolean" } },
};
/** What the registry's schema of 2025-12-11 says of the members that we use. */
const SCHEMA = {
  type: "object",
  required: ["$schema", "name", "title", "description", "version"],
  additionalProperties: false,
  properties: {
    $schema: {
      const: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    },
    name: text(200, { pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" }),
    title: text(100, { minLength: 1 }),
    description: text(100, { minLength: 1 }),
    version: text(255, { pattern: "^\\d+\\.\\d+\\.\\d+$" }),
    websiteUrl: https,
    icons: {
      type: "array",
      items: {
        type: "object",
        required: ["src"],
        properties: {
          src: https,
          mimeType: { enum: ["image/png"] },
          sizes: { type: "array", items: text(20, { pattern: "^(\\d+x\\d+|any)$" }) },
        },
      },
    },
    remotes: {
      type: "array",
      items: {
        type: "object",
        required: ["type", "url"],
        additionalProperties: false,
        properties: {
          type: { const: "streamable-http" },
          url: https,
          headers: {
            type: "array",
            items: {
              ...input,
              required: ["name"],
              properties: {
                ...input.properties,
                variables: { type: "object", additionalProperties: input },
              },
            },
          },
        },
      },
    },
  },
};

test("it names this appliance, its icon and the key that it wants, as the registry's schema says", async () => {
  const entry = await manifest();
  const ajv = new Ajv({ strict: false });
  addFormats(ajv);
  expect(ajv.validate(SCHEMA, entry), JSON.stringify(ajv.errors)).toBe(true);
  expect(entry).toMatchObject({ name: "uk.co.example.data/kanalog", title: "Каналы" });
  const [{ url, headers }] = entry.remotes;
  expect(url).toBe("https://data.example.co.uk/v1/mcp/");
  expect(headers[0]).toMatchObject({
    name: "Authorization",
    value: "Bearer {key}",
    isSecret: true,
  });
});

test.skipIf(process.env["KANALOG_TEST_SLOW"] !== "1")(
  "it is valid by the schema that the registry publishes, where that can be fetched",
  async () => {
    for (const environment of [SETTINGS, { ...SETTINGS, KANALOG_OAUTH: "on" }]) {
      const entry = await manifest(environment);
      const signal = AbortSignal.timeout(10_000);
      const schema = await fetch(entry.$schema, { signal }).catch(() => null);
      if (schema === null) return console.warn("No network here: the schema was not fetched.");
      const ajv = new Ajv({ strict: false });
      addFormats(ajv);
      const isValid = ajv.validate((await schema.json()) as object, entry);
      expect(isValid, JSON.stringify(ajv.errors)).toBe(true);
    }
  },
  60_000,
);

test("where assistants may sign in, it asks for no key", async () => {
  const entry = await manifest({ ...SETTINGS, KANALOG_OAUTH: "on" });
  expect(entry.remotes[0].headers).toBeUndefined();
});

test("the appliance serves the icon that it names", async () => {
  const { icons } = await manifest();
  const { pathname } = new URL(icons[0].src);
  const answer = await appliance.app.server.handle(new Request(`http://localhost${pathname}`));
  expect(answer.headers.get("content-type")).toBe("image/png");
  const { width, height } = imageSize(await answer.bytes());
  expect(icons[0].sizes).toEqual([`${width}x${height}`]);
});

test("without an https address there is nothing to list", async () => {
  for (const environment of [{}, { KANALOG_BASE_URL: "http://127.0.0.1:8080" }]) {
    const finished = await machine.runProgram(["mcp", "manifest"], { environment });
    expect([finished.exitCode, finished.out]).toEqual([2, ""]);
    expect(finished.notes).toContain("KANALOG_BASE_URL");
  }
});
