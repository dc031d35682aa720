import type { Actor } from "../../../customers/audit/audit-log.ts";
import { alertSchema } from "../../../push/webhooks/alerts/alert-views.ts";
import type { AttemptView, DeliveryView } from "../../../push/webhooks/manage/webhook-views.ts";
import { attemptSchema, deliverySchema } from "../../../push/webhooks/manage/webhook-views.ts";
import type { ListedWebhook } from "../../../push/webhooks/manage/webhooks.store.ts";
import type { CustomersWebhook } from "../../../push/webhooks/manage/webhooks.table.ts";
import { DISABLED_REASONS } from "../../../push/webhooks/manage/webhooks.table.ts";
import * as shape from "../../../values/schema.ts";
import { flag, integer, required, text, withDefault } from "../../parameters.ts";
import type { OperatorServices, Row, Verb } from "../resource.ts";
import { findNamed, list, numberBefore, reference, resource, show, verb } from "../resource.ts";
import { organizations } from "./organizations.ts";

const alertRow = shape.object(
  {
    organization: shape.integer("Number of the organization"),
    ...alertSchema.properties,
  },
  "OperatorAlert",
);

/** Customers' keyword alerts; only their owners change them. */
export const alerts = resource({
  name: "alert",
  area: "customers",
  title: "customers' keyword alerts",
  schema: alertRow,
  verbs: [
    list({
      title: "list the keyword alerts of an organization",
      args: { organization: reference(organizations, "The organization's number.") },
      positional: ["organization"],
      async run({ organization }, { services, part }) {
        await services.accounts.organization(organization);
        const after = numberBefore(part) ?? 0;
        const { results } = await services.alerts.list(organization, after, part.limit);
        return results.map((alert) => ({ organization, ...alert }));
      },
    }),
    show({
      title: "show a keyword alert, with how many posts it sent today",
      async run(_args, { services, id }) {
        const { organizationId: organization, alert } = await services.alerts.ofAnybody(id);
        return { organization, ...alert };
      },
    }),
  ],
});

export const deliveryFields = {
  ...deliverySchema.properties,
  last_status: shape.nullable(shape.integer("Status of the last attempt's answer")),
  last_error: shape.text("Error of the last attempt; empty if it succeeded"),
};

const webhookRows = shape.rows("OperatorWebhook", {
  id: shape.integer("Number of the webhook"),
  organization: shape.property("organizationId", shape.integer("Number of the organization")),
  url: shape.text("Address of the receiver"),
  channels: shape.count("How many channels it watches"),
  is_active: shape.field(
    shape.flag(),
    ({ disabledReason }: ListedWebhook) => disabledReason === "",
  ),
  disabled_reason: shape.choice(DISABLED_REASONS, "Empty while active"),
  staff_note: shape.text("Why staff disabled it; customers do not see it"),
  failing_since: shape.optionalInstant("First failure since the last success; null: none"),
  last_success_at: shape.optionalInstant("Last successful delivery; null: none"),
  last_error: shape.text("Last error; empty if there was none"),
  created_at: shape.optionalInstant("When it was created"),
});

export const webhooks = resource({
  name: "webhook",
  area: "customers",
  title: "customers' webhooks, as staff manage them",
  schema: webhookRows.schema,
  hint: "its number or address",
  find: findWebhook,
  verbs: [
    list({
      title: "list the webhooks of one organization, or of all",
      args: {
        organization: { ...reference(organizations, "Only this organization's."), required: false },
        disabled: withDefault(flag("Only disabled ones."), false),
      },
      positional: ["organization"],
      async run({ organization = null, disabled: areDisabled }, { services, part }) {
        if (organization !== null) await services.accounts.organization(organization);
        const found = await services.findWebhooks({
          organizationId: organization,
          areDisabled,
          after: numberBefore(part) ?? 0,
          limit: part.limit,
        });
        return found.map(webhookRows.row);
      },
    }),
    show({
      title: "show a webhook, with why it was disabled",
      run: async (_args, { services, id }) => rowOf(await services.webhooks.webhook(id), services),
    }),
    verb({
      name: "disable",
      title: "disable a webhook, so that only `webhook enable` enables it again",
      args: { reason: withDefault(text("Why, for staff only."), "") },
      run: async ({ reason }, { services, id, by }) =>
        rowOf(await services.webhooks.disable(id, reason, by), services),
    }),
    verb({
      name: "enable",
      title: "enable a webhook, for whatever reason it was disabled; posts are sent from now on",
      run: async (_args, { services, id, by }) =>
        rowOf(await services.webhooks.enable(id, by), services),
    }),
    ...deliveryVerbs(({ webhooks }) => webhooks, shape.object(deliveryFields, "OperatorDelivery")),
  ],
});

interface Log {
  deliveries(
    id: number,
    part: { before: number | null; limit: number },
  ): Promise<Pick<DeliveryView, "attempts">[]>;
  resend(id: number, delivery: number, by: Actor): Promise<AttemptView>;
}

/**
 * What a webhook was sent, and sending it once more.
 * @param result of a delivery, which is shown with the outcome of its last attempt
 */
export function deliveryVerbs(
  logOf: (services: OperatorServices) => Log,
  result: ReturnType<typeof shape.object>,
): Verb[] {
  const rowOf = (delivery: Pick<DeliveryView, "attempts">): Row => {
    const last = delivery.attempts.at(-1);
    const outcome = { last_status: last?.status ?? null, last_error: last?.error ?? "" };
    return shape.pick(result, { ...delivery, ...outcome });
  };
  return [
    verb({
      name: "deliveries",
      isRead: true,
      rows: ["delivery"],
      title: "list a webhook's deliveries of the last 30 days, newest first",
      result,
      async run(_args, { services, id, part }) {
        const wanted = { before: numberBefore(part), limit: part.limit };
        return (await logOf(services).deliveries(id, wanted)).map(rowOf);
      },
    }),
    verb({
      name: "resend",
      title: "send a delivery of the last two days once more",
      args: {
        delivery: required(integer("Number of the delivery.", { example: 1, minimum: 1 })),
      },
      positional: ["delivery"],
      result: attemptSchema,
      run: ({ delivery }, { services, id, by }) => logOf(services).resend(id, delivery, by),
    }),
  ];
}

async function rowOf(webhook: CustomersWebhook, { webhooks }: OperatorServices): Promise<Row> {
  return webhookRows.row({ ...webhook, channels: (await webhooks.channels(webhook.id)).length });
}

function findWebhook(text: string, { webhooks }: OperatorServices): Promise<number> {
  const named = async (url: string) =>
    (await webhooks.webhooks(null)).filter((one) => one.url === url);
  return findNamed("webhook", text, named, ({ url }) => url);
}
