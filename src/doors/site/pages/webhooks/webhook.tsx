/** @jsxImportSource hono/jsx */

import type { JSX } from "hono/jsx/jsx-runtime";
import { outcomeOf } from "../../../../push/webhooks/delivery/attempt.ts";
import type {
  AttemptView,
  NewSecretView,
  WebhookView,
} from "../../../../push/webhooks/manage/webhook-views.ts";
import { parseNumber } from "../../../../values/fields.ts";
import { webhooksIncluded } from "../../../../verbs/admission.ts";
import {
  webhooksDestroy,
  webhooksResend,
  webhooksRotateSecret,
  webhooksTest,
  webhooksUpdate,
} from "../../../../verbs/methods/webhooks.ts";
import { sentNumber } from "../../look/action-button.tsx";
import { OpeningPlan } from "../../look/opening-plan.tsx";
import { Moment, shownNumber, told } from "../../look/shown.tsx";
import { Done, Facts, NamedLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { cardsOf, change } from "../../visit/look-up.ts";
import {
  isInPlan,
  named,
  ownItem,
  ownPlan,
  requireIncluded,
  requireManager,
} from "../../visit/viewer.ts";
import { asset, page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";
import { attemptsStrip, DeliveryTable, Outcome } from "./delivery-table.tsx";
import { ManageWebhook, secretPage, WebhookState } from "./webhook-fields.tsx";
import { typedWebhook, WEBHOOK_FORM, webhookOf } from "./webhook-form.ts";

/** Actions of a webhook's page: the API's methods. */
const webhookActions = {
  enable: () => changed("enabled", { is_active: true }),
  disable: () => changed("disabled", { is_active: false }),

  async change() {
    requireManager();
    const before = await webhookOf();
    await requireIncluded(webhooksIncluded, useVisit().words.webhookPages.planWithout);
    const { url, channels } = await typedWebhook();
    // Only passes on what changes, as programs do: unchanged values are not validated again.
    return changed("changed", {
      ...(url !== before.url && { url }),
      ...(channels.join() !== before.channels.join() && { channels }),
    });
  },

  async rotate() {
    const hours = useVisit().form.get("overlap_hours").trim() || undefined;
    const body = { overlap_hours: hours };
    return secretPage(await change<NewSecretView>(webhooksRotateSecret, named(), body));
  },

  async test() {
    const { delivery } = await change<AttemptView>(webhooksTest, named());
    return backWith(`tried=${delivery}`);
  },

  async resend() {
    const delivery = String(sentNumber("delivery"));
    await change(webhooksResend, { ...named(), delivery });
    return backWith(`tried=${delivery}`);
  },

  async delete() {
    await change(webhooksDestroy, named());
    return redirect("/account/webhooks/?done=deleted");
  },
};

/** @param body fields to change; there may be none */
async function changed(done: string, body: object): Promise<View> {
  if (Object.keys(body).length > 0) await change(webhooksUpdate, named(), body);
  return backWith(`done=${done}`);
}

const backWith = (query: string): View => redirect(`/account/webhooks/${ownItem().id}/?${query}`);

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
    const isIncluded = await isInPlan(webhooksIncluded);
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
        <section class="card" aria-label={visit.words.state}>
          {isIncluded && (await attemptsStrip(ownItem()))}
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
  const { webhookPages: words, noError, never, lastError, lastSuccess, state } = useVisit().words;
  const success = webhook.last_success_at;
  const error = webhook.last_error;
  return (
    <Facts
      facts={[
        [
          state,
          <>
            <WebhookState reason={webhook.disabled_reason} />
            {webhook.disabled_reason === "staff" && <div>{words.staffHelp}</div>}
          </>,
        ],
        [words.url, <bdi>{webhook.url}</bdi>],
        [lastSuccess, <Moment at={success} none={never} />],
        [lastError, error === "" ? noError : <bdi>{told(outcomeOf(error))}</bdi>],
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
  const { results: deliveries, last } = await useSite().services.webhooks.deliveries(ownItem(), {
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
  const { results } = await services.webhooks.deliveries(ownItem(), of);
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
