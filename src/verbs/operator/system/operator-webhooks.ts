import { OPERATOR_EVENTS } from "../../../customers/operator-events/operator-events.table.ts";
import { attemptSchema } from "../../../push/webhooks/manage/webhook-views.ts";
import { DISABLED_REASONS, type Webhook } from "../../../push/webhooks/manage/webhooks.table.ts";
import * as shape from "../../../values/schema.ts";
import { receiverUrl } from "../../methods/webhooks.ts";
import { required } from "../../parameters.ts";
import { deliveryFields, deliveryVerbs } from "../customers/webhooks.ts";
import type { OperatorServices } from "../resource.ts";
import { findNamed, inPart, list, resource, show, verb } from "../resource.ts";

const fields = {
  id: shape.integer("Number of the webhook"),
  url: shape.text("Address of the receiver"),
  is_active: shape.field(shape.flag(), ({ disabledReason }: Webhook) => disabledReason === ""),
  disabled_reason: shape.choice(
    DISABLED_REASONS,
    "Empty while active; `failures` after a day without a success",
  ),
  last_success_at: shape.optionalInstant("Last successful delivery; null: none"),
  last_error: shape.text("Last error; empty if there was none"),
  created_at: shape.instant("When it was created"),
};
const webhookRows = shape.rows("EventWebhook", fields);
const newWebhookRows = shape.rows("NewEventWebhook", {
  ...fields,
  secret: shape.property("signing", shape.text("The signing secret, which is shown only once")),
});

const { posts: _posts, ...logFields } = deliveryFields;
const deliverySchema = shape.object(
  {
    ...logFields,
    event: shape.choice([...OPERATOR_EVENTS, "ping"], "Kind of the event"),
  },
  "EventDelivery",
);

/** The operator's own addresses, which get the appliance's events. */
export const operatorWebhooks = resource({
  name: "operator webhook",
  area: "system",
  title: "the operator's own webhooks, which get the appliance's events",
  schema: webhookRows.schema,
  hint: "its number or address",
  find: findWebhook,
  verbs: [
    verb({
      name: "create",
      on: "none",
      title: "create a webhook for the appliance's events; its secret is shown only once",
      args: { url: required(receiverUrl) },
      positional: ["url"],
      result: newWebhookRows.schema,
      async run({ url }, { services, by }) {
        const { webhook, secret } = await services.operatorWebhooks.create(url, by);
        return newWebhookRows.row({ ...webhook, signing: secret });
      },
      async unseen(made, { services, by }) {
        await services.operatorWebhooks.remove(Number(made["id"]), by);
        return `Nobody saw the secret of webhook ${made["id"]}, so it was removed: create it again.`;
      },
    }),
    list({
      title: "list the operator's webhooks",
      run: async (_args, { services, part }) =>
        inPart(await services.operatorWebhooks.list(), part).map(webhookRows.row),
    }),
    show({
      title: "show one of the operator's webhooks",
      run: async (_args, { services, id }) =>
        webhookRows.row(await services.operatorWebhooks.webhook(id)),
    }),
    verb({
      name: "test",
      title: "send one `ping` to the address, and say how it went; at most once a minute",
      result: attemptSchema,
      run: (_args, { services, id }) => services.operatorWebhooks.test(id),
    }),
    verb({
      name: "enable",
      title: "enable a webhook that was disabled; events from now on are sent",
      run: async (_args, { services, id, by }) =>
        webhookRows.row(await services.operatorWebhooks.enable(id, by)),
    }),
    verb({
      name: "delete",
      title: "delete a webhook with its log of deliveries",
      run: async (_args, { services, id, by }) =>
        webhookRows.row(await services.operatorWebhooks.remove(id, by)),
    }),
    ...deliveryVerbs(({ operatorWebhooks }) => operatorWebhooks, deliverySchema),
  ],
});

function findWebhook(text: string, { operatorWebhooks }: OperatorServices): Promise<number> {
  const named = async (url: string) =>
    (await operatorWebhooks.list()).filter((one) => one.url === url);
  return findNamed("webhook", text, named, ({ url }) => url);
}
