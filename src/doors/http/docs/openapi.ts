import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import type { ErrorCode } from "../../../errors.ts";
import { type ApiMethod, takesBody } from "../../../methods/method.ts";
import type { Parameter } from "../../../methods/parameters.ts";
import { wholeOrPart } from "../../../methods/partial-result.ts";
import { STATUS_OF } from "../../../methods/statuses.ts";
import { documentHead, SECURITY_SCHEME } from "./document-head.ts";
import { type ExampleCall, examples } from "./examples.ts";
import { eventOperations, eventSchema, matchedEventSchema } from "./openapi-events.ts";
import { snippetsOf } from "./snippets.ts";

/** Headers of every answer to a good key. */
const LIMIT_HEADERS = ["X-Request-Cost", "RateLimit-Policy", "RateLimit"];

/** When a method answers with an error. */
const WHEN: Record<ErrorCode, string> = {
  invalid: "A parameter or field is wrong: messages by its name",
  not_authenticated: "No API key",
  authentication_failed:
    "The key is wrong, revoked or expired, its member suspended, or its organization archived",
  read_only_key: "The key is marked read-only",
  manager_required: "The key belongs to a member who is neither owner nor administrator",
  origin_not_allowed: "A page of this origin may not use the MCP server",
  tariff_required: "The plan does not include this",
  not_found: "There is no such object",
  method_not_allowed: "The path does not take this method",
  conflict: "The state of the object does not allow this",
  parse_error:
    "The body is not JSON, is nested deeper than 32 levels or has more than 1,000 members",
  payload_too_large: "The body is larger than the method takes",
  unsupported_media_type: "The body's Content-Type is not application/json",
  throttled:
    "The webhook was tested less than a minute ago, its host got six pings and resends in the last " +
    "minute, or too much is being tried at once",
  timeout: "The database query took too long; retry later or narrow the selection",
  unavailable: "The storage or the sender is busy, or the server is stopping; retry later",
  rate_limited: "More requests per second than the plan allows",
  quota_exceeded: "The requests of the period have run out",
  internal: "The server failed; the cause is in its log under the X-Request-Id",
};

/** The OpenAPI operation of a method. */
function operationOf(method: ApiMethod) {
  const all = Object.entries<Parameter<unknown>>(method.parameters);
  const parameters = all.filter(([, parameter]) => parameter.in !== "body");
  const fields = all.filter(([, parameter]) => parameter.in === "body");
  const example = examples.calls[method.operationId];
  const given = example?.arguments ?? {};
  return {
    operationId: method.operationId,
    tags: [method.tag],
    summary: method.title,
    description: `${method.description}\n\nCosts ${method.units} request ${method.units === 1 ? "unit" : "units"}.`,
    security: [{ [SECURITY_SCHEME]: [] }],
    parameters: parameters.map(([name, parameter]) => parameterOf(name, parameter, given[name])),
    ...(fields.length > 0 && { requestBody: requestBodyOf(fields, given) }),
    responses: {
      [method.status]: {
        description: "The answer",
        headers: headersOf([
          ...["X-Request-Id", ...LIMIT_HEADERS],
          ...(method.fileTypes === undefined ? [] : ["X-Export-Cursor"]),
        ]),
        ...(method.status !== 204 && {
          content: contentOf(method, example?.answer),
        }),
      },
      ...errorResponses(method, all.length > 0),
    },
    ...(example !== undefined && { "x-codeSamples": snippetsOf(method, example) }),
  };
}

/**
 * The OpenAPI document as JSON text, which the plug-in reads off routes that are made for it when somebody
 * asks: describing all methods takes as long as starting the rest of the server. The plug-in is not part of
 * the server, since its own page loads scripts from another host.
 * @param path the base to which the document's paths are relative
 */
