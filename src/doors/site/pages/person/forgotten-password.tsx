/** @jsxImportSource hono/jsx */
import { requiredEmail } from "../../../../customers/accounts/accounts.ts";
import { limitNames } from "../../guard/client-ip.ts";
import { requireTurn } from "../../guard/throttle.ts";
import { Form } from "../../look/form.tsx";
import { EmailField } from "../../look/role-form.tsx";
import { passwordMail } from "../../mail-texts.ts";
import type { SitePage } from "../../site-pages.ts";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { page, redirect, type View } from "../../visit/view.ts";

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
      <Form action="send" submit={words.sendLink}>
        <p>{words.forgottenText}</p>
        <EmailField />
      </Form>,
    );
  },
  actions: { send },
};

async function send(): Promise<View> {
  const visit = useVisit();
  const context = useSite();
  const email = requiredEmail(visit.form.get("email")).toLowerCase();
  const { mails, people, throttle } = context;
  const names = limitNames("network", visit.clientIp);
  requireTurn(names);
  // Beyond these, the latest mail still holds: strangers can neither fill a mailbox nor keep replacing its
  // link. The person's own networks are counted apart from strangers.
  const isKnown = await people.knowsNetwork(email, visit.network);
  const isAmongFirst =
    throttle.take([`mail ${email}${isKnown ? ` ${visit.network}` : ""}`], visit.nowMs) === null;
  if (mails.canSend && isAmongFirst) {
    const rank = throttle.taken(names[0] ?? "", visit.nowMs);
    // Done after the answer: otherwise unknown addresses would be answered sooner.
    context.afterAnswer.run("a password link", async () => {
      const token = await people.passwordLink({ email, isTrusted: true });
      if (token !== null) await mails.queue(passwordMail(visit.baseAddress, email, token), rank);
    });
  }
  return redirect("/account/forgotten-password/?sent");
}
