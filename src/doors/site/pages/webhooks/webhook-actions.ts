import { parseNumber } from "../../../../values/parse-number.ts";
import { pageError } from "../../forms/faults.ts";
import type { SiteContext } from "../../site-context.ts";
import { redirect, type View } from "../../visit/view.ts";
import { actorOf, planOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { ownOf, requireManager, requireWebhooks, webhookOf } from "./webhook-access.ts";
import { readOverlap, readWebhookForm } from "./webhook-form.ts";
import { secretPage } from "./webhook-secret.tsx";

type Action = (visit: Visit, context: SiteContext) => Promise<View>;

/** Actions of a webhook's page, by name; the domain's own rules apply in addition. */
export const webhookActions: Record<string, Action> = {
  enable: (visit, context) => switchTo(true, visit, context),
  disable: (visit, context) => switchTo(false, visit, context),

  async change(visit, context) {
    requireManager(visit);
    const before = await webhookOf(visit, context);
    await requireWebhooks(visit, context);
    const { address, channels } = await readWebhookForm(visit, context);
    // Only passes on what changes, as in the API's PATCH: unchanged values are not validated again.
    const changesUrl = address.url !== before.url;
    const changesChannels = channels.join() !== before.channels.join();
    if (changesUrl || changesChannels) {
      const change = {
        address: changesUrl ? address : undefined,
        channels: changesChannels ? channels : undefined,
        isActive: undefined,
      };
      const plan = await planOf(visit, context);
      await context.services.webhooks.change(ownOf(visit), plan, change, actorOf(visit));
    }
    return redirect(`/account/webhooks/${before.id}/?done=changed`);
  },

  async rotate(visit, context) {
    requireManager(visit);
    await webhookOf(visit, context);
    await requireWebhooks(visit, context);
    const { webhooks } = context.services;
    const rotated = await webhooks.rotate(ownOf(visit), readOverlap(visit), actorOf(visit));
    return secretPage(visit, rotated);
  },

  async test(visit, context) {
    const { id } = await webhookOf(visit, context);
    await requireWebhooks(visit, context);
    const tried = await context.services.webhooks.test(ownOf(visit));
    return redirect(`/account/webhooks/${id}/?tried=${tried.delivery}`);
  },

  async resend(visit, context) {
    requireManager(visit);
    const { id } = await webhookOf(visit, context);
    await requireWebhooks(visit, context);
    const delivery = parseNumber(visit.form.get("delivery"));
    if (delivery === null) throw pageError("not_found", visit.words.notFoundText);
    await context.services.webhooks.resend(ownOf(visit), delivery, actorOf(visit));
    return redirect(`/account/webhooks/${id}/?tried=${delivery}`);
  },

  async delete(visit, context) {
    requireManager(visit);
    await webhookOf(visit, context);
    await context.services.webhooks.remove(ownOf(visit), actorOf(visit));
    return redirect("/account/webhooks/?done=deleted");
  },
};

async function switchTo(isActive: boolean, visit: Visit, context: SiteContext): Promise<View> {
  requireManager(visit);
  const before = await webhookOf(visit, context);
  await requireWebhooks(visit, context);
  const change = { address: undefined, channels: undefined, isActive };
  const plan = await planOf(visit, context);
  await context.services.webhooks.change(ownOf(visit), plan, change, actorOf(visit));
  const done = isActive ? "enabled" : "disabled";
  return redirect(`/account/webhooks/${before.id}/?done=${done}`);
}
