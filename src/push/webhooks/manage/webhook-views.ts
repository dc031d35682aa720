import type { Database } from "../../../db/database.ts";
import { notFound } from "../../../errors.ts";
import * as shape from "../../../values/schema.ts";
import { shownPage, type ValueOf } from "../../../values/schema.ts";
import { DELIVERY_STATES, EVENT_KINDS } from "../events/cut-events.ts";
import { DISABLED_REASONS, type Webhook } from "./webhooks.table.ts";

/** Webhooks and deliveries as the API returns them. */

const webhookFields = {
  id: shape.integer("Webhook number"),
  url: shape.text("Address of the receiver, as given"),
  channels: shape.list(shape.integer(), "Service numbers of the watched channels"),
  is_active: shape.field(
    shape.flag("Whether events are delivered"),
    ({ disabledReason }: Webhook) => disabledReason === "",
  ),
  disabled_reason: shape.choice(
    DISABLED_REASONS,
    "Empty while active; `failures` after a day without a success, `customer` by the API, `staff` " +
      "by the service",
  ),
  last_success_at: shape.optionalInstant("Last successful delivery, pings included"),
  last_error: shape.text("Last error of a delivery; empty if there was none"),
  created_at: shape.instant("When it was created"),
  updated_at: shape.instant("When it was changed last"),
};

export const webhookRows = shape.rows("Webhook", webhookFields);
export const webhookSchema = webhookRows.schema;
export type WebhookView = ValueOf<typeof webhookSchema>;

/** A webhook with its secret, which is only shown this once. */
export const newSecretSchema = shape.object(
  {
    ...webhookSchema.properties,
    secret: shape.text("Signing secret, `whsec_…`; shown only once"),
  },
  "WebhookWithSecret",
);
export type NewSecretView = ValueOf<typeof newSecretSchema>;

const outcomeFields = {
  status: shape.nullable(shape.integer("Status of the receiver's answer; null: none")),
  error: shape.text("Empty if the attempt succeeded"),
  duration_ms: shape.integer({ minimum: 0, description: "Milliseconds that the attempt took" }),
};

/** Outcome of an attempt that a caller waited for. */
export const attemptSchema = shape.object(
  {
    delivered: shape.flag("Whether the receiver answered with a 2xx status"),
    ...outcomeFields,
    delivery: shape.integer("Delivery number"),
  },
  "WebhookAttempt",
);
export type AttemptView = ValueOf<typeof attemptSchema>;

export const deliverySchema = shape.object(
  {
    delivery: shape.integer("Delivery number, the same on retries"),
    event: shape.choice(EVENT_KINDS, "Kind of the event"),
    created_at: shape.instantText("When the event was assembled"),
    posts: shape.list(shape.integer(), "Numbers of its posts"),
    state: shape.choice(DELIVERY_STATES, "What became of the delivery"),
    attempts: shape.list(
      shape.object({ attempted_at: shape.instantText("When the attempt began"), ...outcomeFields }),
    ),
    next_attempt_at: shape.nullable(
      shape.instantText("When the next attempt is due; null: none is"),
    ),
  },
  "WebhookDelivery",
);
export type DeliveryView = ValueOf<typeof deliverySchema>;

/** Identifies a webhook by its owner: an organization, or the operator (null). */
export interface OwnWebhook {
  organizationId: number | null;
  id: number;
}

/** Identifies a webhook or an alert within an organization; another organization's is not found. */
export interface OwnItem {
  organizationId: number;
  id: number;
}

/** Finds an organization's item; it throws `not_found` for another organization's too. */
export function ownItem<Item extends { organizationId: number | null }>(
  thing: "alert" | "webhook",
  select: (db: Database, by: { id: number }) => Item | undefined,
) {
  return async (db: Database, { organizationId, id }: OwnWebhook): Promise<Item> => {
    const item = select(db, { id });
    if (item?.organizationId !== organizationId) throw notFound(thing);
    return item;
  };
}

/** A page of webhooks or alerts; `last` has the number of its last item, or is null if no page follows. */
export interface ItemPage<View> {
  results: View[];
  last: readonly [number] | null;
}

/** Makes a page of rows. @param rows one more than the limit if another page follows */
export function itemPage<Row extends { id: number }, View>(
  rows: readonly Row[],
  limit: number,
  toView: (row: Row) => View,
): ItemPage<View> {
  const { shown, last } = shownPage(rows, limit);
  return { results: shown.map(toView), last: last && [last.id] };
}
