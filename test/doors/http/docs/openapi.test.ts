import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Appliance, startAppliance } from "../../../support/appliance.ts";

const root = new URL("../../../../", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "kanalog-openapi-"));
const file = join(folder, "openapi.json");
let appliance: Appliance;

interface Operation {
  operationId: string;
  parameters: {
    name: string;
    required: boolean;
    description: string;
    schema: { examples?: unknown[] };
  }[];
  responses: Record<string, object>;
}

/** By verb and path. */
let operations: Record<string, Operation>;

beforeAll(async () => {
  appliance = await startAppliance();
  const { body } = await appliance.request("/docs/json");
  writeFileSync(file, JSON.stringify(body));
  const paths = Object.entries<Record<string, Operation>>(body.paths);
  operations = Object.fromEntries(
    paths.flatMap(([path, ofPath]) =>
      Object.entries(ofPath).map(([verb, operation]) => [
        `${verb.toUpperCase()} ${path}`,
        operation,
      ]),
    ),
  );
});

afterAll(async () => {
  await appliance.close();
  rmSync(folder, { recursive: true });
});

async function run(tool: string, ...words: string[]): Promise<{ exitCode: number; text: string }> {
  const child = Bun.spawn([process.execPath, join(root, "node_modules", tool), ...words], {
    env: { ...process.env, REDOCLY_TELEMETRY: "off", NO_COLOR: "1" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, text: out + err };
}

test("the document has no fault in the eyes of Redocly", async () => {
  const rules = join(root, "test/contract/redocly.yaml");
  const { exitCode, text } = await run("@redocly/cli/bin/cli.js", "lint", "--config", rules, file);
  expect(text).toContain("Your API description is valid");
  expect(text).not.toContain("warning");
  expect(exitCode).toBe(0);
});

test("a typed client can be generated from the document", async () => {
  const client = join(folder, "client.ts");
  const { exitCode } = await run("openapi-typescript/bin/cli.js", file, "-o", client);
  expect(exitCode).toBe(0);
  const source = readFileSync(client, "utf8");
  for (const { operationId } of Object.values(operations)) expect(source).toContain(operationId);
  expect(source).toContain('components["schemas"]["Channel"]');
});

test("every method of the specification is there under its name", () => {
  const names = Object.entries(operations).map(([path, { operationId }]) => [path, operationId]);
  expect(Object.fromEntries(names)).toEqual({
    "GET /v1/me/": "me_retrieve",
    "GET /v1/me/usage/": "me_usage_list",
    "GET /v1/msgr/categories/": "msgr_categories_list",
    "GET /v1/msgr/territories/": "msgr_territories_list",
    "GET /v1/msgr/channels/": "msgr_channels_list",
    "GET /v1/msgr/channels/{channel}/": "msgr_channels_retrieve",
    "GET /v1/msgr/channels/resolve/": "msgr_channels_resolve_retrieve",
    "GET /v1/msgr/stats/daily/": "msgr_stats_daily_list",
    "GET /v1/msgr/channels/{channel}/posts/": "msgr_channels_posts_retrieve",
    "GET /v1/msgr/posts/{id}/": "msgr_posts_retrieve",
    "GET /v1/msgr/webhooks/": "msgr_webhooks_list",
    "POST /v1/msgr/webhooks/": "msgr_webhooks_create",
    "GET /v1/msgr/webhooks/{id}/": "msgr_webhooks_retrieve",
    "PATCH /v1/msgr/webhooks/{id}/": "msgr_webhooks_partial_update",
    "DELETE /v1/msgr/webhooks/{id}/": "msgr_webhooks_destroy",
    "POST /v1/msgr/webhooks/{id}/rotate-secret/": "msgr_webhooks_rotate_secret",
    "POST /v1/msgr/webhooks/{id}/test/": "msgr_webhooks_test",
    "GET /v1/msgr/webhooks/{id}/deliveries/": "msgr_webhooks_deliveries_list",
    "POST /v1/msgr/webhooks/{id}/deliveries/{delivery}/resend/": "msgr_webhooks_deliveries_resend",
  });
});

test("every parameter is described, with an example wherever a value can be made up", () => {
  for (const { parameters } of Object.values(operations)) {
    for (const { name, description, schema } of parameters) {
      expect(description).not.toBe("");
      if (name !== "cursor") expect(schema.examples).toHaveLength(1);
    }
  }
});

test("every method declares the errors that it can answer", () => {
  const always = ["200", "401", "429", "500", "503"];
  expect(Object.keys(operations["GET /v1/me/"]?.responses ?? {})).toEqual(always);
  const posts = operations["GET /v1/msgr/channels/{channel}/posts/"]?.responses ?? {};
  expect(Object.keys(posts)).toEqual(["200", "400", "401", "403", "404", "429", "500", "503"]);
  const change = operations["PATCH /v1/msgr/webhooks/{id}/"]?.responses ?? {};
  expect(Object.keys(change).join(" ")).toBe("200 400 401 403 404 409 413 415 429 500 503");
});
