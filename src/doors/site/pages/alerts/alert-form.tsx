/** @jsxImportSource hono/jsx */
import { AppError, type FieldFaults, fieldError } from "../../../../errors.ts";
import type { AlertView } from "../../../../push/webhooks/alerts/alert-views.ts";
import { type AlertFields, DIGESTS } from "../../../../push/webhooks/alerts/alerts.table.ts";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { parseNumber, readChoice } from "../../../../values/fields.ts";
import { message } from "../../../../values/messages/messages.ts";
import { alertsAccessible, alertsIncluded } from "../../../../verbs/admission.ts";
import { readFilters, readName, readQuery } from "../../../../verbs/methods/alerts.ts";
import { categoryOptions, territoryOptions } from "../../look/filter-fields.tsx";
import { Form, SelectField, TextField } from "../../look/form.tsx";
import type { SiteContext } from "../../site-context.ts";
import { accessTo } from "../../visit/viewer.ts";
import { useSite, useVisit } from "../../visit/visit.ts";

/** Form for a new or an existing alert. */
export function AlertForm({
  action,
  button,
  webhooks,
  alert,
}: {
  action: string;
  button: string;
  /** Webhooks that can deliver the alert. */
  webhooks: readonly WebhookView[];
  alert?: AlertView;
}) {
  const visit = useVisit();
  const words = visit.words.alertPages;
  const { directory } = useSite().services;
  const chosen = visit.form.get("territory") || (alert?.territory ?? "");
  const territories = territoryOptions(directory.territories({}), chosen);
  const none = { value: "", label: words.any };
  return (
    <Form action={action} submit={button} words={words}>
      <TextField name="name" value={alert?.name ?? ""} />
      <TextField name="q" label={words.query} hint={words.queryHint} value={alert?.q ?? ""} />
      <SelectField
        name="webhook"
        value={String(alert?.webhook ?? "")}
        options={webhooks.map(({ id, url }) => ({
          value: String(id),
          label: words.webhookNamed(id, new URL(url).host),
        }))}
      />
      <TextField name="channel" required={false} value={String(alert?.channel ?? "")} />
      <SelectField
        name="category"
        value={alert?.category ?? ""}
        options={[none, ...categoryOptions(directory)]}
      />
      <SelectField
        name="territory"
        value={alert?.territory ?? ""}
        options={[none, ...territories]}
      />
      <SelectField
        name="is_ad"
        label={words.isAd}
        value={String(alert?.is_ad ?? "")}
        options={[
          { value: "", label: words.anyAd },
          { value: "true", label: words.onlyAd },
          { value: "false", label: words.noAd },
        ]}
      />
      <SelectField
        name="digest"
        value={alert?.digest ?? "each"}
        options={DIGESTS.map((value) => ({ value, label: words.digests[value] }))}
      />
    </Form>
  );
}

/** The fields as typed. @throws AppError `invalid` with all faults at once */
export function readAlertForm(): AlertFields {
  const { form } = useVisit();
  const { services } = useSite();
  const name = readName(form.get("name"));
  const q = readQuery(form.get("q"));
  const webhookId = parseNumber(form.get("webhook"));
  const digest = readChoice(DIGESTS)(form.get("digest") || "each");
  const faults: FieldFaults = {
    ...("fault" in name && { name: [name.fault] }),
    ...("fault" in q && { q: [q.fault] }),
    ...(webhookId === null && { webhook: [message("chooseOption")] }),
    ...("fault" in digest && { digest: [digest.fault] }),
  };
  const isAd = form.get("is_ad");
  const filters = filtersOrFaults(
    {
      channel: channelNamed(form.get("channel").trim(), services.channels) || null,
      category: form.get("category") || null,
      territory: form.get("territory") || null,
      is_ad: isAd === "" ? null : isAd === "true",
    },
    services,
  );
  if (
    "fault" in name ||
    "fault" in q ||
    webhookId === null ||
    "fault" in digest ||
    "faults" in filters
  ) {
    throw fieldError({ ...faults, ...("faults" in filters && filters.faults) });
  }
  const none = { channelId: null, category: null, territory: null, isAd: null };
  return { ...none, ...filters, name: name.value, q: q.value, webhookId, digest: digest.value };
}

/** Converts a link to the handle or number it refers to. */
function channelNamed(
  typed: string,
  channels: Pick<SiteContext["services"]["channels"], "parseLinkOrHandle">,
): string {
  const reference = channels.parseLinkOrHandle(typed);
  if (reference?.kind === "handle") return reference.handle;
  return reference?.kind === "id" ? String(reference.id) : typed;
}

function filtersOrFaults(
  given: Parameters<typeof readFilters>[0],
  services: SiteContext["services"],
): ReturnType<typeof readFilters> | { faults: FieldFaults } {
  try {
    return readFilters(given, { services });
  } catch (error) {
    if (error instanceof AppError && error.faults !== undefined) return { faults: error.faults };
    throw error;
  }
}

export const {
  requireManager,
  areIncluded: hasAlerts,
  requireIncluded: requireAlerts,
  ownOf,
  itemOf: alertOf,
  itemToChange: alertToChange,
} = accessTo({
  name: "alert",
  included: alertsIncluded,
  includedOrKept: alertsAccessible,
  wordsOf: ({ words }) => words.alertPages,
  get: (own, { services }) => services.alerts.get(own),
});
