/** @jsxImportSource hono/jsx */
import { requiredEmail } from "../../../../customers/accounts/accounts.ts";
import { requireTurn } from "../../guard/require-turn.ts";
import { Form } from "../../look/form.tsx";
import { EmailField } from "../../look/person-fields.tsx";
import { passwordMail } from "../../mail-texts.ts";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { page, redirect, type View } from "../../visit/view.ts";
import type { Visit } from "../../visit/visit.ts";

/** `/account/forgotten-password/`: gives the same answer for known and unknown addresses. */
export const forgottenPasswordPage: SitePage = {
  path: "/account/forgotten-password/",
  access: "anybody",
  show(visit, { mails }) {
    const { words } = visit;
    if (!mails.canSend) return page(words.forgotten, <p>{words.forgottenNoMail}</p>);
    if (visit.query.has("sent")) {
      return page(words.forgotten, <p role="status">{words.forgottenSent}</p>);
    }
    return page(
      words.forgotten,
      <Form visit={visit} action="send">
        <p>{words.forgottenText}</p>
        <EmailField visit={visit} action="send" />
        <button type="submit">{words.sendLink}</button>
      </Form>,
    );
  },
  actions: { send },
};

async function send(visit: Visit, context: SiteContext): Promise<View> {
  const email = requiredEmail(visit.form.get("email")).toLowerCase();
  const names = [`network ${visit.network}`, `reset ${email}`];
  requireTurn(visit, context, names);
  const { mails, people } = context;
  if (mails.canSend) {
    // Done after the answer: otherwise unknown addresses would be answered sooner.
    context.afterAnswer.run("a password link", async () => {
      const token = await people.passwordLink({ email, isTrusted: true });
      if (token !== null) await mails.queue(passwordMail(visit.baseAddress, email, token));
    });
  }
  return redirect("/account/forgotten-password/?sent");
}
