import { usageSchema } from "../customers/limits/usage-view.ts";
import { listJson } from "../values/json-text.ts";
import { dayOf } from "../values/moscow-time.ts";
import { fieldsOf } from "./fields.ts";
import { apiMethod } from "./method.ts";
import { listOf } from "./paging.ts";
import { day } from "./parameters.ts";
import { PERIOD_DAYS_DEFAULT, readPeriod } from "./period.ts";

export const meUsageList = apiMethod({
  operationId: "me_usage_list",
  path: "/v1/me/usage/",
  tag: "Account",
  title: "Usage by day",
  description:
    "The organization's requests and units by Moscow day, method and key, kept for 400 days. " +
    "`errors` are the requests that were answered with a status of 400 or more.",
  units: 0,
  parameters: {
    from: day({
      description: `First day, included; by default ${PERIOD_DAYS_DEFAULT} days with today.`,
      example: "2026-11-01",
    }),
    to: day({ description: "Last day, included; today by default.", example: "2026-11-30" }),
    ...fieldsOf(usageSchema),
  },
  result: listOf(usageSchema),
  errors: [],
  async run(args, { services, caller, nowMs }) {
    const { from, to } = readPeriod(args, dayOf(nowMs));
    const organizationId = caller.organization.id;
    return listJson(await services.usageHistory.days({ organizationId, from, to }));
  },
});
