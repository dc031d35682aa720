/** @jsxImportSource hono/jsx */
import type { NewSecretView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { Snippet } from "../../look/shown.tsx";
import { asset } from "../../visit/site-path.ts";
import { page, type View } from "../../visit/view.ts";
import type { Visit } from "../../visit/visit.ts";

/** The only page that ever shows a secret: the answer to the form that created it. */
export function secretPage(visit: Visit, { id, secret }: NewSecretView): View {
  const words = visit.words.webhookPages;
  return page(
    words.secretOf(id),
    <>
      <p role="status">{words.secretText}</p>
      <Snippet text={secret} label={words.secret} words={words} />
      <p>
        <a href={asset(visit, `/account/webhooks/${id}/`)}>{words.toWebhook}</a>
      </p>
    </>,
  );
}
