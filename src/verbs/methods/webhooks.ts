import { fieldError } from "../../errors.ts";
import type { ReceiverAddress } from "../../push/webhooks/manage/webhook-limits.ts";
import type { DeliveryView, WebhookView } from "../../push/webhooks/manage/webhook-views.ts";
import {
  attemptSchema,
  deliverySchema,
  newSecretSchema,
  webhookSchema,
} from "../../push/webhooks/manage/webhook-views.ts";
import { type Read, readNumberList } from "../../values/fields.ts";
import { message } from "../../values/messages/messages.ts";
import { HOUR_MS } from "../../values/moscow-time.ts";
import { readTargetUrl, URL_LENGTH_MAX } from "../../values/network/target-guard.ts";
import * as shape from "../../values/schema.ts";
import { takesJson } from "../../values/takes.ts";
import { webhooksAccessible, webhooksIncluded, webhookToSpare } from "../admission.ts";
import { actorOf, apiMethod, own } from "../method.ts";
import { INVALID_CURSOR, pageOf, pageParameters, readPage } from "../paging.ts";
import {
  fieldsOf,
  flag,
  inBody,
  integer,
  numberInPath,
  parameter,
  required,
} from "../parameters.ts";

/** Longest time for which the previous secret may keep signing after a rotation. */
const OVERLAP_HOURS_MAX = 72;

/** Room for a body with a list of channels. */
const LIST_BYTES_MAX = 256 * 1024;

const webhookPath = { id: numberInPath("Webhook number.") };

export const receiverUrl = parameter(
  shape.text({
    maxLength: URL_LENGTH_MAX,
    description:
      "`https://` address of your server, port 443 or above 1023. Addresses of private networks " +
      "are refused; an internationalized domain is fine.",
    examples: ["https://example.com/hooks/posts"],
  }),
  readUrl,
);
const urlField = inBody(receiverUrl);

const channelsField = inBody(
  parameter(
    shape.list(shape.integer(), {
      minItems: 1,
      description: "Service numbers of public channels to watch.",
      examples: [[1, 3]],
    }),
    readNumberList,
  ),
);

const isActiveField = inBody(
  flag("Enables or disables the webhook; posts are sent from that moment on.", { example: true }),
);

export const webhooksList = apiMethod({
  operationId: "msgr_webhooks_list",
  path: "/v1/msgr/webhooks/",
  tag: "Webhooks",
  title: "List webhooks",
  description: "The organization's webhooks, by number. From the Growth plan.",
  units: 0,
  planRule: webhooksAccessible,
  parameters: { ...pageParameters, ...fieldsOf(webhookSchema) },
  result: pageOf(webhookSchema),
  run: ({ limit }, call) =>
    readPage<WebhookView, readonly [number]>(call, (after) =>
      call.services.webhooks.list(call.caller.organization.id, after?.[0] ?? 0, limit),
    ),
});

export const webhooksCreate = apiMethod({
  operationId: "msgr_webhooks_create",
  verb: "POST",
  path: "/v1/msgr/webhooks/",
  tag: "Webhooks",
  title: "Create webhook",
  description:
    "Posts of the channels that are read from now on are sent to the address. The answer contains the " +
    "signing secret, which is shown only once.",
  units: 0,
  audience: "managers",
  planRule: webhookToSpare,
  takes: takesJson(LIST_BYTES_MAX),
  parameters: { url: required(urlField), channels: required(channelsField) },
  status: 201,
  result: newSecretSchema,
  run({ url, channels }, call) {
    const { organization, plan } = call.caller;
    const webhook = { address: url, channels };
    return call.services.webhooks.create(organization.id, plan, webhook, actorOf(call));
  },
});

export const webhooksRetrieve = apiMethod({
  operationId: "msgr_webhooks_retrieve",
  path: "/v1/msgr/webhooks/:id/",
  tag: "Webhooks",
  title: "Get webhook",
  description: "A webhook by its number.",
  units: 0,
  planRule: webhooksAccessible,
  parameters: { ...webhookPath, ...fieldsOf(webhookSchema) },
  result: webhookSchema,
  run: ({ id }, call) => call.services.webhooks.get(own(id, call)),
});

export const webhooksUpdate = apiMethod({
  operationId: "msgr_webhooks_partial_update",
  verb: "PATCH",
  path: "/v1/msgr/webhooks/:id/",
  tag: "Webhooks",
  title: "Change webhook",
  description:
    "Changes the given fields, at least one. `is_active` true enables a disabled webhook; " +
    "posts that arrived while it was disabled are not sent.",
  units: 0,
  audience: "managers",
  planRule: webhooksIncluded,
  takes: takesJson(LIST_BYTES_MAX),
  parameters: { ...webhookPath, url: urlField, channels: channelsField, is_active: isActiveField },
  result: webhookSchema,
  errors: ["conflict"],
  // Comes before the faults of other fields, which do not matter while staff keep the webhook disabled.
  async refuse(raw, body, call) {
    const id = webhookPath.id.read(raw["id"]);
    const isActive = isActiveField.read(Object(body).is_active);
    if ("fault" in id || "fault" in isActive || !isActive.value) return;
    await call.services.webhooks.refuseEnabling(own(id.value, call));
  },
  run({ id, url, channels, is_active: isActive }, call) {
    if (url === undefined && channels === undefined && isActive === undefined) {
      throw fieldError({ non_field_errors: [message("nothingToChange")] });
    }
    const change = { address: url, channels, isActive };
    return call.services.webhooks.change(own(id, call), call.caller.plan, change, actorOf(call));
  },
});

