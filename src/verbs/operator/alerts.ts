import { alertSchema } from "../../push/webhooks/alerts/alert-views.ts";
import { parseNumber } from "../../values/fields.ts";
import { integerSchema, objectSchema } from "../../values/schema.ts";
import { organizations } from "./organizations.ts";
import { numberBefore, numberId, type Resource, reference, verb } from "./resource.ts";

const alertRow = objectSchema(
  {
    organization: integerSchema({ description: "Number of the organization" }),
    ...alertSchema.properties,
  },
  "OperatorAlert",
);

/** Customers' keyword alerts; only their owners change them. */
export const alerts: Resource = {
  name: "alert",
  command: "alert",
  path: "alerts",
  area: "customers",
  title: "customers' keyword alerts",
  schema: alertRow,
  id: numberId,
  hint: "its number",
  find: async (text) => parseNumber(text),
  verbs: [
    verb({
      name: "list",
      on: "none",
      isRead: true,
      rows: ["id"],
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
    verb({
      name: "show",
      on: "one",
      isRead: true,
      args: {},
      title: "show a keyword alert, with how many posts it sent today",
      async run(_args, { services, id }) {
        const { organizationId: organization, alert } = await services.alerts.ofAnybody(id);
        return { organization, ...alert };
      },
    }),
  ],
};
