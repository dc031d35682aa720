/** @jsxImportSource hono/jsx */
import { AppError, fieldError } from "../../errors.ts";
import { addressName } from "../client-address.ts";
import { csrfToken, FORM_COOKIE } from "../csrf.ts";
import { Form, TextField } from "../form.tsx";
import { asset } from "../layout.tsx";
import type { SiteContext } from "../site-context.ts";
import type { SitePage } from "../site-pages.ts";
import { ownPath, parseOwnPath, redirect, type View } from "../view.ts";
import type { Visit } from "../visit.ts";
import { readCookies } from "../visit.ts";
import { type KeptForm, sendAgainView } from "./send-again.tsx";

/** `/account/sign-in/`, and signing out. */
export const signInPage: SitePage = {
  path: "/account/sign-in/",
  access: "anybody",
  show: (visit) =>
    visit.signedIn === null ? signInView(visit, keptOf(visit)) : redirect("/account/"),
  actions: { "sign-in": signIn, "sign-out": signOut },
};

/** @param kept a form that was sent after the session had ended */
export function signInView(visit: Visit, kept: KeptForm | null = null): View {
  const { words } = visit;
  const next = visit.query.get("next") ?? visit.form.get("next");
  return {
    kind: "page",
    title: words.signIn,
    body: (
      <>
        {kept !== null && <p role="status">{words.sessionEnded}</p>}
        {visit.query.get("done") === "password" && <p role="status">{words.passwordChosen}</p>}
        {visit.query.get("done") === "set-up" && <p role="status">{words.setUpDone}</p>}
        <Form visit={visit} action="sign-in" to={asset(visit, "/account/sign-in/")}>
          <TextField
            visit={visit}
            action="sign-in"
            name="email"
            label={words.email}
            type="email"
            autocomplete="username"
          />
          <TextField
            visit={visit}
            action="sign-in"
            name="password"
            label={words.password}
            type="password"
            autocomplete="current-password"
          />
          <input type="hidden" name="next" value={next} />
          {kept !== null && <input type="hidden" name="kept" value={JSON.stringify(kept)} />}
          <button type="submit">{words.signIn}</button>
        </Form>
        <p>
          <a href={asset(visit, "/account/forgotten-password/")}>{words.forgotten}</a>
        </p>
      </>
    ),
  };
}

async function signIn(visit: Visit, context: SiteContext): Promise<View> {
  const { form, words } = visit;
  const email = form.get("email").trim();
  const password = form.get("password");
  const ipAddress = context.clientAddress(visit.request);
  const names = [addressName(ipAddress), `account ${email.toLowerCase()}`];
  if (!context.attempts.take(names, visit.nowMs)) {
    throw new AppError("throttled", words.tooManyAttempts);
  }
  const userAgent = visit.request.headers.get("user-agent") ?? "";
  const session = await context.people.signIn({ email, password, ipAddress, userAgent });
  // The same for an address that nobody has.
  if (session === null) throw fieldError({ non_field_errors: [words.wrongPassword] });
  const { setCookies } = session;
  const kept = keptOf(visit);
  if (kept === null) return redirect(ownPath(form.get("next")), setCookies);
  const cookie = setCookies.map((one) => one.split(";")[0]).join("; ");
  const signedIn = await context.people.signedIn(cookie);
  const formCookie = readCookies(visit.request).get(FORM_COOKIE) ?? "";
  const csrf = csrfToken(context.secret, formCookie, signedIn?.sessionId ?? null);
  return { ...sendAgainView({ ...visit, signedIn, csrf }, kept), setCookies } as View;
}

async function signOut(visit: Visit, { people }: SiteContext): Promise<View> {
  const { setCookies } = await people.signOut(visit.request.headers.get("cookie") ?? "");
  return redirect("/account/sign-in/", setCookies);
}

function keptOf({ form }: Visit): KeptForm | null {
  const text = form.get("kept");
  if (text === "") return null;
  try {
    const { path: given, fields } = JSON.parse(text) as KeptForm;
    const path = parseOwnPath(given);
    if (path === null) return null;
    return {
      path,
      fields: Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, String(value)]),
      ),
    };
  } catch {
    return null;
  }
}
