import { type FieldFaults, fieldError } from "../../errors.ts";
import type { AlertView } from "../../push/webhooks/alerts/alert-views.ts";
import { alertSchema, previewSchema } from "../../push/webhooks/alerts/alert-views.ts";
import { type AlertFields, DIGESTS } from "../../push/webhooks/alerts/alerts.table.ts";
import { isLonger, type Read, readText } from "../../values/fields.ts";
import { message } from "../../values/messages/messages.ts";
import * as shape from "../../values/schema.ts";
import { alertsAccessible, alertsIncluded, alertToSpare } from "../admission.ts";
import { actorOf, apiMethod, type Call, own } from "../method.ts";
import { pageOf, pageParameters, readPage } from "../paging.ts";
import type { Arguments, Parameter } from "../parameters.ts";
import {
  choice,
  fieldsOf,
  flag,
  inBody,
  integer,
  numberInPath,
  orNull,
  required,
  text,
  withDefault,
} from "../parameters.ts";
import { channelNamed, readFacets } from "./catalog-filter.ts";
import { readQueryText } from "./post-query.ts";

const NAME_LENGTH_MAX = 100;

const alertPath = { id: numberInPath("Alert number.") };

const nameField: Parameter<string> = {
  ...inBody(text("What you call it.", { example: "Meteorites" })),
  read: readName,
};

const queryField: Parameter<string> = {
  ...inBody(
    text(
      'Words that a post must contain, in any form, joined by AND; `"a phrase"`, `-without`, ' +
        "`a | b`, `beginning*`, `=exact`, `#tag`, `@handle`. At least one word that is not excluded.",
      { example: '"ударный кратер" | метеорит' },
    ),
  ),
  read: readQuery,
};

const webhookField = inBody(
  integer("Number of the webhook that receives the matches.", { example: 1, minimum: 0 }),
);

const digestField = inBody(
  choice(
    DIGESTS,
    "When matches are sent: as they are read, or together, after each full hour or each Moscow day.",
  ),
);

const filterFields = {
  channel: orNull(
    text("Only posts of this channel: its service number, or its handle. Null: all channels.", {
      example: "nsmag",
    }),
  ),
  category: orNull(
    text(
      "Code (`slug`) of a category: only posts of its channels, by primary or additional " +
        "category. Null: any.",
      { example: "science" },
    ),
  ),
  territory: orNull(
    text(
      "Code (`slug`) of a territory: only posts of its channels and of the nodes below it. " +
        "Null: any.",
      { example: "russia" },
    ),
  ),
  is_ad: orNull(
    flag("true: only advertising posts; false: no advertising posts. Null: both.", {
      example: false,
    }),
  ),
};

export const alertsList = apiMethod({
  operationId: "msgr_alerts_list",
  path: "/v1/msgr/alerts/",
  tag: "Alerts",
  title: "List alerts",
  description: "The organization's keyword alerts, by number. From the Growth plan.",
  units: 0,
  planRule: alertsAccessible,
  parameters: { ...pageParameters, ...fieldsOf(alertSchema) },
  result: pageOf(alertSchema),
  run: ({ limit }, call) =>
    readPage<AlertView, readonly [number]>(call, (after) =>
      call.services.alerts.list(call.caller.organization.id, after?.[0] ?? 0, limit),
    ),
});

export const alertsCreate = apiMethod({
  operationId: "msgr_alerts_create",
  verb: "POST",
  path: "/v1/msgr/alerts/",
  tag: "Alerts",
  title: "Create alert",
  description:
    "From now on, new posts of all public channels that match are sent to the webhook as " +
    "`post.matched`, each at most once.",
  units: 0,
  audience: "managers",
  planRule: alertToSpare,
  parameters: {
    name: required(nameField),
    q: required(queryField),
    webhook: required(webhookField),
    ...filterFields,
    digest: withDefault(digestField, "each"),
  },
  status: 201,
  result: alertSchema,
  errors: ["not_found"],
  run({ name, q, webhook: webhookId, digest, ...filters }, call) {
    const { organization, plan } = call.caller;
    const none = { channelId: null, category: null, territory: null, isAd: null };
    const fields = { ...none, name, q, webhookId, digest, ...readFilters(filters, call) };
    return call.services.alerts.create(organization.id, plan, fields, actorOf(call));
  },
});

export const alertsRetrieve = apiMethod({
  operationId: "msgr_alerts_retrieve",
  path: "/v1/msgr/alerts/:id/",
  tag: "Alerts",
  title: "Get alert",
  description: "An alert by its number.",
  units: 0,
  planRule: alertsAccessible,
  parameters: { ...alertPath, ...fieldsOf(alertSchema) },
  result: alertSchema,
  run: ({ id }, call) => call.services.alerts.get(own(id, call)),
});

