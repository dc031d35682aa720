import { notFound } from "../../../../errors.ts";
import {
  type PlanRule,
  webhooksIncluded,
  webhooksIncludedOrKept,
} from "../../../../methods/plan-rules.ts";
import type { OwnWebhook } from "../../../../push/webhooks/manage/manage-webhooks.ts";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import type { Message } from "../../../../values/messages/messages.ts";
import { parseNumber } from "../../../../values/parse-number.ts";
import { pageError } from "../../forms/faults.ts";
import type { SiteContext } from "../../site-context.ts";
import { isManager, membershipOf, planOf, viewerOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";

/** Who may do what with webhooks on the pages: the rules of the API's methods. */

/** @throws AppError `manager_required` */
export function requireManager(visit: Visit): void {
  if (isManager(visit)) return;
  throw pageError("manager_required", visit.words.webhookPages.managersOnly);
}

/** Why the plan in force does not allow what the rule is about, or null where it does. */
async function denialOf(
  rule: PlanRule,
  visit: Visit,
  context: SiteContext,
): Promise<Message | null> {
  const viewer = await viewerOf(membershipOf(visit), context.accounts, visit.nowMs);
  return rule(viewer, context.services);
}

export async function hasWebhooks(visit: Visit, context: SiteContext): Promise<boolean> {
  return (await denialOf(webhooksIncluded, visit, context)) === null;
}

/** @throws AppError `tariff_required` */
export async function requireWebhooks(visit: Visit, context: SiteContext): Promise<void> {
  if (await hasWebhooks(visit, context)) return;
  const { code } = await planOf(visit, context);
  throw pageError("tariff_required", visit.words.webhookPages.planWithout(code));
}

/** @throws AppError `tariff_required` where the organization has as many as its plan includes */
export async function requireRoomForOne(visit: Visit, context: SiteContext): Promise<void> {
  await requireWebhooks(visit, context);
  const { code, webhooks } = await planOf(visit, context);
  if (countOf(visit, context) < webhooks) return;
  const { planFull } = visit.words.webhookPages;
  throw pageError("tariff_required", planFull(code, webhooks));
}

function countOf(visit: Visit, { services }: SiteContext): number {
  return services.webhooks.count(membershipOf(visit).organization.id);
}

/** The webhook that the address names, as the organization's own. @throws AppError `not_found` */
export function ownOf(visit: Visit): OwnWebhook {
  const id = parseNumber(visit.params["id"] ?? "");
  if (id === null) throw notFound("webhook");
  return { organizationId: membershipOf(visit).organization.id, id };
}

/** @throws AppError `not_found` */
export async function webhookOf(visit: Visit, context: SiteContext): Promise<WebhookView> {
  const own = ownOf(visit);
  if ((await denialOf(webhooksIncludedOrKept, visit, context)) !== null) throw notFound("webhook");
  return context.services.webhooks.get(own);
}
