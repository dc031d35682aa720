/** @jsxImportSource hono/jsx */
import { outcomeOf } from "../../../../push/webhooks/delivery/outcome.ts";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { Moment } from "../../look/answer-times.tsx";
import { Done } from "../../look/done.tsx";
import { Facts } from "../../look/facts.tsx";
import { shownNumber, told } from "../../look/shown.tsx";
import { NamedLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { cardsOf } from "../../visit/cards-of.ts";
import { asset } from "../../visit/site-path.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { page } from "../../visit/view.ts";
import { ownPlan } from "../../visit/viewer.ts";
import { attemptsStrip } from "./attempts-strip.tsx";
import { deliveryLog, triedDelivery } from "./delivery-log.tsx";
import { hasWebhooks, ownOf, webhookOf } from "./webhook-access.ts";
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
