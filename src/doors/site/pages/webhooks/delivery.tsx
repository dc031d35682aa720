/** @jsxImportSource hono/jsx */
import { AppError, notFound } from "../../../../errors.ts";
import { parseNumber } from "../../../../values/fields.ts";
import { webhooksIncluded } from "../../../../verbs/admission.ts";
import { shownBytes } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { ownItem, requireIncluded } from "../../visit/viewer.ts";
import { asset, page, useSite, useVisit } from "../../visit/visit.ts";
import { DeliveryTable } from "./delivery-table.tsx";
import { webhookOf } from "./webhook-form.ts";

/** Limits for a body: characters to show, and characters up to which it is pretty-printed. */
const SHOWN_MAX = 50_000;
const PRETTY_PRINTED_MAX = 200_000;

/** `/account/webhooks/:id/deliveries/:delivery/`: what a delivery sends, and how its attempts went. */
export const deliveryPage: SitePage = {
  path: "/account/webhooks/:id/deliveries/:delivery/",
  access: "member",
  async show(visit, context) {
    const words = visit.words.webhookPages;
    const webhook = await webhookOf();
    await requireIncluded(webhooksIncluded, words.planWithout);
    const number = parseNumber(visit.params["delivery"] ?? "");
    if (number === null) throw notFound("delivery");
    const { webhooks } = context.services;
    const body = await webhooks.deliveryBody(ownItem(), number);
    const query = { before: number + 1, limit: 1, nowMs: visit.nowMs };
    const [delivery] = (await webhooks.deliveries(ownItem(), query)).results;
    if (delivery?.delivery !== number) throw notFound("delivery");
    const gone = delivery.posts.filter((id) => !isPublic(id));
    if (visit.query.get("download") === "body" && gone.length === 0) {
      return {
        kind: "download",
        fileName: `delivery-${number}.json`,
        type: "application/json; charset=utf-8",
        body: new Blob([body]).stream(),
      };
    }
    const path = `/account/webhooks/${webhook.id}/`;
    return page(
      words.deliveryTitle(number),
      <>
        <p>
          <a href={asset(`${path}#log`)}>← {words.webhook(webhook.id)}</a>
        </p>
        <DeliveryTable webhook={webhook} deliveries={[delivery]} to={path} />
        <section aria-labelledby="headers">
          <h2 id="headers">{words.headers}</h2>
          <pre tabindex={0}>
            {`Content-Type: application/json\nX-Service-Event: ${delivery.event}\nX-Service-Delivery: ${number}\nX-Service-Signature: t=…,v1=…`}
          </pre>
          <p>
            <small>{words.headersText}</small>
          </p>
        </section>
        {gone.length > 0 ? (
          <p class="notice">{words.postsGone(gone.join(", "))}</p>
        ) : (
          <Body body={body} path={`${path}deliveries/${number}/`} />
        )}
      </>,
    );
  },
};

function Body({ body, path }: { body: string; path: string }) {
  const words = useVisit().words.webhookPages;
  const text = prettyPrinted(body);
  return (
    <section aria-labelledby="payload">
      <div class="row apart">
        <h2 id="payload">{words.payload}</h2>
        <a href={asset(`${path}?download=body`)}>
          {words.downloadBody(shownBytes(Buffer.byteLength(body)))}
        </a>
      </div>
      <pre class="payload" tabindex={0}>
        {text.slice(0, SHOWN_MAX)}
        {text.length > SHOWN_MAX && "\n…"}
      </pre>
    </section>
  );
}

/** A body pretty-printed; a large one is left as it is, because formatting it would delay others. */
function prettyPrinted(body: string): string {
  if (body.length > PRETTY_PRINTED_MAX) return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** Whether a post may still be read: one that has been taken down is not shown here either. */
function isPublic(id: number): boolean {
  const { services } = useSite();
  try {
    services.posts.post(id);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return false;
    throw error;
  }
}
