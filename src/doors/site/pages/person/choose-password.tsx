/** @jsxImportSource hono/jsx */
import { pageError } from "../../forms/faults.ts";
import { requireTurn } from "../../guard/throttle.ts";
import { Form } from "../../look/form.tsx";
import { NewPasswordField } from "../../look/role-form.tsx";
import type { SitePage } from "../../site-pages.ts";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { asset, page, redirect, type View } from "../../visit/view.ts";
import { newKeyView } from "../organization/new-key.tsx";
import { linkToken } from "./link-token.ts";

/** `/account/choose-password/?token=…`: after an invitation, or a forgotten password. */
export const choosePasswordPage: SitePage = {
  path: "/account/choose-password/",
  access: "anybody",
  async show(visit, { people }) {
    const { words } = visit;
    if (!(await people.opensLink(linkToken()))) return linkUsedPage();
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

/** Says that a link was used, before somebody types a password in vain. */
function linkUsedPage(): View {
  const { words } = useVisit();
  return page(
    words.choosePassword,
    <>
      <p role="alert">{words.linkUsed}</p>
      <p class="row">
        <a href={asset("/account/sign-in/")}>{words.signIn}</a>
        <a href={asset("/account/forgotten-password/")}>{words.forgotten}</a>
      </p>
    </>,
    { status: 404 },
  );
}

/** Sets the password; whoever was invited is signed in by it, and gets a first key. */
async function choose(): Promise<View> {
  const { accounts, keys, people } = useSite();
  const { clientIp, form, words, network, request } = useVisit();
  const password = form.get("password");
  const chosen = await people.choosePassword({ token: linkToken(), password, network });
  if (chosen === null) throw pageError("conflict", words.linkUsed);
  if (!chosen.isFirst) return redirect("/account/sign-in/?done=password");
  const { email } = chosen;
  const userAgent = request.headers.get("user-agent") ?? "";
  const by = { email, password, network, clientIp, isKnownNetwork: true, userAgent };
  const session = await people.signIn(by);
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
