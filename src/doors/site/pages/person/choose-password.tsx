/** @jsxImportSource hono/jsx */
import { requiredEmail } from "../../../../customers/accounts/accounts.ts";
import { pageError } from "../../forms/faults.ts";
import { limitNames } from "../../guard/client-ip.ts";
import { requireTurn } from "../../guard/throttle.ts";
import { EmailField, NewPasswordField } from "../../look/action-button.tsx";
import { Form } from "../../look/form.tsx";
import { passwordMail } from "../../mail-texts.ts";
import type { SitePage } from "../../site-pages.ts";
import { asset, page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";
import { newKeyView } from "../organization/new-key.tsx";
import { newSession } from "./sign-in.tsx";

/** `/account/choose-password/?token=…`: after an invitation, or a forgotten password. */
export const choosePasswordPage: SitePage = {
  path: "/account/choose-password/",
  access: "anybody",
  async show(visit, { people }) {
    const { words } = visit;
    if (!(await people.opensLink(linkToken()))) {
      const another = "/account/forgotten-password/";
      return linkUsedPage(words.choosePassword, words.linkUsed, another, words.forgotten);
    }
    return page(
      words.choosePassword,
      <>
        <Form action="choose" submit={words.save}>
          <input type="hidden" name="token" value={linkToken()} />
          <NewPasswordField />
        </Form>
        <p>
          <a href={asset("/account/sign-in/")}>{words.signIn}</a>
        </p>
      </>,
    );
  },
  actions: { choose },
};

/** Says that a link was used, before somebody types a password in vain. @param another where to get one */
export function linkUsedPage(title: string, text: string, another: string, label: string): View {
  return page(
    title,
    <>
      <p role="alert">{text}</p>
      <p class="row">
        <a href={asset("/account/sign-in/")}>{useVisit().words.signIn}</a>
        <a href={asset(another)}>{label}</a>
      </p>
    </>,
    { status: 404 },
  );
}

/** Sets the password; whoever was invited is signed in by it, and gets a first key. */
async function choose(): Promise<View> {
  const { accounts, keys, people } = useSite();
  const { form, words, network } = useVisit();
  const password = form.get("password");
  const chosen = await people.choosePassword({ token: linkToken(), password, network });
  if (chosen === null) throw pageError("conflict", words.linkUsed);
  if (!chosen.isFirst) return redirect("/account/sign-in/?done=password");
  const { email } = chosen;
  const session = await newSession(email, password);
  // Whoever invited them may have chosen the password: it opens the first organization only.
  const [membership] = await accounts.membershipsOf(email, false);
  if (session === null || membership === undefined) {
    return redirect("/account/", session?.setCookies);
  }
  const { member, organization } = membership;
  requireTurn([`key ${organization.id}`]);
  const wanted = { access: "read_only", expiresAt: null, name: words.signUpPage.keyName } as const;
  const actor = { person: email, keyId: null };
  const { token } = await keys.createKey({ memberId: member.id, ...wanted }, actor);
  return newKeyView(token, { setCookies: session.setCookies });
}

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
      if (token !== null) await mails.queue(passwordMail(visit, email, token), rank);
    });
  }
  return redirect("/account/forgotten-password/?sent");
}

/** The token of a link: in the form once it was submitted, before in the address; empty if there is none. */
export function linkToken(): string {
  const { form, query } = useVisit();
  return form.get("token") || (query.get("token") ?? "");
}
