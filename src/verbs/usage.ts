import type { UsagePosition } from "../customers/limits/usage-history.store.ts";
import { type UsageView, usageSchema } from "../customers/limits/usage-view.ts";
import { dayOf, formatDay } from "../values/moscow-time.ts";
import { fieldsOf } from "./fields.ts";
import { apiMethod } from "./method.ts";
import { pageOf, pageParameters, readPage } from "./paging.ts";
import { day, integer, withDefault } from "./parameters.ts";
import { PERIOD_DAYS_DEFAULT, readPeriod } from "./period.ts";

/** Rows per answer, both default and maximum: about 1 MB. Few organizations have more in a period. */
const ROWS_MAX = 10_000;

export const meUsageList = apiMethod({
  operationId: "me_usage_list",
  path: "/v1/me/usage/",
  tag: "Account",
  title: "Usage by day",
  description:
    "The organization's requests and units by Moscow day, method and key, kept for 400 days. " +
    "`errors` are the requests answered with a status of 400 or above.",
  units: 0,
  parameters: {
    from: day({
      description: `First day, included; by default, the period is the last ${PERIOD_DAYS_DEFAULT} days, with today.`,
      example: "2026-11-01",
    }),
    to: day({ description: "Last day, included; today by default.", example: "2026-11-30" }),
    ...pageParameters,
    limit: withDefault(
      integer({ description: "Page size.", example: 1000, minimum: 1, maximum: ROWS_MAX }),
      ROWS_MAX,
    ),
    ...fieldsOf(usageSchema),
  },
  result: pageOf(usageSchema),
  run(args, call) {
    const { from, to } = readPeriod(args, dayOf(call.nowMs));
    const { services, caller } = call;
    const { limit } = args;
    const days = { organizationId: caller.organization.id, from, to };
    // The cursor carries the default period, so that it stays the same on all pages, even past midnight.
    const fixed = { from: formatDay(from), to: formatDay(to) };
    return readPage<UsageView, UsagePosition>(
      call,
      (after) => services.usageHistory.page({ ...days, after, limit }),
      fixed,
    );
  },
});
