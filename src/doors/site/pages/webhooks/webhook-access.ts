import { webhooksAccessible, webhooksIncluded } from "../../../../verbs/plan-rules.ts";
import { pageError } from "../../forms/faults.ts";
import type { SiteContext } from "../../site-context.ts";
import { accessTo } from "../../visit/item-access.ts";
import { membershipOf, planOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";

export const {
  requireManager,
  areIncluded: hasWebhooks,
  requireIncluded: requireWebhooks,
  ownOf,
  itemOf: webhookOf,
} = accessTo({
  name: "webhook",
  included: webhooksIncluded,
  includedOrKept: webhooksAccessible,
  wordsOf: ({ words }) => words.webhookPages,
  get: (own, { services }) => services.webhooks.get(own),
});

/** @throws AppError `tariff_required` if the organization has as many as its plan includes */
export async function requireRoomForOne(visit: Visit, context: SiteContext): Promise<void> {
  await requireWebhooks(visit, context);
  const { code, webhooks } = await planOf(visit, context);
  if (context.services.webhooks.count(membershipOf(visit).organization.id) < webhooks) return;
  const { planFull } = visit.words.webhookPages;
  throw pageError("tariff_required", planFull(code, webhooks));
}
