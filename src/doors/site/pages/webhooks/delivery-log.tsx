/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { parseNumber } from "../../../../values/parse-number.ts";
import { asset } from "../../visit/site-path.ts";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { DeliveryTable, Outcome } from "./delivery-table.tsx";
import { ownOf } from "./webhook-access.ts";

const PAGE_SIZE = 20;

/** A webhook's deliveries with their attempts, latest first; `?before=` selects further pages. */
export async function deliveryLog(webhook: WebhookView): Promise<JSX.Element> {
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
export async function triedDelivery(): Promise<JSX.Element | null> {
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
