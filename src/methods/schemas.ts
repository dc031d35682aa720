import { type TSchema, t } from "elysia";
import { CHANNEL_KINDS } from "../catalog/channels/channel-kind.ts";
import { TERRITORY_KINDS } from "../catalog/directory/directory.table.ts";
import { MEMBER_ROLES } from "../customers/accounts/accounts.table.ts";
import { PLAN_CODES } from "../customers/accounts/plan.ts";
import { KEY_ACCESSES } from "../customers/keys/key-token.ts";
import { DELIVERY_STATES, EVENT_KINDS } from "../push/webhooks/events/event-body.ts";
import { DISABLED_REASONS } from "../push/webhooks/manage/webhooks.table.ts";
import { integerSchema } from "./integer-schema.ts";

/**
 * Shapes of the answers (specification, section 2; decisions, section 2). Those with an `$id` are
 * the named schemas of the OpenAPI document.
 */

const INSTANT = "ISO 8601 with the Moscow offset";
const instantExample = "2024-11-15T20:25:45+03:00";

function nullable<T extends TSchema>(schema: T) {
  return t.Union([schema, t.Null()]);
}

function oneOf<Option extends string>(options: readonly Option[], description: string) {
  return t.Unsafe<Option>({ type: "string", enum: [...options], description });
}

const instant = (description: string) =>
  t.String({
    format: "date-time",
    description: `${description}; ${INSTANT}`,
    examples: [instantExample],
  });
const dayText = (description: string) =>
  t.String({ format: "date", description, examples: ["2024-11-15"] });
const count = (description: string) => integerSchema({ minimum: 0, description });

/** `{results}`: a list that has no pages. */
export function listOf<T extends TSchema>(item: T) {
  return t.Object({ results: t.Array(item) }, { additionalProperties: false });
}

/** `{results, next}`. */
export function pageOf<T extends TSchema>(item: T) {
  return t.Object(
    {
      results: t.Array(item),
      next: nullable(
        t.String({ format: "uri", description: "Address of the next page; null on the last one" }),
      ),
    },
    { additionalProperties: false },
  );
}

export const categorySchema = t.Object(
  {
    id: integerSchema({ description: "Category number" }),
    slug: t.String({ description: "Code, for the catalog's filter `category`" }),
    name: t.String({ description: "Name in Russian" }),
    channels: count("Public channels and chats in the category, recounted nightly"),
    image: nullable(t.String({ description: "Address of a WebP image of up to 500 pixels" })),
  },
  { $id: "Category", additionalProperties: false },
);

export const territorySchema = t.Object(
  {
    id: integerSchema({ description: "Node number" }),
    slug: t.String({ description: "Code, for the catalog's filter `territory`" }),
    name: t.String({ description: "Name in Russian" }),
    kind: oneOf(TERRITORY_KINDS, "Level of the tree; `district` is a federal district"),
    parent: nullable(t.String({ description: "Code of the parent; null for a country" })),
    path: t.String({ description: "Codes from the country down to this node, separated by `/`" }),
    channels: count("Public channels and chats in the node and below it, recounted nightly"),
  },
  { $id: "Territory", additionalProperties: false },
);

export const cardSchema = t.Object(
  {
    id: integerSchema({ description: "Service number of the channel" }),
    handle: nullable(t.String({ description: "Handle, without `@`" })),
    title: t.String(),
    description: nullable(t.String()),
    link: nullable(t.String({ description: "Address of the channel in the messenger" })),
    image: nullable(t.String({ description: "Address of the channel's picture" })),
    kind: oneOf(CHANNEL_KINDS, "`chat` is a group chat"),
    subscribers: count("Subscribers"),
    category: nullable(t.String({ description: "Code of the primary category" })),
    categories: t.Array(t.String(), { description: "Codes of the additional categories" }),
    territory: nullable(t.String({ description: "Code of the territory" })),
    a_plus: t.Boolean({ description: "Has the A+ mark" }),
    verified: t.Boolean({ description: "Verified by its owner" }),
    quality: nullable(t.Number({ description: "Quality index" })),
    citation: nullable(t.Number({ description: "Citation index" })),
    last_post_at: nullable(instant("Time of the last post")),
  },
  { $id: "Channel", additionalProperties: false },
);

export const dailyStatisticsSchema = t.Object(
  {
    channel: integerSchema({ description: "Service number of the channel" }),
    day: dayText("Moscow day"),
    subscribers: count("Subscribers at the end of the day"),
    views: count("Views of that day's posts"),
    posts: count("Posts of that day"),
  },
  { $id: "DailyStatistics", additionalProperties: false },
);

