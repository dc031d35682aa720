import { webhooksAccessible, webhooksIncluded } from "../../../../verbs/plan-rules.ts";
import { pageError } from "../../forms/faults.ts";
import { accessTo } from "../../visit/item-access.ts";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { ownMembership, ownPlan } from "../../visit/viewer.ts";

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
export async function requireRoomForOne(): Promise<void> {
  const context = useSite();
  await requireWebhooks();
  const { code, webhooks } = await ownPlan();
  if (context.services.webhooks.count(ownMembership().organization.id) < webhooks) return;
  const { planFull } = useVisit().words.webhookPages;
  throw pageError("tariff_required", planFull(code, webhooks));
}
