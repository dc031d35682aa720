import type { PlanRequest } from "../../../customers/accounts/accounts.table.ts";
import { PLAN_CODES } from "../../../customers/accounts/plan.ts";
import { field, instant, rows } from "../../../values/rows.ts";
import { choiceSchema, integerSchema, textSchema } from "../../../values/schema.ts";
import { list, numberBefore, resource, verb } from "../resource.ts";
import { organizations } from "./organizations.ts";

const requestRows = rows("PlanRequest", {
  organization: field(
    integerSchema({ description: "Number of the organization" }),
    ({ organizationId }: PlanRequest) => organizationId,
  ),
  plan: choiceSchema(PLAN_CODES, { description: "The plan asked for" }),
  note: textSchema({ description: "What the customer wrote" }),
  person: textSchema({ description: "E-mail address of who asks" }),
  created_at: instant("When it was made"),
});

/** Customers' open requests for another plan, each under its organization's number. */
export const planRequests = resource({
  name: "plan request",
  area: "customers",
  title: "customers' open requests for another plan",
  schema: requestRows.schema,
  id: organizations.id,
  hint: "its organization's number or name",
  find: organizations.find,
  verbs: [
    list({
      rows: ["organization"],
      title: "list open requests; `kanalog org plan` grants one",
      async run(_args, { services, part }) {
        const after = numberBefore(part) ?? 0;
        const found = await services.accounts.planRequests({ after, limit: part.limit });
        return found.map(requestRows.row);
      },
    }),
    verb({
      name: "close",
      title: "close an organization's request without giving it the plan",
      run: async (_args, { services, id, by }) =>
        requestRows.row(await services.accounts.closePlanRequest(id, by)),
    }),
  ],
});
