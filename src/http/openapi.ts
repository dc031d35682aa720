import { swagger } from "@elysiajs/swagger";
import { type AnyElysia, Elysia } from "elysia";
import type { ErrorCode } from "../errors.ts";
import type { ApiMethod } from "../methods/method.ts";
import type { Parameter } from "../methods/parameters.ts";
import { STATUS_OF } from "../methods/statuses.ts";

const SECURITY_SCHEME = "apiKey";
/** On every answer to a good key. */
const LIMIT_HEADERS = ["X-Request-Cost", "RateLimit-Policy", "RateLimit"];

const WHEN: Record<ErrorCode, string> = {
  invalid: "A parameter is wrong: messages by parameter name",
  not_authenticated: "No API key",
  authentication_failed:
    "The key is wrong, revoked or expired, its member suspended, or its organization archived",
  tariff_required: "The plan does not include this",
  not_found: "There is no such object",
  method_not_allowed: "The path does not take this method",
  conflict: "The state of the object does not allow this",
  timeout: "The database query took too long; retry later or narrow the selection",
  unavailable: "The storage is busy, or the server is stopping; retry later",
  rate_limited: "More requests per second than the plan allows",
  quota_exceeded: "The requests of the period have run out",
  internal: "The server failed; the cause is in its log under the X-Request-Id",
};

/** The OpenAPI operation of a method. */
export function operationOf(method: ApiMethod) {
  const parameters = Object.entries<Parameter<unknown>>(method.parameters);
  return {
    operationId: method.operationId,
    tags: [method.tag],
    summary: method.title,
    description: `${method.description}\n\nCosts ${method.units} request ${method.units === 1 ? "unit" : "units"}.`,
    security: [{ [SECURITY_SCHEME]: [] }],
    parameters: parameters.map(([name, parameter]) => parameterOf(name, parameter)),
    responses: {
      200: {
        description: "The answer",
        headers: headersOf(["X-Request-Id", ...LIMIT_HEADERS]),
        content: jsonContent(withReferences(method.result)),
      },
      ...errorResponses(method, parameters.length > 0),
    },
  };
}

/**
 * The OpenAPI document, which the plug-in reads off the routes. The plug-in's own page would load
 * its scripts from another host, so it is asked here and not put into the server.
 * The server puts in the address that its paths are relative to.
 */
export async function openApiDocument(
  routes: AnyElysia,
  methods: readonly ApiMethod[],
): Promise<object> {
  const documented = new Elysia()
    .use(routes)
    .use(swagger({ documentation: documentation(methods), specPath: "/docs/json" }));
  const answer = await documented.handle(new Request("http://localhost/docs/json"));
  return (await answer.json()) as object;
}

/** A required parameter's example fills the documentation's form, so that it can be sent at once. */
function parameterOf(name: string, { in: place, required, schema }: Parameter<unknown>) {
  const { description = "", examples, ...rest } = schema;
  const [example] = (examples ?? []) as unknown[];
  return {
    name,
    in: place,
    required,
    description: example === undefined ? description : `${description} Example: \`${example}\`.`,
    schema: { ...rest, ...(examples && { examples }) },
    ...(required && { example }),
  };
}

/** The schema with a reference in the place of each named one. */
function withReferences<T>(schema: T): T | object {
  if (Array.isArray(schema)) return schema.map(withReferences);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $id } = schema as { $id?: string };
  if ($id !== undefined) return { $ref: `#/components/schemas/${$id}` };
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, withReferences(value)]),
  );
}

/** The named schemas within a schema, by name. */
function namedSchemas(schema: unknown): Record<string, object> {
  if (typeof schema !== "object" || schema === null) return {};
  const { $id, ...rest } = schema as { $id?: string };
  const inner = Object.assign({}, ...Object.values(rest).map(namedSchemas));
  return $id === undefined ? inner : { ...inner, [$id]: rest };
}

/** The parts of the document that belong to no operation. */
function documentation(methods: readonly ApiMethod[]) {
  return {
    // 3.1, since its schemas are JSON Schema: null is a type.
    openapi: "3.1.0",
    info: {
      title: "Kanalog: Channel Data API",
      version: "1",
      description:
        "Channel catalog, channel cards, daily statistics and posts of a messenger. " +
        "Every request carries an API key; most methods cost request units of the plan's quota.",
      license: { name: "MIT", identifier: "MIT" },
    },
    components: {
      schemas: namedSchemas(methods.map(({ result }) => result)),
      securitySchemes: {
        [SECURITY_SCHEME]: {
          type: "http" as const,
          scheme: "bearer",
          description: "An API key, `knl_ro_…` or `knl_rw_…`",
        },
      },
      headers: {
        "X-Request-Id": {
          description: "The caller's own id where it sent one, else a UUIDv7",
          schema: { type: "string" as const },
        },
        "X-Request-Cost": {
          description: "Units this request cost",
          schema: { type: "integer" as const },
        },
        "RateLimit-Policy": {
          description:
            "Requests per second and units per period that the plan allows, such as " +
            '`"rate";q=5;w=1, "quota";q=30000;w=2592000`',
          schema: { type: "string" as const },
        },
        RateLimit: {
          description:
            "What is left of them, and the seconds until all is back, such as " +
            '`"rate";r=4;t=1, "quota";r=29958;t=1814400`',
          schema: { type: "string" as const },
        },
        "Retry-After": {
          description: "Seconds to wait",
          schema: { type: "integer" as const, minimum: 1 },
        },
        "WWW-Authenticate": { schema: { type: "string" as const } },
      },
    },
  };
}

function errorResponses(method: ApiMethod, hasParameters: boolean): Record<string, unknown> {
  const codes: ErrorCode[] = [
    ...(hasParameters ? (["invalid"] as const) : []),
    "not_authenticated",
    "authentication_failed",
    ...method.errors,
    "rate_limited",
    ...(method.units > 0 ? (["quota_exceeded"] as const) : []),
    "timeout",
    "unavailable",
    "internal",
  ];
  const byStatus = Map.groupBy(codes, (code) => STATUS_OF[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${WHEN[code]}`).join("; "),
        headers: headersOf([
          "X-Request-Id",
          ...(status === 401 ? ["WWW-Authenticate"] : []),
          ...(status === 429 || status === 503 ? ["Retry-After"] : []),
          ...(status === 401 ? [] : LIMIT_HEADERS),
        ]),
        content: jsonContent(status === 400 ? fieldErrorsSchema : errorSchema(group)),
      },
    ]),
  );
}

const fieldErrorsSchema = {
  type: "object",
  description: "Messages by parameter name; those of no single one under `non_field_errors`",
  additionalProperties: { type: "array", items: { type: "string" }, minItems: 1 },
};

function errorSchema(codes: readonly ErrorCode[]) {
  return {
    type: "object",
    required: ["code", "detail"],
    properties: { code: { type: "string", enum: [...codes] }, detail: { type: "string" } },
    additionalProperties: false,
  };
}

function jsonContent(schema: object) {
  return { "application/json": { schema } };
}

function headersOf(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
