/** @jsxImportSource hono/jsx */

import type { JSX } from "hono/jsx/jsx-runtime";
import { outcomeOf } from "../../../../push/webhooks/delivery/outcome.ts";
import { FRESH_MS } from "../../../../push/webhooks/events/cut-events.ts";
import type { DeliveryView, WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { inLanguage } from "../../../../values/messages/messages.ts";
import { parseInstant } from "../../../../values/moscow-time.ts";
import { parseNumber } from "../../../../values/parse-number.ts";
import { Moment } from "../../look/answer-times.tsx";
import { Scroll } from "../../look/data-table.tsx";
import { ActionButton } from "../../look/form.tsx";
import { shownNumber } from "../../look/shown.tsx";
import type { SiteContext } from "../../site-context.ts";
import { asset } from "../../visit/site-path.ts";
import { isManager } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { ownOf } from "./webhook-access.ts";

const PAGE_SIZE = 20;

/** A webhook's deliveries with their attempts, the latest first; `?before=` is a page further on. */
export async function deliveryLog(
  webhook: WebhookView,
  visit: Visit,
  context: SiteContext,
): Promise<JSX.Element> {
  const words = visit.words.webhookPages;
  const before = parseNumber(visit.query.get("before") ?? "");
  const { results: deliveries, last } = await context.services.webhooks.deliveries(ownOf(visit), {
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
        <DeliveryTable visit={visit} webhook={webhook} deliveries={deliveries} to={path} />
      )}
      <p class="row">
        {before !== null && <a href={asset(visit, `${path}#log`)}>{words.latest}</a>}
        {last !== null && (
          <a href={asset(visit, `${path}?before=${last[0]}#log`)} rel="next">
            {words.earlier}
          </a>
        )}
      </p>
    </section>
  );
}

/** The outcome of the attempt that was just asked for. */
export async function triedDelivery(
  visit: Visit,
  { services }: SiteContext,
): Promise<JSX.Element | null> {
  const tried = parseNumber(visit.query.get("tried") ?? "");
  if (tried === null || visit.request.method !== "GET") return null;
  const of = { before: tried + 1, limit: 1, nowMs: visit.nowMs };
  const { results } = await services.webhooks.deliveries(ownOf(visit), of);
  const [delivery] = results;
  const attempt = delivery?.delivery === tried ? delivery.attempts.at(-1) : undefined;
  if (attempt === undefined) return null;
  const words = visit.words.webhookPages;
  return (
    <p role="status">
      {attempt.error === "" ? words.delivered(tried) : words.undelivered(tried)}{" "}
      <Outcome visit={visit} attempt={attempt} />
    </p>
  );
}

/** Deliveries with their attempts, each with what can be done with it. */
export function DeliveryTable({
  visit,
  webhook,
  deliveries,
  to,
}: {
  visit: Visit;
  webhook: WebhookView;
  deliveries: readonly DeliveryView[];
  /** The webhook's own page, which takes the forms. */
  to: string;
}): JSX.Element {
  const words = visit.words.webhookPages;
  return (
    <Scroll label={words.log}>
      <table class="listed">
        <thead>
          <tr>
            <th scope="col">{words.delivery}</th>
            <th scope="col">{words.time}</th>
            <th scope="col">{words.posts}</th>
            <th scope="col">{words.state}</th>
            <th scope="col">{words.attempts}</th>
            <th scope="col">
              <span class="hidden">{words.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <Row visit={visit} webhook={webhook} delivery={delivery} to={to} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Row({
  visit,
  webhook,
  delivery,
  to,
}: {
  visit: Visit;
  webhook: WebhookView;
  delivery: DeliveryView;
  to: string;
}): JSX.Element {
  const words = visit.words.webhookPages;
  return (
    <tr>
      <th scope="row">
        <a href={asset(visit, `${to}deliveries/${delivery.delivery}/`)}>{delivery.delivery}</a>{" "}
        <small>{words.events[delivery.event]}</small>
      </th>
      <td data-label={words.time}>
        <Moment visit={visit} at={delivery.created_at} />
      </td>
      <td data-label={words.posts}>
        <Posts posts={delivery.posts} />
      </td>
      <td data-label={words.state}>
        <DeliveryState visit={visit} state={delivery.state} />
        {delivery.next_attempt_at !== null && (
          <>
            <br />
            <small>
              {words.nextAttempt}: <Moment visit={visit} at={delivery.next_attempt_at} />
            </small>
          </>
        )}
      </td>
      <td data-label={words.attempts}>
        <ol class="attempts">
          {delivery.attempts.map((attempt) => (
            <li>
              <Moment visit={visit} at={attempt.attempted_at} />:{" "}
              <Outcome visit={visit} attempt={attempt} />
            </li>
          ))}
        </ol>
      </td>
      <td>
        {isManager(visit) && canBeSentAgain(visit, webhook, delivery) && (
          <ActionButton
            visit={visit}
            action="resend"
            to={asset(visit, to)}
            label={words.resend}
            description={String(delivery.delivery)}
            fields={{ delivery: delivery.delivery }}
          />
        )}
      </td>
    </tr>
  );
}

/** What became of a delivery. */
export function DeliveryState({
  visit,
  state,
}: {
  visit: Visit;
  state: DeliveryView["state"];
}): JSX.Element {
  return (
    <span class={`badge ${STATE_CLASSES[state]}`}>{visit.words.webhookPages.states[state]}</span>
  );
}

const STATE_CLASSES = { pending: "", delivered: "good", failed: "bad", dropped: "bad" } as const;

function Posts({ posts }: { posts: readonly number[] }): JSX.Element {
  if (posts.length === 0) return <>—</>;
  return (
    <details>
      <summary>{posts.length}</summary>
      {posts.join(", ")}
    </details>
  );
}

function Outcome({
  visit,
  attempt: { status, error, duration_ms: durationMs },
}: {
  visit: Visit;
  attempt: DeliveryView["attempts"][number];
}): JSX.Element {
  const words = visit.words.webhookPages;
  const text =
    error === "" && status !== null
      ? words.answered(status)
      : inLanguage(visit.language, outcomeOf(error));
  return (
    <>
      <bdi>{text.replace(/\.$/, "")}</bdi>, {words.seconds(shownNumber(visit, durationMs / 1000))}
    </>
  );
}

/** Whether a delivery gets a button to send it again: not where the service would surely refuse it. */
function canBeSentAgain(
  { nowMs }: Visit,
  { is_active: isActive }: WebhookView,
  { event, created_at: createdAt }: DeliveryView,
): boolean {
  const createdAtMs = parseInstant(createdAt) ?? 0;
  return isActive && event !== "ping" && createdAtMs >= nowMs - FRESH_MS;
}
