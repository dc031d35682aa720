import { field, instant, optionalInstant, rows } from "../../../values/rows.ts";
import {
  choiceSchema,
  flagSchema,
  instantSchema,
  integerSchema,
  listSchema,
  nullable,
  objectSchema,
  textSchema,
  type ValueOf,
} from "../../../values/schema.ts";
import { DELIVERY_STATES, EVENT_KINDS } from "../events/event-body.ts";
import { DISABLED_REASONS, type Webhook } from "./webhooks.table.ts";

/** Webhooks and deliveries as the API returns them. */

const webhookFields = {
  id: integerSchema({ description: "Webhook number" }),
  url: textSchema({ description: "Address of the receiver, as given" }),
  channels: listSchema(integerSchema(), { description: "Service numbers of the watched channels" }),
  is_active: field(
    flagSchema({ description: "Whether events are delivered" }),
    ({ disabledReason }: Webhook) => disabledReason === "",
  ),
  disabled_reason: choiceSchema(DISABLED_REASONS, {
    description:
      "Empty while active; `failures` after a day without a success, `customer` by the API, `staff` " +
      "by the service",
  }),
  last_success_at: optionalInstant("Last successful delivery, pings included"),
  last_error: textSchema({ description: "Last error of a delivery; empty if there was none" }),
  created_at: instant("When it was created"),
  updated_at: instant("When it was changed last"),
};

export const webhookRows = rows("Webhook", webhookFields);
export const webhookSchema = webhookRows.schema;
export type WebhookView = ValueOf<typeof webhookSchema>;

/** A webhook with its secret, which is only shown this once. */
export const newSecretSchema = objectSchema(
  {
    ...webhookSchema.properties,
    secret: textSchema({ description: "Signing secret, `whsec_…`; shown only once" }),
  },
  "WebhookWithSecret",
);
export type NewSecretView = ValueOf<typeof newSecretSchema>;

const outcomeFields = {
  status: nullable(integerSchema({ description: "Status of the receiver's answer; null: none" })),
  error: textSchema({ description: "Empty if the attempt succeeded" }),
  duration_ms: integerSchema({ minimum: 0, description: "Milliseconds that the attempt took" }),
};

/** Outcome of an attempt that a caller waited for. */
export const attemptSchema = objectSchema(
  {
    delivered: flagSchema({ description: "Whether the receiver answered with a 2xx status" }),
    ...outcomeFields,
    delivery: integerSchema({ description: "Delivery number" }),
  },
  "WebhookAttempt",
);
export type AttemptView = ValueOf<typeof attemptSchema>;

/** A delivery in the log of attempts. */
export const deliverySchema = objectSchema(
  {
    delivery: integerSchema({ description: "Delivery number, the same on retries" }),
    event: choiceSchema(EVENT_KINDS, { description: "Kind of the event" }),
    created_at: instantSchema("When the event was assembled"),
    posts: listSchema(integerSchema(), { description: "Numbers of its posts" }),
    state: choiceSchema(DELIVERY_STATES, { description: "What became of the delivery" }),
    attempts: listSchema(
      objectSchema({ attempted_at: instantSchema("When the attempt began"), ...outcomeFields }),
    ),
    next_attempt_at: nullable(instantSchema("When the next attempt is due; null: none is")),
  },
  "WebhookDelivery",
);
export type DeliveryView = ValueOf<typeof deliverySchema>;
