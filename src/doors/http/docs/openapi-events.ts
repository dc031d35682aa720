import { postSchema } from "../../../catalog/posts/post.ts";
import { EVENT_KINDS, EVENT_SUMMARIES } from "../../../push/webhooks/events/event-body.ts";
import {
  choiceSchema,
  instantSchema,
  integerSchema,
  listSchema,
  objectSchema,
  textSchema,
} from "../../../values/schema.ts";
import { examples } from "./examples.ts";

/** Body of an event (specification, section 6). */
export const eventSchema = objectSchema(
  {
    event: choiceSchema(EVENT_KINDS, { description: "The same as `X-Service-Event`" }),
    webhook: integerSchema({ description: "Webhook number" }),
    created_at: instantSchema("When the event was created"),
    posts: listSchema(postSchema, { maxItems: 100, description: "None in a `ping`" }),
  },
  "Event",
);

/** Event with posts that match an alert. */
export const matchedEventSchema = objectSchema(
  {
    ...eventSchema.properties,
    alert: objectSchema({
      id: integerSchema({ description: "Alert number" }),
      name: textSchema({ description: "Its name when the event was created" }),
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
export function eventOperations(reference: (schema: object) => object) {
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
