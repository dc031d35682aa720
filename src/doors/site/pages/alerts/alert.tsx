/** @jsxImportSource hono/jsx */
import type { AlertView, PreviewView } from "../../../../push/webhooks/alerts/alert-views.ts";
import { ALERT_POSTS_A_DAY } from "../../../../push/webhooks/alerts/loaded-alerts.ts";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { alertsPreview } from "../../../../verbs/alerts.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { Moment } from "../../look/answer-times.tsx";
import { Done } from "../../look/done.tsx";
import { Facts } from "../../look/facts.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { NamedLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { cardsOf } from "../../visit/cards-of.ts";
import { lookUp } from "../../visit/look-up.ts";
import { asset } from "../../visit/site-path.ts";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { page, redirect, type View } from "../../visit/view.ts";
import { currentActor, isManager, ownPlan } from "../../visit/viewer.ts";
import { alertOf, hasAlerts, ownOf, requireAlerts, requireManager } from "./alert-access.ts";
import { AlertForm, readAlertForm } from "./alert-form.tsx";
import { Preview, PreviewLink } from "./alert-preview.tsx";
import { WebhookLink, webhooksOf } from "./alerts.tsx";

/** `/account/alerts/:id/`: one alert, what it would send, and the actions on it. */
export const alertPage: SitePage = {
  path: "/account/alerts/:id/",
  access: "member",
  async show(visit) {
    const words = visit.words.alertPages;
    const alert = await alertOf();
    const isIncluded = await hasAlerts();
    const webhooks = await webhooksOf();
    const plan = await ownPlan();
    const isPreviewed = isIncluded && visit.query.get("preview") === "yes";
    const preview = isPreviewed
      ? await lookUp<PreviewView>(alertsPreview, { id: String(alert.id) })
      : null;
    return page(
      words.alert(alert.name),
      <>
        <p>
          <a href={asset("/account/alerts/")}>← {words.allAlerts}</a>
        </p>
        <Done words={words.done} />
        {!isIncluded && (
          <p class="notice">
            {words.planWithout(plan.code)} {words.planKept}
          </p>
        )}
        {isIncluded && !alert.is_active && (
          <p class="notice">
            {words.planFull(plan.code, plan.alerts)} {words.planPaused}
          </p>
        )}
        <section class="card" aria-label={words.query}>
          <AlertFacts alert={alert} webhooks={webhooks} />
        </section>
        {isIncluded &&
          (preview === null ? <PreviewLink alert={alert} /> : <Preview preview={preview} />)}
        {!isManager() && <p>{words.managersOnly}</p>}
        {isIncluded && isManager() && (
          <details class="folded" open={visit.form.get("action") === "change"}>
            <summary>{words.change}</summary>
            <AlertForm
              action="change"
              button={visit.words.save}
              webhooks={webhooks}
              alert={alert}
            />
          </details>
        )}
        {isManager() && (
          <ActionButton action="delete" label={words.remove} confirm={words.removeConfirm} danger />
        )}
      </>,
    );
  },
  actions: { change, delete: remove },
};

function AlertFacts({ alert, webhooks }: { alert: AlertView; webhooks: readonly WebhookView[] }) {
  const words = useVisit().words.alertPages;
  const { channel, category, territory, is_ad: isAd } = alert;
  const card = channel === null ? undefined : cardsOf([channel]).get(channel);
  const { directory } = useSite().services;
  const named = (slug: string, entries: readonly { slug: string; name: string }[]): string =>
    entries.find((entry) => entry.slug === slug)?.name ?? slug;
  return (
    <Facts
      facts={[
        [words.query, <bdi>{alert.q}</bdi>],
        [words.webhook, <WebhookLink webhook={webhooks.find(({ id }) => id === alert.webhook)} />],
        [
          words.channel,
          channel !== null && (
            <NamedLink to={`/account/channels/${channel}/`}>
              {card?.title ?? String(channel)}
            </NamedLink>
          ),
        ],
        [words.category, category !== null && named(category, directory.categories())],
        [words.territory, territory !== null && named(territory, directory.territories({}))],
        [words.isAd, isAd !== null && (isAd ? words.onlyAd : words.noAd)],
        [
          words.sentToday,
          words.sentTodayText(shownNumber(alert.sent_today), shownNumber(ALERT_POSTS_A_DAY)),
        ],
        [words.created, <Moment at={alert.created_at} />],
        [words.changed, <Moment at={alert.updated_at} />],
      ]}
    />
  );
}

async function change(): Promise<View> {
  const context = useSite();
  requireManager();
  const { id } = await alertOf();
  await requireAlerts();
  const fields = readAlertForm();
  await context.services.alerts.change(ownOf(), fields, currentActor());
  return redirect(`/account/alerts/${id}/?done=changed`);
}

async function remove(): Promise<View> {
  const context = useSite();
  requireManager();
  await alertOf();
  await context.services.alerts.remove(ownOf(), currentActor());
  return redirect("/account/alerts/?done=deleted");
}