export const alertsUpdate = apiMethod({
  operationId: "msgr_alerts_partial_update",
  verb: "PATCH",
  path: "/v1/msgr/alerts/:id/",
  tag: "Alerts",
  title: "Change alert",
  description:
    "Changes the given fields, at least one. If the query, a filter or the webhook changes, only posts " +
    "read from that moment on are matched.",
  units: 0,
  audience: "managers",
  planRule: alertsIncluded,
  parameters: {
    ...alertPath,
    name: nameField,
    q: queryField,
    webhook: webhookField,
    ...filterFields,
    digest: digestField,
  },
  result: alertSchema,
  run({ id, name, q, webhook, digest, ...filters }, call) {
    const given = { ...filters, name, q, webhook, digest };
    if (Object.values(given).every((value) => value === undefined)) {
      throw fieldError({ non_field_errors: [message("alertUnchanged")] });
    }
    const change = {
      ...(name !== undefined && { name }),
      ...(q !== undefined && { q }),
      ...(webhook !== undefined && { webhookId: webhook }),
      ...(digest !== undefined && { digest }),
      ...readFilters(filters, call),
    };
    return call.services.alerts.change(own(id, call), change, actorOf(call));
  },
});

export const alertsDestroy = apiMethod({
  operationId: "msgr_alerts_destroy",
  verb: "DELETE",
  path: "/v1/msgr/alerts/:id/",
  tag: "Alerts",
  title: "Delete alert",
  description:
    "Deletes an alert. Its events that are already in the webhook's queue are still sent.",
  units: 0,
  audience: "managers",
  planRule: alertsAccessible,
  parameters: alertPath,
  result: shape.nothing(),
  async run({ id }, call) {
    await call.services.alerts.remove(own(id, call), actorOf(call));
    return null;
  },
});

export const alertsPreview = apiMethod({
  operationId: "msgr_alerts_preview",
  verb: "POST",
  path: "/v1/msgr/alerts/:id/preview/",
  tag: "Alerts",
  title: "Preview alert",
  description:
    "How many posts of the last 7 days match, and the 10 newest of them, with the part of the text " +
    "that matches. Sends nothing.",
  units: 1,
  planRule: alertsIncluded,
  parameters: alertPath,
  result: previewSchema,
  async run({ id }, call) {
    const { note, ...preview } = await call.services.alerts.preview(own(id, call));
    return { ...preview, note: note && call.told(note) };
  },
});

/**
 * Reads the given filters, of which a channel becomes its service number; those not given are left out.
 * @throws AppError `invalid` with each filter that names nothing known
 */
function readFilters(
  { channel, category, territory, is_ad: isAd }: Arguments<typeof filterFields>,
  { services: { channels, directory } }: Pick<Call, "services">,
): Partial<Pick<AlertFields, "channelId" | "category" | "territory" | "isAd">> {
  const faults: FieldFaults = {};
  const channelId = typeof channel === "string" ? channelNamed(channel.trim(), channels) : channel;
  if (typeof channel === "string" && channelId === null) {
    faults["channel"] = [message("unknownChannel")];
  }
  const named = { category: category ?? undefined, territory: territory ?? undefined };
  readFacets(named, directory, faults);
  if (Object.keys(faults).length > 0) throw fieldError(faults);
  return {
    ...(channelId !== undefined && { channelId }),
    ...(category !== undefined && { category }),
    ...(territory !== undefined && { territory }),
    ...(isAd !== undefined && { isAd }),
  };
}

/** An alert's name: trimmed, one line, not blank. */
function readName(given: unknown): Read<string> {
  const read = readText(given);
  if ("fault" in read) return read;
  const name = read.value.trim();
  if (name === "") return { fault: message("blank") };
  if (/\p{Cc}|[\u2028\u2029]/u.test(name)) return { fault: message("controlCharacters") };
  return isLonger(name, NAME_LENGTH_MAX)
    ? { fault: message("tooLong", { characters: NAME_LENGTH_MAX }) }
    : { value: name };
}

/** `q` as in post search, trimmed; must contain at least one word that is not excluded. */
function readQuery(given: unknown): Read<string> {
  const read = readText(given);
  if ("fault" in read) return read;
  if (read.value.trim() === "") return { fault: message("blank") };
  const text = readQueryText(read.value, message("nothingToMatch"));
  return "fault" in text ? text : { value: text.value.q };
}
