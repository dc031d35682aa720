import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { examples } from "../../../../src/doors/http/docs/examples.ts";
import { WRITTEN_ADDRESS } from "../../../../src/doors/http/docs/guide-html.ts";
import { EVENT_KINDS } from "../../../../src/push/webhooks/events/cut-events.ts";
import { type Appliance, startAppliance } from "../../../support/appliance.ts";
import { contract } from "../../../support/contract.ts";

const root = new URL("../../../..", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "kanalog-openapi-"));
const file = join(folder, "openapi.json");
let appliance: Appliance;

interface Operation {
  operationId: string;
  tags: string[];
  parameters: {
    name: string;
    required: boolean;
    description: string;
    example?: unknown;
    schema: { examples?: unknown[] };
  }[];
  requestBody?: { content: { "application/json": Example } };
  responses: Record<string, { content?: { "application/json"?: Example; "text/csv"?: Example } }>;
  "x-codeSamples": { label: string; source: string }[];
}

interface Example {
  schema: { required?: string[]; $ref?: string };
  example?: unknown;
}

interface Document {
  openapi: string;
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
}
let document: Document;

/** Operations by verb and path. */
let operations: Record<string, Operation>;

beforeAll(async () => {
  appliance = await startAppliance();
  document = (await appliance.request("/docs/json")).body;
  writeFileSync(file, JSON.stringify(document));
  const paths = Object.entries(document.paths);
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

test("Redocly finds no fault in the document", async () => {
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

test("every method of the contract is in the document under its name, and no other", () => {
  const names = Object.entries(operations).map(([at, { operationId }]) => [at, operationId]);
  const wanted = contract.methods.map(({ verb, path, operation }) => {
    return [`${verb} ${path.replace(/:(\w+)/g, "{$1}")}`, operation];
  });
  expect(Object.fromEntries(names)).toEqual(Object.fromEntries(wanted));
});

test("every parameter has a description, and all but cursors an example", () => {
  for (const { parameters } of Object.values(operations)) {
    for (const { name, description, schema } of parameters) {
      expect(description).not.toBe("");
      if (name !== "cursor") expect(schema.examples).toHaveLength(1);
    }
  }
});

test("every method has the recorded example request, and its answer", () => {
  const anAddress = (text: string) => text.replaceAll(WRITTEN_ADDRESS, "http://localhost");
  for (const { operationId, parameters, requestBody, responses, ...rest } of Object.values(
    operations,
  )) {
    const { arguments: values = {}, status, answer } = examples.calls[operationId] ?? {};
    const fields = requestBody?.content["application/json"].example ?? {};
    const shown = parameters.flatMap(({ name, example }) =>
      example === undefined ? [] : [[name, example]],
    );
    expect({ ...Object.fromEntries(shown), ...fields }, operationId).toEqual(values);
    for (const { name, required, example } of parameters) {
      if (required) expect(example, `${operationId} ${name}`).toBeDefined();
    }
    const types = responses[String(status)]?.content ?? {};
    const content = types["application/json"] ?? types["text/csv"];
    const wanted = answer === undefined ? undefined : JSON.parse(anAddress(JSON.stringify(answer)));
    expect(content?.example, operationId).toEqual(wanted);
    expect(content === undefined, operationId).toBe(status === 204);
    expect(rest["x-codeSamples"].map(({ label }) => label)).toEqual([
      "curl",
      "TypeScript",
      "Python",
    ]);
  }
});

test("the document has the events that webhooks send: bodies, and headers with their signatures", () => {
  expect(document.openapi).toStartWith("3.1");
  const { answer } = examples.calls["msgr_webhooks_create"] ?? {};
  const { secret } = answer as { secret: string };
  expect(Object.keys(document.webhooks)).toEqual([...EVENT_KINDS]);
  for (const [kind, { post }] of Object.entries(document.webhooks)) {
    const headers = Object.fromEntries(post.parameters.map(({ name, example }) => [name, example]));
    const { schema, example } = post.requestBody?.content["application/json"] ?? { schema: {} };
    const named = kind === "post.matched" ? "MatchedEvent" : "Event";
    expect(schema.$ref).toBe(`#/components/schemas/${named}`);
    const t = /^t=(\d+),/.exec(String(headers["X-Service-Signature"]))?.[1];
    const hex = createHmac("sha256", secret)
      .update(`${t}.${JSON.stringify(example)}`)
      .digest("hex");
    expect(headers).toEqual({
      "X-Service-Event": kind,
      "X-Service-Delivery": expect.any(Number),
      "X-Service-Signature": `t=${t},v1=${hex}`,
    });
    expect((example as { event: string }).event).toBe(kind);
  }
});

test("the document begins with keys, pages, errors, limits and days, and describes each tag", () => {
  const headings = document.info.description.match(/^## .*$/gm);
  expect(headings?.slice(0, 5)).toEqual([
    "## Keys",
    "## Pages",
    "## Errors",
    "## Limits",
    "## Days",
  ]);
  expect(headings?.slice(5)).toEqual(["## Growth and engagement"]);
  const used = new Set(Object.values(operations).flatMap(({ tags }) => tags));
  expect(document.tags.map(({ name }) => name)).toEqual([...used]);
});

test("snippets and examples contain the reader's own address, and the document stays small", async () => {
  const text = async (of: Appliance, host: string) => {
    const answer = await of.app.server.handle(new Request(`${host}/docs/json`));
    return answer.text();
  };
  const first = await text(appliance, "http://kanalog.test:81");
  expect(first).toContain("http://kanalog.test:81/v1/msgr/channels/?");
  expect(first).not.toContain(WRITTEN_ADDRESS);
  expect(await text(appliance, "http://other.test")).not.toContain("kanalog.test");
  expect(first.length).toBeLessThan(430_000);

  const base = "https://api.example.com/kanalog";
  const served = await startAppliance({ KANALOG_BASE_URL: base });
  const named = await text(served, "http://other.test");
  expect(named).toContain(`${base}/v1/me/`);
  expect(named).not.toContain("other.test");
  await served.close();
});

test("every method declares its possible errors", () => {
  const always = ["200", "401", "413", "429", "500", "503"];
  expect(Object.keys(operations["GET /v1/me/"]?.responses ?? {})).toEqual(always);
  const posts = operations["GET /v1/msgr/channels/{channel}/posts/"]?.responses ?? {};
  expect(Object.keys(posts)).toEqual([
    "200",
    "400",
    "401",
    "403",
    "404",
    "413",
    "429",
    "500",
    "503",
  ]);
  const change = operations["PATCH /v1/msgr/webhooks/{id}/"]?.responses ?? {};
  expect(Object.keys(change).join(" ")).toBe("200 400 401 403 404 409 413 415 429 500 503");
});

test("all references lead to components and none back to itself, as the methods page assumes", () => {
  const [outside, circles] = [new Set<string>(), new Set<string>()];
  const follow = (part: unknown, through: readonly string[]): void => {
    if (typeof part !== "object" || part === null) return;
    const { $ref } = part as { $ref?: unknown };
    if (typeof $ref !== "string") {
      for (const one of Object.values(part)) follow(one, through);
      return;
    }
    const path = $ref.split("/").slice(1);
    // biome-ignore lint/suspicious/noExplicitAny: anything may stand at a path of the document
    const referred = path.reduce((at: any, name) => at?.[name], document);
    if (path[0] !== "components" || referred === undefined) outside.add($ref);
    else if (through.includes($ref)) circles.add([...through, $ref].join(" "));
    else follow(referred, [...through, $ref]);
  };
  follow(document, []);
  expect({ outside: [...outside], circles: [...circles] }).toEqual({ outside: [], circles: [] });
});
