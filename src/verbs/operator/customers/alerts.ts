import { alertSchema } from "../../../push/webhooks/alerts/alert-views.ts";
import { integerSchema, objectSchema } from "../../../values/schema.ts";
import { list, numberBefore, reference, resource, show } from "../resource.ts";
import { organizations } from "./organizations.ts";

const alertRow = objectSchema(
  {
    organization: integerSchema({ description: "Number of the organization" }),
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
