/** @jsxImportSource hono/jsx */
import { UNSUBSCRIBE_PATH } from "../../../../push/webhooks/alerts/digest-mail.ts";
import { Form } from "../../look/form.tsx";
import type { SitePage } from "../../site-pages.ts";
import { page, useSite, useVisit, type View } from "../../visit/visit.ts";
import { linkToken } from "../person/choose-password.tsx";

/** `/account/alert-mails/`: whoever has the link of a mail ends these mails, without signing in. */
export const alertMailsPage: SitePage = {
  path: UNSUBSCRIBE_PATH,
  access: "anybody",
  oneClick: "end",
  show(visit, { services }) {
    const words = visit.words.alertPages;
    const name = services.alerts.mailedAlert(linkToken());
    if (name === null) return endedView();
    return page(
      words.endMails,
      <Form action="end" submit={words.endMails} words={visit.words}>
        <input type="hidden" name="token" value={linkToken()} />
        <p class="long">
          <bdi>{words.endMailsText(name)}</bdi>
        </p>
      </Form>,
    );
  },
  actions: {
    async end() {
      await useSite().services.alerts.endMails(linkToken());
      return endedView();
    },
  },
};

function endedView(): View {
  const words = useVisit().words.alertPages;
  return page(words.endMails, <p role="status">{words.mailsEnded}</p>);
}
