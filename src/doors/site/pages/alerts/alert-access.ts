import { notFound } from "../../../../errors.ts";
import { alertsIncluded, alertsIncludedOrKept } from "../../../../methods/plan-rules.ts";
import type { AlertView } from "../../../../push/webhooks/alerts/alert-views.ts";
import type { OwnAlert } from "../../../../push/webhooks/alerts/manage-alerts.ts";
import { parseNumber } from "../../../../values/parse-number.ts";
import { pageError } from "../../forms/faults.ts";
import type { SiteContext } from "../../site-context.ts";
import { isManager, membershipOf, planOf, viewerOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";

/** Who may do what with alerts on the pages: the rules of the API's methods. */

/** @throws AppError `manager_required` */
export function requireManager(visit: Visit): void {
  if (isManager(visit)) return;
  throw pageError("manager_required", visit.words.alertPages.managersOnly);
}

export async function hasAlerts(visit: Visit, context: SiteContext): Promise<boolean> {
  const viewer = await viewerOf(membershipOf(visit), context.accounts, visit.nowMs);
  return alertsIncluded(viewer, context.services) === null;
}

/** @throws AppError `tariff_required` */
export async function requireAlerts(visit: Visit, context: SiteContext): Promise<void> {
  if (await hasAlerts(visit, context)) return;
  const { code } = await planOf(visit, context);
  throw pageError("tariff_required", visit.words.alertPages.planWithout(code));
}

/** The alert that the address names, as the organization's own. @throws AppError `not_found` */
export function ownOf(visit: Visit): OwnAlert {
  const id = parseNumber(visit.params["id"] ?? "");
  if (id === null) throw notFound("alert");
  return { organizationId: membershipOf(visit).organization.id, id };
}

/** @throws AppError `not_found` */
export async function alertOf(visit: Visit, context: SiteContext): Promise<AlertView> {
  const own = ownOf(visit);
  const viewer = await viewerOf(membershipOf(visit), context.accounts, visit.nowMs);
  if (alertsIncludedOrKept(viewer, context.services) !== null) throw notFound("alert");
  return context.services.alerts.get(own);
}
