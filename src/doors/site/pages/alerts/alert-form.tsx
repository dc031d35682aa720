/** @jsxImportSource hono/jsx */
import type { AlertView } from "../../../../push/webhooks/alerts/alert-views.ts";
import { DIGESTS } from "../../../../push/webhooks/alerts/alerts.table.ts";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { categoryOptions, territoryOptions } from "../../look/filter-fields.tsx";
import { Form, SelectField, TextField } from "../../look/form.tsx";
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
    <Form action={action} submit={button} words={{ ...words, channel: visit.words.channel }}>
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

/** The fields as the API's methods take them. */
export function typedAlert(): object {
  const { form } = useVisit();
  const isAd = form.get("is_ad");
  return {
    name: form.get("name"),
    q: form.get("q"),
    webhook: form.get("webhook") || undefined,
    channel: form.get("channel").trim() || null,
    category: form.get("category") || null,
    territory: form.get("territory") || null,
    is_ad: isAd === "" ? null : isAd === "true",
    digest: form.get("digest") || undefined,
  };
}
