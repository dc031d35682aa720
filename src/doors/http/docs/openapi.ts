import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import { postSchema } from "../../../catalog/posts/post.ts";
import { EVENT_KINDS, EVENT_SUMMARIES } from "../../../push/webhooks/events/cut-events.ts";
import * as shape from "../../../values/schema.ts";
import type { Documented } from "../../../verbs/method.ts";
import { wholeOrPart } from "../../../verbs/paging.ts";
import type { Parameter } from "../../../verbs/parameters.ts";
import type { Book } from "./document-head.ts";
import { documentHead, headersOf, LIMIT_HEADERS, SECURITY_SCHEME } from "./document-head.ts";
import { type ExampleCall, examples } from "./examples.ts";
import { namedSchemas, withReferences } from "./named-schemas.ts";
import { errorResponses, fieldErrorsSchema } from "./openapi-errors.ts";
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

/** Body of an event (specification, section 6). */
const eventSchema = shape.object(
  {
    event: shape.choice(EVENT_KINDS, "The same as `X-Service-Event`"),
    webhook: shape.integer("Webhook number"),
    created_at: shape.instantText("When the event was created"),
    posts: shape.list(postSchema, { maxItems: 100, description: "None in a `ping`" }),
  },
  "Event",
);

/** Event with posts that match an alert. */
const matchedEventSchema = shape.object(
  {
    ...eventSchema.properties,
    alert: shape.object({
      id: shape.integer("Alert number"),
      name: shape.text("Its name when the event was created"),
    }),
  },
  "MatchedEvent",
);

const DESCRIPTION =
  "Check `X-Service-Signature` over the raw body before you parse it, compare in constant time, and " +
  "refuse a `t` that differs from your clock by more than 300 seconds. The same event may arrive twice, under the " +
  "same `X-Service-Delivery`: recognize posts by their `id`, and matches of alerts by the alert's `id` together with " +
  "the post's. [The guide](http://127.0.0.1:8080/docs/webhooks/) has code for this.";

/** The document's `webhooks`. @param reference returns a schema's reference in the document */
function eventOperations(reference: (schema: object) => object) {
  const operations = EVENT_KINDS.map((kind) => {
    const { headers, body } = examples.events[kind];
    return [
      kind,
      {
        post: {
          operationId: `event_${kind.replace(".", "_")}`,
          tags: ["Webhooks"],
          summary: EVENT_SUMMARIES[kind],
          description: DESCRIPTION,
          security: [],
          parameters: [
            headerOf("X-Service-Event", "What happened.", { type: "string", enum: [kind] }, kind),
            headerOf(
              "X-Service-Delivery",
              "Delivery number, the same whenever the event is sent again.",
              { type: "integer" },
              Number(headers["x-service-delivery"]),
            ),
            headerOf(
              "X-Service-Signature",
              "`t=<seconds since 1970>,v1=<hex>`: the HMAC-SHA256 of `<t>.<raw body>`, keyed with the " +
                "webhook's whole secret. During the overlap of a rotation there are two `v1`.",
              { type: "string", pattern: "^t=\\d+(,v1=[0-9a-f]{64})+$" },
              headers["x-service-signature"],
            ),
          ],
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: reference(kind === "post.matched" ? matchedEventSchema : eventSchema),
                example: body,
              },
            },
          },
          responses: {
            "2XX": { description: "Accepted. Only the status counts, within 10 seconds." },
            default: {
              description:
                "Not accepted. As with no answer, the event is sent again after 1, 5 and 15 minutes, then after " +
                "1, 3, 6 and 12 hours, unless the operator has set other waits. Redirects are not followed.",
            },
          },
        },
      },
    ];
  });
  return Object.fromEntries(operations);
}

function headerOf(name: string, description: string, schema: object, example: unknown) {
  return { name, in: "header", required: true, description, schema, example };
}