export const webhooksDestroy = apiMethod({
  operationId: "msgr_webhooks_destroy",
  verb: "DELETE",
  path: "/v1/msgr/webhooks/:id/",
  tag: "Webhooks",
  title: "Delete webhook",
  description:
    "Deletes a webhook with its delivery log and its alerts. Deliveries still in the queue are not sent.",
  units: 0,
  audience: "managers",
  planRule: webhooksAccessible,
  parameters: webhookPath,
  result: shape.nothing(),
  async run({ id }, call) {
    await call.services.webhooks.remove(own(id, call), actorOf(call));
    return null;
  },
});

export const webhooksRotateSecret = apiMethod({
  operationId: "msgr_webhooks_rotate_secret",
  verb: "POST",
  path: "/v1/msgr/webhooks/:id/rotate-secret/",
  tag: "Webhooks",
  title: "Rotate signing secret",
  description:
    "Creates a new signing secret, which is shown only once and signs from the next attempt on. " +
    "With `overlap_hours`, attempts also carry the previous secret's signature " +
    "(`t=…,v1=previous,v1=new`) for that time, or until the next rotation.",
  units: 0,
  audience: "managers",
  planRule: webhooksIncluded,
  parameters: {
    ...webhookPath,
    overlap_hours: inBody(
      integer("Hours for which the previous secret signs too.", {
        example: 24,
        minimum: 1,
        maximum: OVERLAP_HOURS_MAX,
      }),
    ),
  },
  result: newSecretSchema,
  run: ({ id, overlap_hours: hours = 0 }, call) =>
    call.services.webhooks.rotate(own(id, call), hours * HOUR_MS, actorOf(call)),
});

export const webhooksTest = apiMethod({
  operationId: "msgr_webhooks_test",
  verb: "POST",
  path: "/v1/msgr/webhooks/:id/test/",
  tag: "Webhooks",
  title: "Send a test ping",
  description:
    "Sends one `ping` without posts and returns the outcome: one attempt, no retries, even if " +
    "the webhook is disabled. At most once a minute; pings and resends together, at most six a minute to one host.",
  units: 0,
  planRule: webhooksIncluded,
  parameters: webhookPath,
  result: attemptSchema,
  run: ({ id }, call) => call.services.webhooks.test(own(id, call)),
});

export const webhooksDeliveriesList = apiMethod({
  operationId: "msgr_webhooks_deliveries_list",
  path: "/v1/msgr/webhooks/:id/deliveries/",
  tag: "Webhooks",
  title: "Delivery log",
  description:
    "A webhook's deliveries of the last 30 days, newest first, each with its attempts. `state` is " +
    "`pending` while attempts remain, `delivered`, `failed` after the last attempt, or `dropped` " +
    "if the webhook was disabled or the plan ended first.",
  units: 0,
  planRule: webhooksIncluded,
  parameters: { ...webhookPath, ...pageParameters, ...fieldsOf(deliverySchema) },
  result: pageOf(deliverySchema),
  run({ id, limit }, call) {
    return readPage<DeliveryView, readonly number[]>(call, async (after) => {
      const [before = null, webhook = id] = after ?? [];
      if (webhook !== id) throw fieldError({ cursor: [INVALID_CURSOR] });
      const { results, last } = await call.services.webhooks.deliveries(own(id, call), {
        before,
        limit,
        nowMs: call.nowMs,
      });
      return { results, last: last && [...last, id] };
    });
  },
});

export const webhooksResend = apiMethod({
  operationId: "msgr_webhooks_deliveries_resend",
  verb: "POST",
  path: "/v1/msgr/webhooks/:id/deliveries/:delivery/resend/",
  tag: "Webhooks",
  title: "Send a delivery again",
  description:
    "Makes one more attempt now, under the same delivery number, and returns the outcome. The " +
    "webhook must be active, the event at most two days old, and no attempt of it in progress. " +
    "Pings and resends together, at most six a minute to one host.",
  units: 0,
  audience: "managers",
  planRule: webhooksIncluded,
  parameters: { ...webhookPath, delivery: numberInPath("Delivery number.") },
  result: attemptSchema,
  errors: ["conflict"],
  run: ({ id, delivery }, call) =>
    call.services.webhooks.resend(own(id, call), delivery, actorOf(call)),
});

export function readUrl(given: unknown): Read<ReceiverAddress> {
  if (typeof given !== "string") return { fault: message("notText") };
  if (given.trim() === "") return { fault: message("blank") };
  const read = readTargetUrl(given);
  return "fault" in read ? read : { value: { url: given, target: read.value } };
}
