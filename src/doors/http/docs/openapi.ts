import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import type { Documented } from "../../../verbs/method.ts";
import type { Parameter } from "../../../verbs/parameters.ts";
import { wholeOrPart } from "../../../verbs/partial-result.ts";
import {
  type Book,
  documentHead,
  headersOf,
  LIMIT_HEADERS,
  SECURITY_SCHEME,
} from "./document-head.ts";
import { type ExampleCall, examples } from "./examples.ts";
import { namedSchemas, withReferences } from "./named-schemas.ts";
import { errorResponses, fieldErrorsSchema } from "./openapi-errors.ts";
import { eventOperations, eventSchema, matchedEventSchema } from "./openapi-events.ts";
import { snippetsOf } from "./snippets.ts";

function operationOf(method: Documented) {
  const all = Object.entries<Parameter<unknown>>(method.parameters);
  const parameters = all.filter(([, parameter]) => parameter.in !== "body");
  const fields = all.filter(([, parameter]) => parameter.in === "body");
  const example = examples.calls[method.operationId];
  const values = example?.arguments ?? {};
  return {
    operationId: method.operationId,
    tags: [method.tag],
    summary: method.title,
    description: `${method.description}${costOf(method)}`,
    security: [{ [SECURITY_SCHEME]: [] }],
    parameters: parameters.map(([name, parameter]) => parameterOf(name, parameter, values[name])),
    ...(fields.length > 0 && { requestBody: requestBodyOf(fields, values) }),
    ...(method.takes?.as === "bytes" && { requestBody: FILE_BODY }),
    responses: {
      [method.status]: {
        description: "The answer",
        headers: headersOf([
          "X-Request-Id",
          ...(method.units === undefined ? [] : LIMIT_HEADERS),
          ...(method.fileTypes === undefined || method.units === undefined
            ? []
            : ["X-Export-Cursor"]),
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

const FILE_BODY = {
  required: true,
  content: {
    "application/octet-stream": { schema: { type: "string" as const, format: "binary" } },
  },
};

function costOf({ units }: Documented): string {
  if (units === undefined) return "";
  return `\n\nCosts ${units} request ${units === 1 ? "unit" : "units"}.`;
}

/**
 * The OpenAPI document as JSON text. The plugin extracts it from routes created on first request, because
 * describing all methods takes as long as starting the rest of the server. The plugin is not part of the
 * server, since its own page loads scripts from another host.
 * @param path base that the document's paths are relative to
 */
export async function openApiText(
  book: Book,
  methods: readonly Documented[],
  path: string,
): Promise<string> {
  const schemas = namedSchemas([
    ...methods.map(wholeOrPart),
    ...(book.hasEvents ? [eventSchema, matchedEventSchema] : []),
    fieldErrorsSchema,
  ]);
  const documentation = documentHead(book, methods, schemas);
  const documented = new Elysia().use(swagger({ documentation, specPath: "/docs/json" }));
  for (const method of methods) {
    documented.route(method.verb, method.path, () => "", { detail: operationOf(method) });
  }
  const answer = await documented.handle(new Request("http://localhost/docs/json"));
  const document = {
    ...((await answer.json()) as object),
    servers: [{ url: path }],
    ...(book.hasEvents && { webhooks: eventOperations(withReferences) }),
  };
  return JSON.stringify(document);
}

/** Example values prefill the documentation's form, so that it can be sent at once. */
function parameterOf(
  name: string,
  { in: place, required, schema }: Parameter<unknown>,
  value: unknown,
) {
  const { description = "", examples, ...rest } = schema;
  const [example] = (examples ?? []) as unknown[];
  return {
    name,
    in: place,
    required,
    description: example === undefined ? description : `${description} Example: \`${example}\`.`,
    schema: { ...rest, ...(examples && { examples }) },
    ...(value !== undefined && { example: value }),
  };
}

function requestBodyOf(
  fields: readonly [string, Parameter<unknown>][],
  values: ExampleCall["arguments"],
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
      Object.fromEntries(
        fields.flatMap(([name]) => (name in values ? [[name, values[name]]] : [])),
      ),
    ),
  };
}

function contentOf(method: Documented, example: unknown) {
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