export const postSchema = t.Object(
  {
    id: integerSchema({ description: "Post number" }),
    channel: integerSchema({ description: "Service number of the channel" }),
    text: t.String(),
    views: count("Views"),
    is_ad: t.Boolean({ description: "Advertising" }),
    published_at: instant("Time of publication"),
    link: nullable(t.String({ description: "Address of the post in the messenger" })),
  },
  { $id: "Post", additionalProperties: false },
);

export const accountSchema = t.Object(
  {
    key: t.Object(
      {
        id: integerSchema({}),
        name: t.String(),
        prefix: t.String({ description: "How the key begins" }),
        access: oneOf(KEY_ACCESSES, "The key's mark, set when it was made"),
        created_at: instant("When the key was made"),
        last_used_at: nullable(instant("Last use, written at most once a minute")),
        expires_at: nullable(instant("When the key stops working")),
      },
      { additionalProperties: false },
    ),
    member: t.Object(
      {
        id: integerSchema({}),
        name: t.String(),
        email: t.String(),
        role: oneOf(MEMBER_ROLES, "The key acts with this role"),
      },
      { additionalProperties: false },
    ),
    organization: t.Object(
      { id: integerSchema({}), name: t.String() },
      { additionalProperties: false },
    ),
    api_tariff: oneOf(PLAN_CODES, "The plan in force"),
    tariff_ends_at: nullable(instant("When the plan ends or has ended; null: no end")),
    limits: t.Object(
      {
        requests_per_second: integerSchema({}),
        requests_per_period: integerSchema({}),
        period_days: integerSchema({}),
        webhooks: integerSchema({}),
        webhook_channels: integerSchema({}),
        posts: t.Boolean({ description: "Whether posts may be read" }),
        history_days: nullable(
          integerSchema({ description: "Days of statistics that may be read; null: all" }),
        ),
      },
      { additionalProperties: false },
    ),
    usage: t.Object(
      {
        period_started_at: instant("Start of the period"),
        period_ends_at: instant("End of the period"),
        used: count("Request units used in the period"),
      },
      { additionalProperties: false },
    ),
    remaining_period: count("Request units left in the period"),
  },
  { $id: "Account", additionalProperties: false },
);

const webhookFields = {
  id: integerSchema({ description: "Webhook number" }),
  url: t.String({ description: "Address of the receiver, as it was given" }),
  channels: t.Array(integerSchema({}), { description: "Service numbers of the watched channels" }),
  is_active: t.Boolean({ description: "Whether events are delivered" }),
  disabled_reason: oneOf(
    DISABLED_REASONS,
    "Empty while active; `failures` after a day without a success, `customer` by the API, `staff` " +
      "by the service",
  ),
  last_success_at: nullable(instant("Last successful delivery, pings included")),
  last_error: t.String({ description: "Last error of a delivery; empty where there was none" }),
  created_at: instant("When it was created"),
  updated_at: instant("When it was changed last"),
};

export const webhookSchema = t.Object(webhookFields, {
  $id: "Webhook",
  additionalProperties: false,
});

export const newSecretSchema = t.Object(
  {
    ...webhookFields,
    secret: t.String({ description: "Signing secret, `whsec_…`; shown this once" }),
  },
  { $id: "WebhookWithSecret", additionalProperties: false },
);

const outcomeFields = {
  status: nullable(integerSchema({ description: "Status of the receiver's answer; null: none" })),
  error: t.String({ description: "Empty where it succeeded" }),
  duration_ms: integerSchema({ minimum: 0, description: "Milliseconds that the attempt took" }),
};

export const attemptSchema = t.Object(
  {
    delivered: t.Boolean({ description: "Whether the receiver answered with a 2xx status" }),
    ...outcomeFields,
    delivery: integerSchema({ description: "Delivery number" }),
  },
  { $id: "WebhookAttempt", additionalProperties: false },
);

export const deliverySchema = t.Object(
  {
    delivery: integerSchema({ description: "Delivery number, the same on retries" }),
    event: oneOf(EVENT_KINDS, "Kind of the event"),
    created_at: instant("When the event was assembled"),
    posts: t.Array(integerSchema({}), { description: "Numbers of its posts" }),
    state: oneOf(DELIVERY_STATES, "What became of it"),
    attempts: t.Array(
      t.Object(
        { attempted_at: instant("When the attempt began"), ...outcomeFields },
        { additionalProperties: false },
      ),
    ),
    next_attempt_at: nullable(instant("When the next attempt is due; null: none is")),
  },
  { $id: "WebhookDelivery", additionalProperties: false },
);

export const usageSchema = t.Object(
  {
    day: dayText("Moscow day"),
    method: t.String({ description: "Operation id", examples: ["msgr_channels_list"] }),
    key: integerSchema({ description: "Number of the key" }),
    requests: count("Requests with a good key"),
    units: count("Units they cost"),
    errors: count("Requests answered with a status of 400 or more"),
  },
  { $id: "Usage", additionalProperties: false },
);
