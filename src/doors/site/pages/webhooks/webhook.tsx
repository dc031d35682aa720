/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { outcomeOf } from "../../../../push/webhooks/delivery/outcome.ts";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { inLanguage } from "../../../../values/messages/messages.ts";
import { Moment } from "../../look/answer-times.tsx";
import { Done } from "../../look/done.tsx";
import { Facts } from "../../look/facts.tsx";
import { shownNumber } from "../../look/shown.tsx";
import type { PartProps } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { cardsOf } from "../../visit/cards-of.ts";
import { asset } from "../../visit/site-path.ts";
import { page } from "../../visit/view.ts";
import { planOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { attemptsStrip } from "./attempts-strip.tsx";
import { deliveryLog, triedDelivery } from "./delivery-log.tsx";
import { hasWebhooks, webhookOf } from "./webhook-access.ts";
import { webhookActions } from "./webhook-actions.ts";
import { WEBHOOK_FORM } from "./webhook-form.ts";
import { ManageWebhook } from "./webhook-manage.tsx";
import { WebhookState } from "./webhook-state.tsx";

/** Channels to show by title; a webhook may watch thousands. */
const CHANNELS_SHOWN_MAX = 100;

/** `/account/webhooks/:id/`: one webhook, what was sent for it, and the actions on it. */
export const webhookPage: SitePage = {
  path: "/account/webhooks/:id/",
  access: "member",
  takes: WEBHOOK_FORM,
  async show(visit, context) {
    const words = visit.words.webhookPages;
    const webhook = await webhookOf(visit, context);
    const isIncluded = await hasWebhooks(visit, context);
    return page(
      words.webhook(webhook.id),
      <>
        <p>
          <a href={asset(visit, "/account/webhooks/")}>← {words.allWebhooks}</a>
        </p>
        <Done visit={visit} words={words.done} />
        {isIncluded && (await triedDelivery(visit, context))}
        {!isIncluded && (
          <p class="notice">
            {words.planWithout((await planOf(visit, context)).code)} {words.planKept}
          </p>
        )}
        <section class="card" aria-label={words.state}>
          {isIncluded && (await attemptsStrip(visit, context))}
          <WebhookFacts visit={visit} webhook={webhook} />
        </section>
        <ManageWebhook visit={visit} webhook={webhook} isIncluded={isIncluded} />
        {isIncluded ? await deliveryLog(webhook, visit, context) : <p>{words.logClosed}</p>}
        <Channels visit={visit} webhook={webhook} context={context} />
      </>,
    );
  },
  actions: webhookActions,
};

function WebhookFacts({ visit, webhook }: { visit: Visit; webhook: WebhookView }): JSX.Element {
  const words = visit.words.webhookPages;
  const success = webhook.last_success_at;
  const error = webhook.last_error;
  return (
    <Facts
      facts={[
        [
          words.state,
          <>
            <WebhookState visit={visit} reason={webhook.disabled_reason} />
            {webhook.disabled_reason === "staff" && <div>{words.staffHelp}</div>}
          </>,
        ],
        [words.url, <bdi>{webhook.url}</bdi>],
        [words.lastSuccess, success === null ? words.never : <Moment visit={visit} at={success} />],
        [
          words.lastError,
          error === "" ? words.none : <bdi>{inLanguage(visit.language, outcomeOf(error))}</bdi>,
        ],
        [words.created, <Moment visit={visit} at={webhook.created_at} />],
        [words.changed, <Moment visit={visit} at={webhook.updated_at} />],
      ]}
    />
  );
}

function Channels({
  visit,
  webhook: { channels },
  context,
}: PartProps & {
  webhook: WebhookView;
}): JSX.Element {
  const words = visit.words.webhookPages;
  const shown = channels.slice(0, CHANNELS_SHOWN_MAX);
  const cards = cardsOf(context, shown);
  const rest = channels.length - shown.length;
  return (
    <section aria-labelledby="channels">
      <h2 id="channels">
        {words.watched}: {shownNumber(visit, channels.length)}
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
                <a href={asset(visit, `/account/channels/${id}/`)}>
                  <bdi>{card.title.trim() === "" ? String(id) : card.title}</bdi>
                </a>
              )}
            </li>
          );
        })}
        {rest > 0 && <li>{words.more(shownNumber(visit, rest))}</li>}
      </ul>
    </section>
  );
}
