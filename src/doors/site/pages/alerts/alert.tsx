/** @jsxImportSource hono/jsx */

import type { AlertView, PreviewView } from "../../../../push/webhooks/alerts/alert-views.ts";
import { ALERT_POSTS_A_DAY } from "../../../../push/webhooks/alerts/loaded-alerts.ts";
import { PREVIEW_DAYS } from "../../../../push/webhooks/alerts/preview.ts";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { alertsIncluded } from "../../../../verbs/admission.ts";
import { alertsDestroy, alertsPreview, alertsUpdate } from "../../../../verbs/methods/alerts.ts";
import { pageError } from "../../forms/faults.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { ChannelLink } from "../../look/channel-link.tsx";
import { OpeningPlan } from "../../look/opening-plan.tsx";
import { PostExcerpt } from "../../look/post-excerpt.tsx";
import { Moment, shownNumber } from "../../look/shown.tsx";
import { Done, Facts, NamedLink, UserLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { cardsOf, change, lookUp } from "../../visit/look-up.ts";
import {
  isInPlan,
  isManager,
  named,
  ownItem,
  ownMembership,
  ownPlan,
  requireIncluded,
} from "../../visit/viewer.ts";
import { asset, page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";
import { AlertForm, typedAlert } from "./alert-form.tsx";
import { WebhookLink, webhooksOf } from "./alerts.tsx";

/** `/account/alerts/:id/`: one alert, what it would send, and the actions on it. */
export const alertPage: SitePage = {
  path: "/account/alerts/:id/",
  access: "member",
  async show(visit) {
    const words = visit.words.alertPages;
    const alert = await alertOf();
    const isIncluded = await isInPlan(alertsIncluded);
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
            <OpeningPlan rule={alertsIncluded} />
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
        {isIncluded && <ByMail alert={alert} />}
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
          <ActionButton
            action="delete"
            label={visit.words.remove}
            confirm={words.removeConfirm}
            danger
          />
        )}
      </>,
    );
  },
  actions: {
    async change() {
      const { id } = await change<AlertView>(alertsUpdate, named(), typedAlert());
      return redirect(`/account/alerts/${id}/?done=changed`);
    },
    async delete() {
      await change(alertsDestroy, named());
      return redirect("/account/alerts/?done=deleted");
    },
    mail: () => setMailed(true),
    "no-mail": () => setMailed(false),
  },
};

function alertOf(): Promise<AlertView> {
  return Promise.resolve(useSite().services.alerts.get(ownItem()));
}

/** Whether the visitor gets the matches by mail too; for those whose address is known to be theirs. */
function ByMail({ alert: { id } }: { alert: AlertView }) {
  const { words, signedIn } = useVisit();
  const { mails, services } = useSite();
  if (!mails.canSend || signedIn?.person.isVerified !== true) return null;
  const texts = words.alertPages;
  const isMailed = services.alerts.isMailed(id, ownMembership().member.id);
  return (
    <section aria-labelledby="by-mail">
      <h2 id="by-mail">{texts.byMail}</h2>
      <p>
        <bdi>{isMailed ? texts.mailedTo(signedIn.person.email) : texts.byMailText}</bdi>
      </p>
      {isMailed ? (
        <ActionButton action="no-mail" label={texts.endMails} />
      ) : (
        <ActionButton action="mail" label={texts.startMails} />
      )}
    </section>
  );
}

async function setMailed(isMailed: boolean): Promise<View> {
  const { services } = useSite();
  const { signedIn, words } = useVisit();
  const { id } = await alertOf();
  if (isMailed) await requireIncluded(alertsIncluded, words.alertPages.planWithout);
  if (isMailed && signedIn?.person.isVerified !== true) {
    throw pageError("conflict", words.alertPages.unverified);
  }
  await services.alerts.setMailed(ownItem(), ownMembership().member.id, isMailed);
  return redirect(`/account/alerts/${id}/?done=changed`);
}

function AlertFacts({ alert, webhooks }: { alert: AlertView; webhooks: readonly WebhookView[] }) {
  const { alertPages: words, channel: channelHead } = useVisit().words;
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
          channelHead,
          channel !== null && (
            <NamedLink to={`/account/channels/${channel}/`}>
              {card?.title ?? String(channel)}
            </NamedLink>
          ),
        ],
        [words.category, category !== null && named(category, directory.categories())],
        [words.territory, territory !== null && named(territory, directory.territories({}))],
        [words.digest, words.digests[alert.digest]],
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

/** Link to the preview, which takes a while and is therefore shown only on request. */
function PreviewLink({ alert }: { alert: AlertView }) {
  const words = useVisit().words.alertPages;
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{words.preview}</h2>
      <p>{words.previewText(shownNumber(PREVIEW_DAYS))}</p>
      <p>
        <a href={asset(`/account/alerts/${alert.id}/?preview=yes`)}>{words.showPreview}</a>
      </p>
    </section>
  );
}

/** Number of matching posts, and the newest ones with their matches marked. */
function Preview({ preview: { matches, note, results } }: { preview: PreviewView }) {
  const { alertPages: words, openPost } = useVisit().words;
  const ids = results.map(({ channel }) => channel);
  const cards = cardsOf(ids);
  const count = shownNumber(matches);
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{words.preview}</h2>
      <p role="status">{note === null ? words.matches(count) : words.matchesCapped(count)}</p>
      {note !== null && <p>{note}</p>}
      {results.length === 0 ? (
        <p class="empty">{words.nothingMatches}</p>
      ) : (
        <>
          {matches > results.length && <p>{words.newest}</p>}
          {results.map((post) => (
            <article class="card">
              <p class="about">
                <ChannelLink
                  id={post.channel}
                  title={cards.get(post.channel)?.title ?? String(post.channel)}
                  image={cards.get(post.channel)?.image}
                />
                <Moment at={post.published_at} />
              </p>
              <PostExcerpt snippet={post.snippet} highlights={post.highlights} />
              {post.link !== null && (
                <p>
                  <UserLink address={post.link}>{openPost}</UserLink>
                </p>
              )}
            </article>
          ))}
        </>
      )}
    </section>
  );
}
