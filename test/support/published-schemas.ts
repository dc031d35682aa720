import { expect } from "bun:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { App } from "../../src/app/app.ts";
import type { Answer } from "./appliance.ts";
import type { ValueSchema } from "./hostile-values.ts";

export interface OpenApiOperation {
  operationId: string;
  description: string;
  parameters?: {
    name: string;
    in: string;
    required: boolean;
    description: string;
    schema: ValueSchema;
  }[];
  requestBody?: { content: { "application/json": { schema: ValueSchema } } };
  responses: Record<string, { content?: { "application/json"?: { schema: object } } }>;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components?: object;
}

const ajv = new Ajv2020({ strict: false });
addFormats(ajv);
let document: OpenApiDocument | null = null;
const validators = new Map<string, ValidateFunction>();

const errorShape = {
  type: "object",
  required: ["code", "detail"],
  properties: { code: { type: "string" }, detail: { type: "string", minLength: 1 } },
  additionalProperties: false,
};

/** JSON-RPC 2.0, section 5: a result or an error, never both. */
const rpcShape = {
  type: "object",
  required: ["jsonrpc", "id"],
  properties: {
    jsonrpc: { const: "2.0" },
    id: { type: ["string", "integer", "null"] },
    result: { type: "object" },
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "integer" }, message: { type: "string" }, data: {} },
      additionalProperties: false,
    },
  },
  oneOf: [{ required: ["result"] }, { required: ["error"] }],
  additionalProperties: false,
};

/**
 * Fails the test if an answer contradicts the published document: its status must be declared, its body
 * must validate, and every error must have the shape of the contract.
 */
export async function checkAnswer(app: App, request: Request, answer: Answer): Promise<void> {
  document ??= (await (
    await app.server.handle(new Request("http://localhost/docs/json"))
  ).json()) as OpenApiDocument;
  expect(answer.headers.get("x-request-id")).toMatch(/^[\w.-]{1,64}$/);
  checkBody(document, request.method, new URL(request.url).pathname, answer);
}

/** The same for a body alone, which an appliance with this document answered to a request. */
export function checkBody(
  of: OpenApiDocument,
  verb: string,
  pathname: string,
  answer: Pick<Answer, "status" | "body">,
): void {
  if (!pathname.startsWith("/v1/") || verb === "HEAD" || answer.status < 200) return;
  if ([301, 202, 204].includes(answer.status)) return;
  if (/^\/v1\/mcp\/?$/.test(pathname) && "jsonrpc" in Object(answer.body)) {
    expect(validate("json-rpc", rpcShape, answer.body)).toBe("");
    return;
  }
  const found = findOperation(of, pathname, verb.toLowerCase());
  if (found === null) {
    expect(validate("error", errorShape, answer.body)).toBe("");
    return;
  }
  const content = found.operation.responses[answer.status]?.content ?? {};
  // Rows of a CSV file are checked by the tests that request it.
  if ("text/csv" in content && typeof answer.body === "string") return;
  const schema = content["application/json"]?.schema ?? null;
  expect(schema, `${found.path} does not declare status ${answer.status}`).not.toBeNull();
  // References of a schema point into the document's components.
  const whole = { ...schema, components: of.components };
  const name = `${verb} ${found.path} ${answer.status}`;
  expect(validate(name, whole, answer.body)).toBe("");
}

function validate(name: string, schema: object, body: unknown): string {
  const validator = validators.get(name) ?? ajv.compile(schema);
  validators.set(name, validator);
  return validator(body) ? "" : `${name}: ${ajv.errorsText(validator.errors)}`;
}

/** The operation for a verb and a path. */
export function findOperation(
  { paths }: OpenApiDocument,
  pathname: string,
  method: string,
): { path: string; operation: OpenApiOperation } | null {
  // A literal path comes before one with a parameter, as in the router.
  const candidates = Object.entries(paths).sort(
    ([a], [b]) => a.split("{").length - b.split("{").length,
  );
  for (const [path, operations] of candidates) {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
    const operation = operations[method];
    if (pattern.test(pathname) && operation !== undefined) return { path, operation };
  }
  return null;
}
