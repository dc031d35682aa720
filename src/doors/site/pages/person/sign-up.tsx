/** @jsxImportSource hono/jsx */
import { requiredEmail, requiredName } from "../../../../customers/accounts/accounts.ts";
import { requirePassword } from "../../../../customers/people/password-rules.ts";
import { notFound } from "../../../../errors.ts";
import { readFields } from "../../forms/faults.ts";
import { limitNames } from "../../guard/client-ip.ts";
import { requireTurn } from "../../guard/require-turn.ts";
import { Form, TextField } from "../../look/form.tsx";
import { NewPasswordField } from "../../look/person-fields.tsx";
import { knownAddressMail, signUpMail } from "../../mail-texts.ts";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { asset } from "../../visit/site-path.ts";
import { page, redirect, type View } from "../../visit/view.ts";
import type { Visit } from "../../visit/visit.ts";
import { notFoundPage } from "../message.tsx";
import { newKeyView } from "../organization/new-key.tsx";
import { tokenOf } from "./link-token.ts";

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
    if (!(await context.isSignUpOpen())) return notFoundPage(visit);
    if (visit.signedIn !== null) return redirect("/account/");
    if (tokenOf(visit) !== "") return finishView(visit, context);
    const words = visit.words.signUpPage;
    if (visit.query.has("sent")) return page(words.title, <p role="status">{words.sent}</p>);
    return page(
      words.title,
      <>
        <Form visit={visit} action="send">
          <p>{words.text}</p>
          <TextField
            visit={visit}
            action="send"
            name="email"
            label={visit.words.email}
            type="email"
            autocomplete="email"
          />
          <button type="submit">{words.send}</button>
        </Form>
        <p>
          {words.haveOne} <a href={asset(visit, "/account/sign-in/")}>{visit.words.signIn}</a>
        </p>
      </>,
    );
  },
  actions: { send, make },
};

async function finishView(visit: Visit, { signUps }: SiteContext): Promise<View> {
  const words = visit.words.signUpPage;
  const email = await signUps.opens(tokenOf(visit));
  if (email === null) return linkUsedView(visit);
  const field = { visit, action: "make" };
  return page(
    words.finish,
    <Form visit={visit} action="make">
      <p>
        <bdi>{words.finishText(email)}</bdi>
      </p>
      <input type="hidden" name="token" value={tokenOf(visit)} />
      {/* For password managers. */}
      <input type="hidden" name="email" value={email} autocomplete="username" />
      <TextField {...field} name="name" label={visit.words.name} autocomplete="name" />
      <TextField
        {...field}
        name="organization"
        label={words.organizationName}
        autocomplete="organization"
      />
      <NewPasswordField {...field} label={visit.words.password} />
      <button type="submit">{words.make}</button>
    </Form>,
  );
}

function linkUsedView(visit: Visit): View {
  const words = visit.words.signUpPage;
  return page(
    words.title,
    <>
      <p role="alert">{words.linkUsed}</p>
      <p class="row">
        <a href={asset(visit, "/account/sign-in/")}>{visit.words.signIn}</a>
        <a href={asset(visit, PATH)}>{words.again}</a>
      </p>
    </>,
    { status: 404 },
  );
}

async function send(visit: Visit, context: SiteContext): Promise<View> {
  const { mails, ports, signUps, throttle } = context;
  await requireOpen(context);
  const email = requiredEmail(visit.form.get("email")).toLowerCase();
  const names = limitNames("sign-up", visit.clientIp);
  requireTurn(visit, context, names);
  // Whoever asks, an address gets a few mails, each of whose links its owner may use: more would only fill
  // the mailbox.
  if (throttle.take([`mail ${email}`], visit.nowMs) !== null) return redirect(`${PATH}?sent`);
  const rank = throttle.taken(names[0] ?? "", visit.nowMs);
  const token = Buffer.from(ports.random.bytes(TOKEN_BYTES)).toString("base64url");
  // Done after the answer, whose timing would otherwise reveal who has an account.
  context.afterAnswer.run("a sign-up", async () => {
    const isNew = await signUps.begin({ email, token });
    await mails.queue(
      isNew
        ? signUpMail(visit.baseAddress, email, token)
        : knownAddressMail(visit.baseAddress, email),
      rank,
    );
  });
  return redirect(`${PATH}?sent`);
}

async function make(visit: Visit, context: SiteContext): Promise<View> {
  const { people, signUps } = context;
  await requireOpen(context);
  const { form, network } = visit;
  const token = tokenOf(visit);
  const email = await signUps.opens(token);
  if (email === null) return linkUsedView(visit);
  const { name, organization, password } = await readFields({
    name: () => requiredName(form.get("name")),
    organization: () => requiredName(form.get("organization")),
    password: () => requirePassword(form.get("password"), email),
  });
  const { keyName, made: notice } = visit.words.signUpPage;
  const made = await signUps.end({ token, name, organization, password, keyName, network });
  if (made === null) return linkUsedView(visit);
  const session = await people.signIn({
    ...{ email, password, network, clientIp: visit.clientIp, isKnownNetwork: true },
    userAgent: visit.request.headers.get("user-agent") ?? "",
  });
  return newKeyView(visit, made.keyToken, context, {
    notice,
    setCookies: session?.setCookies ?? [],
  });
}

/** @throws AppError `not_found` unless visitors may create accounts */
async function requireOpen({ isSignUpOpen }: SiteContext): Promise<void> {
  if (!(await isSignUpOpen())) throw notFound("address");
}
