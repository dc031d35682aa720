/** @jsxImportSource hono/jsx */
import { requiredEmail, requiredName } from "../../../../customers/accounts/accounts.ts";
import { requirePassword } from "../../../../customers/people/password-rules.ts";
import { notFound } from "../../../../errors.ts";
import { readFields } from "../../forms/faults.ts";
import { limitNames } from "../../guard/client-ip.ts";
import { requireTurn } from "../../guard/throttle.ts";
import { NewPasswordField } from "../../look/action-button.tsx";
import { Form, TextField } from "../../look/form.tsx";
import { knownAddressMail, signUpMail } from "../../mail-texts.ts";
import type { SitePage } from "../../site-pages.ts";
import { asset, page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";
import { notFoundPage } from "../message.tsx";
import { newKeyView } from "../organization/new-key.tsx";
import { linkToken, linkUsedPage } from "./choose-password.tsx";
import { newSession } from "./sign-in.tsx";

const PATH = "/account/sign-up/";
const TOKEN_BYTES = 24;

/**
 * `/account/sign-up/`: a visitor requests a link, and creates an account with it. Whether an address has an
 * account is only revealed by mail: the page always answers the same.
 */
export const signUpPage: SitePage = {
  path: PATH,
  access: "anybody",
  async show(visit, context) {
    if (!(await context.isSignUpOpen())) return notFoundPage();
    if (visit.signedIn !== null) return redirect("/account/");
    if (linkToken() !== "") return finishView();
    const words = visit.words.signUpPage;
    if (visit.query.has("sent")) return page(words.title, <p role="status">{words.sent}</p>);
    return page(
      words.title,
      <>
        <Form action="send" submit={words.send} words={visit.words}>
          <p>{words.text}</p>
          <TextField name="email" type="email" autocomplete="email" />
        </Form>
        <p>
          {words.haveOne} <a href={asset("/account/sign-in/")}>{visit.words.signIn}</a>
        </p>
      </>,
    );
  },
  actions: { send, make },
};

async function finishView(): Promise<View> {
  const visit = useVisit();
  const { signUps } = useSite();
  const words = visit.words.signUpPage;
  const email = await signUps.opens(linkToken());
  if (email === null) return linkUsedView();
  return page(
    words.finish,
    <Form action="make" submit={words.make} words={visit.words}>
      <p>
        <bdi>{words.finishText(email)}</bdi>
      </p>
      <input type="hidden" name="token" value={linkToken()} />
      {/* For password managers. */}
      <input type="hidden" name="email" value={email} autocomplete="username" />
      <TextField name="name" autocomplete="name" />
      <TextField name="organization" label={words.organizationName} autocomplete="organization" />
      <NewPasswordField label={visit.words.password} />
    </Form>,
  );
}

function linkUsedView(): View {
  const { title, linkUsed, again } = useVisit().words.signUpPage;
  return linkUsedPage(title, linkUsed, PATH, again);
}

async function send(): Promise<View> {
  const visit = useVisit();
  const context = useSite();
  const { mails, ports, signUps, throttle } = context;
  await requireOpen();
  const email = requiredEmail(visit.form.get("email")).toLowerCase();
  const names = limitNames("sign-up", visit.clientIp);
  requireTurn(names);
  // Whoever asks, an address gets a few mails, each of whose links its owner may use: more would only fill
  // the mailbox.
  if (throttle.take([`mail ${email}`], visit.nowMs) !== null) return redirect(`${PATH}?sent`);
  const rank = throttle.taken(names[0] ?? "", visit.nowMs);
  const token = Buffer.from(ports.random.bytes(TOKEN_BYTES)).toString("base64url");
  // Done after the answer, whose timing would otherwise reveal who has an account.
  context.afterAnswer.run("a sign-up", async () => {
    const isNew = await signUps.begin({ email, token });
    await mails.queue(
      isNew ? signUpMail(visit, email, token) : knownAddressMail(visit, email),
      rank,
    );
  });
  return redirect(`${PATH}?sent`);
}

async function make(): Promise<View> {
  const { signUps } = useSite();
  await requireOpen();
  const { form, network, words } = useVisit();
  const token = linkToken();
  const email = await signUps.opens(token);
  if (email === null) return linkUsedView();
  const { name, organization, password } = await readFields({
    name: () => requiredName(form.get("name")),
    organization: () => requiredName(form.get("organization")),
    password: () => requirePassword(form.get("password"), email),
  });
  const { keyName, made: notice } = words.signUpPage;
  const made = await signUps.end({ token, name, organization, password, keyName, network });
  if (made === null) return linkUsedView();
  const session = await newSession(email, password);
  return newKeyView(made.keyToken, { notice, setCookies: session?.setCookies ?? [] });
}

/** @throws AppError `not_found` unless visitors may create accounts */
async function requireOpen(): Promise<void> {
  const { isSignUpOpen } = useSite();
  if (!(await isSignUpOpen())) throw notFound("address");
}
