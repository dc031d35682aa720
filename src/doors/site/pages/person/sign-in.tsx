/** @jsxImportSource hono/jsx */
import { EMAIL_LENGTH_MAX } from "../../../../customers/accounts/accounts.ts";
import { pageFault } from "../../forms/faults.ts";
import { limitNames } from "../../guard/client-ip.ts";
import { requireTurn } from "../../guard/throttle.ts";
import { EmailField } from "../../look/action-button.tsx";
import { Form, TextField } from "../../look/form.tsx";
import { Done } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { asset, ownPath, page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";

/** `/account/sign-in/`, and signing out. */
export const signInPage: SitePage = {
  path: "/account/sign-in/",
  access: "anybody",
  show: (visit) =>
    visit.signedIn === null
      ? signInView(visit.query.get("next") ?? visit.form.get("next"))
      : redirect("/account/"),
  actions: { "sign-in": signIn, "sign-out": signOut },
};

/** @param next where to go after signing in */
export async function signInView(next: string): Promise<View> {
  const { setUp, isSignUpOpen } = useSite();
  const { words } = useVisit();
  const isSetUpNeeded = await setUp.isNeeded();
  const mayMakeAccount = await isSignUpOpen();
  return page(
    words.signIn,
    <>
      {isSetUpNeeded && <p class="notice">{words.setUpNeeded}</p>}
      <Done words={{ password: words.passwordChosen, "set-up": words.setUpDone }} />
      <Form action="sign-in" to={asset("/account/sign-in/")} submit={words.signIn} words={words}>
        <EmailField />
        <TextField name="password" type="password" autocomplete="current-password" />
        <input type="hidden" name="next" value={next} />
      </Form>
      <p class="row">
        <a href={asset("/account/forgotten-password/")}>{words.forgotten}</a>
        {mayMakeAccount && <a href={asset("/account/sign-up/")}>{words.signUpPage.title}</a>}
      </p>
    </>,
  );
}

async function signIn(): Promise<View> {
  const visit = useVisit();
  const context = useSite();
  const { form, words, clientIp, network } = visit;
  const email = form.get("email").trim();
  // Refused first, because the throttle keeps addresses in memory, and no real one is longer.
  if (email.length > EMAIL_LENGTH_MAX) {
    throw pageFault("non_field_errors", words.wrongPassword);
  }
  const isKnownNetwork = await context.people.knowsNetwork(email, network);
  const account = email.toLowerCase();
  // A network that the person signed in from has a limit of its own: neither guesses from elsewhere nor
  // those of others there lock its owner out. From a new network, a mailed link makes it known.
  const ofNetworks = isKnownNetwork
    ? [`known ${network} ${account}`]
    : limitNames("network", clientIp);
  const ofAccount = isKnownNetwork ? [] : [`account ${account}`];
  requireTurn(ofNetworks);
  requireTurn(ofAccount, words.tooManyForAccount);
  const names = [...ofNetworks, ...ofAccount];
  const giveBack = (): void => {
    for (const name of names) context.throttle.giveBack(name, visit.nowMs);
  };
  const password = form.get("password");
  const session = await newSession(email, password, isKnownNetwork).catch((error: unknown) => {
    // The password was not checked, so the attempt does not count.
    giveBack();
    throw error;
  });
  // An unknown address gets the same answer.
  if (session === null) throw pageFault("non_field_errors", words.wrongPassword);
  // An attempt with the right password does not count either.
  giveBack();
  return redirect(ownPath(form.get("next")), session.setCookies);
}

/** Signs the visitor in, who may just have chosen the password; null if it is wrong. */
export function newSession(email: string, password: string, isKnownNetwork = true) {
  const { clientIp, network, language, request } = useVisit();
  const userAgent = request.headers.get("user-agent") ?? "";
  const by = { email, password, clientIp, network, isKnownNetwork, language, userAgent };
  return useSite().people.signIn(by);
}

async function signOut(): Promise<View> {
  const { people } = useSite();
  const { setCookies } = await people.signOut(useVisit().request.headers.get("cookie") ?? "");
  return redirect("/account/sign-in/", setCookies);
}
