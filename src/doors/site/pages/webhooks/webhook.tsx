/** @jsxImportSource hono/jsx */

import type { JSX } from "hono/jsx/jsx-runtime";
import { outcomeOf } from "../../../../push/webhooks/delivery/attempt.ts";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { parseNumber } from "../../../../values/fields.ts";
import { webhooksIncluded } from "../../../../verbs/admission.ts";
import { pageError } from "../../forms/faults.ts";
import { OpeningPlan } from "../../look/opening-plan.tsx";
import { Moment, shownNumber, told } from "../../look/shown.tsx";
import { Done, Facts, NamedLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { cardsOf } from "../../visit/look-up.ts";
import { currentActor, ownPlan } from "../../visit/viewer.ts";
import { asset, page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";
import { attemptsStrip, DeliveryTable, Outcome } from "./delivery-table.tsx";
import { ManageWebhook, secretPage, WebhookState } from "./webhook-fields.tsx";
import {
  hasWebhooks,
  ownOf,
  readOverlap,
  readWebhookForm,
  requireManager,
  requireWebhooks,
  WEBHOOK_FORM,
  webhookOf,
  webhookToChange,
} from "./webhook-form.ts";

/** Actions of a webhook's page, by name; the domain's own rules apply in addition. */
const webhookActions = {
  enable: () => switchTo(true),
  disable: () => switchTo(false),

  async change() {
    const before = await webhookToChange();
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
      await useSite().services.webhooks.change(ownOf(), plan, change, currentActor());
    }
    return redirect(`/account/webhooks/${before.id}/?done=changed`);
  },

  async rotate() {
    const { services } = useSite();
    await webhookToChange();
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
    const { id } = await webhookToChange();
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
  const before = await webhookToChange();
  const change = { address: undefined, channels: undefined, isActive };
  const plan = await ownPlan();
  await services.webhooks.change(ownOf(), plan, change, currentActor());
  const done = isActive ? "enabled" : "disabled";
  return redirect(`/account/webhooks/${before.id}/?done=${done}`);
}

/** Channels to show by title; a webhook may watch thousands. */
const CHANNELS_SHOWN_MAX = 100;

/** `/account/webhooks/:id/`: one webhook, what was sent for it, and the actions on it. */
export const webhookPage: SitePage = {
  path: "/account/webhooks/:id/",
  access: "member",
  takes: WEBHOOK_FORM,
  async show(visit) {
    const words = visit.words.webhookPages;
    const webhook = await webhookOf();
    const isIncluded = await hasWebhooks();
    return page(
      words.webhook(webhook.id),
      <>
        <p>
          <a href={asset("/account/webhooks/")}>← {words.allWebhooks}</a>
        </p>
        <Done words={words.done} />
        {isIncluded && (await triedDelivery())}
        {!isIncluded && (
          <p class="notice">
            {words.planWithout((await ownPlan()).code)} {words.planKept}
            <OpeningPlan rule={webhooksIncluded} />
          </p>
        )}
        <section class="card" aria-label={words.state}>
          {isIncluded && (await attemptsStrip(ownOf()))}
          <WebhookFacts webhook={webhook} />
        </section>
        <ManageWebhook webhook={webhook} isIncluded={isIncluded} />
        {isIncluded ? await deliveryLog(webhook) : <p>{words.logClosed}</p>}
        <Channels webhook={webhook} />
      </>,
    );
  },
  actions: webhookActions,
};

function WebhookFacts({ webhook }: { webhook: WebhookView }) {
  const words = useVisit().words.webhookPages;
  const success = webhook.last_success_at;
  const error = webhook.last_error;
  return (
    <Facts
      facts={[
        [
          words.state,
          <>
            <WebhookState reason={webhook.disabled_reason} />
            {webhook.disabled_reason === "staff" && <div>{words.staffHelp}</div>}
          </>,
        ],
        [words.url, <bdi>{webhook.url}</bdi>],
        [words.lastSuccess, <Moment at={success} none={words.never} />],
        [words.lastError, error === "" ? words.none : <bdi>{told(outcomeOf(error))}</bdi>],
        [words.created, <Moment at={webhook.created_at} />],
        [words.changed, <Moment at={webhook.updated_at} />],
      ]}
    />
  );
}

function Channels({ webhook: { channels } }: { webhook: WebhookView }) {
  const words = useVisit().words.webhookPages;
  const shown = channels.slice(0, CHANNELS_SHOWN_MAX);
  const cards = cardsOf(shown);
  const rest = channels.length - shown.length;
  return (
    <section aria-labelledby="channels">
      <h2 id="channels">
        {words.watched}: {shownNumber(channels.length)}
      </h2>
      <ul class="columns">
        {shown.map((id) => {
          const card = cards.get(id);
          return (
            <li>
              {card === undefined ? (
                <>
                  {id} ({words.notPublic})
                </>
              ) : (
                <NamedLink to={`/account/channels/${id}/`}>
                  {card.title.trim() === "" ? String(id) : card.title}
                </NamedLink>
              )}
            </li>
          );
        })}
        {rest > 0 && <li>{words.more(shownNumber(rest))}</li>}
      </ul>
    </section>
  );
}

const PAGE_SIZE = 20;

/** A webhook's deliveries with their attempts, latest first; `?before=` selects further pages. */
async function deliveryLog(webhook: WebhookView): Promise<JSX.Element> {
  const visit = useVisit();
  const words = visit.words.webhookPages;
  const before = parseNumber(visit.query.get("before") ?? "");
  const { results: deliveries, last } = await useSite().services.webhooks.deliveries(ownOf(), {
    before,
    limit: PAGE_SIZE,
    nowMs: visit.nowMs,
  });
  const path = `/account/webhooks/${webhook.id}/`;
  return (
    <section aria-labelledby="log">
      <h2 id="log">{words.log}</h2>
      <p>{words.logText}</p>
      {deliveries.length === 0 ? (
        <p class="empty">{words.noDeliveries}</p>
      ) : (
        <DeliveryTable webhook={webhook} deliveries={deliveries} to={path} />
      )}
      <p class="row">
        {before !== null && <a href={asset(`${path}#log`)}>{words.latest}</a>}
        {last !== null && (
          <a href={asset(`${path}?before=${last[0]}#log`)} rel="next">
            {words.earlier}
          </a>
        )}
      </p>
    </section>
  );
}

/** Outcome of the attempt that was just requested. */
async function triedDelivery(): Promise<JSX.Element | null> {
  const visit = useVisit();
  const { services } = useSite();
  const tried = parseNumber(visit.query.get("tried") ?? "");
  if (tried === null || visit.request.method !== "GET") return null;
  const of = { before: tried + 1, limit: 1, nowMs: visit.nowMs };
  const { results } = await services.webhooks.deliveries(ownOf(), of);
  const [delivery] = results;
  const attempt = delivery?.delivery === tried ? delivery.attempts.at(-1) : undefined;
  if (attempt === undefined) return null;
  const words = visit.words.webhookPages;
  return (
    <p role="status">
      {attempt.error === "" ? words.delivered(tried) : words.undelivered(tried)}{" "}
      <Outcome attempt={attempt} />
    </p>
  );
}