export async function openApiText(methods: readonly ApiMethod[], path: string): Promise<string> {
  const schemas = namedSchemas([
    ...methods.map(wholeOrPart),
    eventSchema,
    matchedEventSchema,
    fieldErrorsSchema,
  ]);
  const documentation = documentHead(methods, schemas);
  const documented = new Elysia().use(swagger({ documentation, specPath: "/docs/json" }));
  for (const method of methods) {
    documented.route(method.verb, method.path, () => "", { detail: operationOf(method) });
  }
  const answer = await documented.handle(new Request("http://localhost/docs/json"));
  const document = {
    ...((await answer.json()) as object),
    servers: [{ url: path }],
    webhooks: eventOperations(withReferences),
  };
  return JSON.stringify(document);
}

/** The example's values fill the documentation's form, so that it can be sent at once. */
function parameterOf(
  name: string,
  { in: place, required, schema }: Parameter<unknown>,
  given: unknown,
) {
  const { description = "", examples, ...rest } = schema;
  const [example] = (examples ?? []) as unknown[];
  return {
    name,
    in: place,
    required,
    description: example === undefined ? description : `${description} Example: \`${example}\`.`,
    schema: { ...rest, ...(examples && { examples }) },
    ...(given !== undefined && { example: given }),
  };
}

function requestBodyOf(
  fields: readonly [string, Parameter<unknown>][],
  given: ExampleCall["arguments"],
) {
  const required = fields.filter(([, field]) => field.required).map(([name]) => name);
  return {
    required: required.length > 0,
    content: jsonContent(
      {
        type: "object",
        properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
        ...(required.length > 0 && { required }),
        additionalProperties: false,
      },
      Object.fromEntries(fields.flatMap(([name]) => (name in given ? [[name, given[name]]] : []))),
    ),
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
  return $id === undefined ? inner : { ...inner, [$id]: withReferences(rest) as object };
}

function errorResponses(method: ApiMethod, hasParameters: boolean): Record<string, unknown> {
  const hasBody = takesBody(method.verb);
  const codes: ErrorCode[] = [
    ...(hasParameters || hasBody ? (["invalid"] as const) : []),
    ...(hasBody ? (["parse_error", "payload_too_large", "unsupported_media_type"] as const) : []),
    "not_authenticated",
    "authentication_failed",
    ...(method.audience === "managers" ? (["read_only_key", "manager_required"] as const) : []),
    ...(method.planRule === undefined ? [] : (["tariff_required"] as const)),
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
        content: jsonContent(status === 400 ? badRequestSchema(group) : errorSchema(group)),
      },
    ]),
  );
}

const fieldErrorsSchema = {
  $id: "FieldErrors",
  type: "object",
  description:
    "Messages by the name of the parameter or field; those of no single one under `non_field_errors`",
  additionalProperties: { type: "array", items: { type: "string" }, minItems: 1 },
};

function badRequestSchema(codes: readonly ErrorCode[]) {
  const others = codes.filter((code) => code !== "invalid");
  const fieldErrors = withReferences(fieldErrorsSchema);
  return others.length === 0 ? fieldErrors : { oneOf: [fieldErrors, errorSchema(others)] };
}

function errorSchema(codes: readonly ErrorCode[]) {
  return {
    type: "object",
    required: ["code", "detail"],
    properties: { code: { type: "string", enum: [...codes] }, detail: { type: "string" } },
    additionalProperties: false,
  };
}

function contentOf(method: ApiMethod, example: unknown) {
  const { fileTypes } = method;
  if (fileTypes === undefined) return jsonContent(withReferences(wholeOrPart(method)), example);
  const [first, ...others] = fileTypes.map((type) => type.replace(/;.*/, ""));
  const schema = method.result;
  return {
    [first ?? ""]: { schema, ...(example !== undefined && { example }) },
    ...Object.fromEntries(others.map((type) => [type, { schema }])),
  };
}

function jsonContent(schema: object, example?: unknown) {
  return { "application/json": { schema, ...(example !== undefined && { example }) } };
}

function headersOf(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
