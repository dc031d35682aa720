import {
  attemptSchema,
  type DeliveryView,
  deliverySchema,
} from "../../push/webhooks/manage/webhook-views.ts";
import type { ListedWebhook } from "../../push/webhooks/manage/webhooks.store.ts";
import {
  type CustomersWebhook,
  DISABLED_REASONS,
} from "../../push/webhooks/manage/webhooks.table.ts";
import { parseNumber } from "../../values/fields.ts";
import { field, optionalInstant, rows } from "../../values/rows.ts";
import {
  choiceSchema,
  countSchema,
  flagSchema,
  integerSchema,
  nullable,
  objectSchema,
  textSchema,
} from "../../values/schema.ts";
import { integer, required, text, withDefault } from "../parameters.ts";
import { organizations } from "./organizations.ts";
import {
  numberBefore,
  numberId,
  type OperatorServices,
  onlyOne,
  type Resource,
  type Row,
  reference,
  verb,
} from "./resource.ts";

export const deliveryFields = {
  ...deliverySchema.properties,
  last_status: nullable(integerSchema({ description: "Status of the last attempt's answer" })),
  last_error: textSchema({ description: "Error of the last attempt; empty if it succeeded" }),
};

const webhookRows = rows("OperatorWebhook", {
  id: integerSchema({ description: "Number of the webhook" }),
  organization: field(
    integerSchema({ description: "Number of the organization" }),
    ({ organizationId }: ListedWebhook) => organizationId,
  ),
  url: textSchema({ description: "Address of the receiver" }),
  channels: countSchema("How many channels it watches"),
  is_active: field(flagSchema(), ({ disabledReason }: ListedWebhook) => disabledReason === ""),
  disabled_reason: choiceSchema(DISABLED_REASONS, { description: "Empty while active" }),
  staff_note: textSchema({ description: "Why staff disabled it; customers do not see it" }),
  failing_since: optionalInstant("First failure since the last success; null: none"),
  last_success_at: optionalInstant("Last successful delivery; null: none"),
  last_error: textSchema({ description: "Last error; empty if there was none" }),
  created_at: optionalInstant("When it was created"),
});

export const webhooks: Resource = {
  name: "webhook",
  command: "webhook",
  path: "webhooks",
  area: "customers",
  title: "customers' webhooks, as staff manage them",
  schema: webhookRows.schema,
  id: numberId,
  hint: "its number or address",
  find: findWebhook,
  verbs: [
    verb({
      name: "list",
      on: "none",
      isRead: true,
      rows: ["id"],
      title: "list the webhooks of one organization, or of all",
      args: {
        organization: { ...reference(organizations, "Only this organization's."), required: false },
      },
      positional: ["organization"],
      async run({ organization = null }, { services, part }) {
        if (organization !== null) await services.accounts.organization(organization);
        const found = await services.findWebhooks({
          ...{ organizationId: organization, areDisabled: false },
          ...{ after: numberBefore(part) ?? 0, limit: part.limit },
        });
        return found.map(webhookRows.row);
      },
    }),
    verb({
      name: "disable",
      on: "one",
      title: "disable a webhook, so that only `webhook enable` enables it again",
      args: { reason: withDefault(text({ description: "Why, for staff only." }), "") },
      run: async ({ reason }, { services, id, by }) =>
        rowOf(await services.webhooks.disable(id, reason, by), services),
    }),
    verb({
      name: "enable",
      on: "one",
      args: {},
      title: "enable a webhook, for whatever reason it was disabled; posts are sent from now on",
      run: async (_args, { services, id, by }) =>
        rowOf(await services.webhooks.enable(id, by), services),
    }),
    verb({
      name: "deliveries",
      on: "one",
      isRead: true,
      rows: ["delivery"],
      args: {},
      title: "list a webhook's deliveries of the last 30 days, newest first",
      result: objectSchema(deliveryFields, "OperatorDelivery"),
      async run(_args, { services, id, part }) {
        const wanted = { before: numberBefore(part), limit: part.limit };
        const found = await services.webhooks.deliveries(id, wanted);
        return found.map(deliveryRow);
      },
    }),
    verb({
      name: "resend",
      on: "one",
      title: "send a delivery of the last two days once more",
      args: {
        delivery: required(
          integer({ description: "Number of the delivery.", example: 1, minimum: 1 }),
        ),
      },
      positional: ["delivery"],
      result: attemptSchema,
      run: ({ delivery }, { services, id, by }) => services.webhooks.resend(id, delivery, by),
    }),
  ],
};

/** A delivery with the outcome of its last attempt. */
export function deliveryRow<Logged extends Pick<DeliveryView, "attempts">>(delivery: Logged): Row {
  const last = delivery.attempts.at(-1);
  return { ...delivery, last_status: last?.status ?? null, last_error: last?.error ?? "" };
}

async function rowOf(webhook: CustomersWebhook, { webhooks }: OperatorServices): Promise<Row> {
  return webhookRows.row({ ...webhook, channels: (await webhooks.channels(webhook.id)).length });
}

async function findWebhook(text: string, { webhooks }: OperatorServices): Promise<number> {
  const number = parseNumber(text);
  if (number !== null) return number;
  const found = (await webhooks.webhooks(null)).filter(({ url }) => url === text.trim());
  return onlyOne("webhook", text, found, ({ url }) => url);
}
