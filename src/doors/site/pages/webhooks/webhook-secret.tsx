/** @jsxImportSource hono/jsx */
import type { NewSecretView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { Snippet } from "../../look/shown.tsx";
import { asset } from "../../visit/site-path.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { page, type View } from "../../visit/view.ts";

/** The only page that ever shows a secret: the answer to the form that created it. */
export function secretPage({ id, secret }: NewSecretView): View {
  const words = useVisit().words.webhookPages;
  return page(
    words.secretOf(id),
    <>
      <p role="status">{words.secretText}</p>
      <Snippet text={secret} label={words.secret} />
      <p>
        <a href={asset(`/account/webhooks/${id}/`)}>{words.toWebhook}</a>
      </p>
    </>,
  );
}
