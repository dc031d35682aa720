import { alertsAccessible, alertsIncluded } from "../../../../verbs/plan-rules.ts";
import { accessTo } from "../../visit/item-access.ts";

export const {
  requireManager,
  areIncluded: hasAlerts,
  requireIncluded: requireAlerts,
  ownOf,
  itemOf: alertOf,
} = accessTo({
  name: "alert",
  included: alertsIncluded,
  includedOrKept: alertsAccessible,
  wordsOf: ({ words }) => words.alertPages,
  get: (own, { services }) => services.alerts.get(own),
});
