import { parseNumber } from "../../../../values/parse-number.ts";
import { pageError } from "../../forms/faults.ts";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { redirect, type View } from "../../visit/view.ts";
import { currentActor, ownPlan } from "../../visit/viewer.ts";
import { ownOf, requireManager, requireWebhooks, webhookOf } from "./webhook-access.ts";
import { readOverlap, readWebhookForm } from "./webhook-form.ts";
import { secretPage } from "./webhook-secret.tsx";

/** Actions of a webhook's page, by name; the domain's own rules apply in addition. */
export const webhookActions = {
  enable: () => switchTo(true),
  disable: () => switchTo(false),

  async change() {
    const { services } = useSite();
    requireManager();
    const before = await webhookOf();
    await requireWebhooks();
    const { address, channels } = await readWebhookForm();
    // Only passes on what changes, as in the API's PATCH: unchanged values are not validated again.
    const changesUrl = address.url !== before.url;
    const changesChannels = channels.join() !== before.channels.join();
    if (changesUrl || changesChannels) {
      const change = {
        address: changesUrl ? address : undefined,
        channels: changesChannels ? channels : undefined,
        isActive: undefined,
      };
      const plan = await ownPlan();
      await services.webhooks.change(ownOf(), plan, change, currentActor());
    }
    return redirect(`/account/webhooks/${before.id}/?done=changed`);
  },

  async rotate() {
    const { services } = useSite();
    requireManager();
    await webhookOf();
    await requireWebhooks();
    const rotated = await services.webhooks.rotate(ownOf(), readOverlap(), currentActor());
    return secretPage(rotated);
  },

  async test() {
    const { services } = useSite();
    const { id } = await webhookOf();
    await requireWebhooks();
    const tried = await services.webhooks.test(ownOf());
    return redirect(`/account/webhooks/${id}/?tried=${tried.delivery}`);
  },

  async resend() {
    const { services } = useSite();
    requireManager();
    const { id } = await webhookOf();
    await requireWebhooks();
    const delivery = parseNumber(useVisit().form.get("delivery"));
    if (delivery === null) throw pageError("not_found", useVisit().words.notFoundText);
    await services.webhooks.resend(ownOf(), delivery, currentActor());
    return redirect(`/account/webhooks/${id}/?tried=${delivery}`);
  },

  async delete() {
    const { services } = useSite();
    requireManager();
    await webhookOf();
    await services.webhooks.remove(ownOf(), currentActor());
    return redirect("/account/webhooks/?done=deleted");
  },
};

async function switchTo(isActive: boolean): Promise<View> {
  const { services } = useSite();
  requireManager();
  const before = await webhookOf();
  await requireWebhooks();
  const change = { address: undefined, channels: undefined, isActive };
  const plan = await ownPlan();
  await services.webhooks.change(ownOf(), plan, change, currentActor());
  const done = isActive ? "enabled" : "disabled";
  return redirect(`/account/webhooks/${before.id}/?done=${done}`);
}
