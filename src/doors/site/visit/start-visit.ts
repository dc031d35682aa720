import type { SignedIn } from "../../../customers/people/sessions.ts";
import { LANGUAGE_COOKIE, languageOf } from "../../../values/messages/messages.ts";
import { WORDS } from "../../../words/words.ts";
import { networkOf } from "../guard/client-ip.ts";
import { csrfToken, FORM_COOKIE } from "../guard/csrf.ts";
import type { SiteContext } from "../site-context.ts";
import { EMPTY_FORM, FORM_LOST, ORGANIZATION_COOKIE, siteCookie, type Visit } from "./visit.ts";

/** Determines who is visiting, in which language and for which organization; sets missing cookies. */
export async function startVisit(
  request: Request,
  params: Record<string, string | null>,
  context: SiteContext,
  setCookies: string[],
): Promise<Visit> {
  const cookie = request.headers.get("cookie") ?? "";
  const cookies = new Bun.CookieMap(cookie);
  let formCookie = cookies.get(FORM_COOKIE);
  if (formCookie === null) {
    formCookie = Buffer.from(context.ports.random.bytes(24)).toString("base64url");
    setCookies.push(siteCookie(FORM_COOKIE, formCookie));
  }
  const language = languageOf(
    cookies.get(LANGUAGE_COOKIE) ?? undefined,
    request.headers.get("accept-language"),
  );
  const signedIn = cookie.includes("kanalog.session_token")
    ? await context.people.signedIn(cookie)
    : null;
  if (signedIn !== null) setCookies.push(...signedIn.setCookies);
  const url = new URL(request.url);
  const isFormLost = signedIn !== null && url.searchParams.has(FORM_LOST);
  // Shown once: the page's own links and forms omit it.
  if (isFormLost) url.searchParams.delete(FORM_LOST);
  // `done` names what an earlier form did, not this one.
  if (request.method === "POST") url.searchParams.delete("done");
  const clientIp = context.clientIp(request);
  return {
    request,
    requestId: context.requestId(request),
    clientIp,
    network: networkOf(clientIp),
    path: url.pathname + url.search,
    params: Object.fromEntries(
      Object.entries(params ?? {}).map(([name, value]) => [name, value ?? ""]),
    ),
    query: url.searchParams,
    form: EMPTY_FORM,
    faults: {},
    language,
    words: WORDS[language],
    csrf: csrfToken(context.secret, formCookie, signedIn?.sessionId ?? null),
    nowMs: context.ports.clock.now(),
    ownAddress: context.ownAddress(request),
    baseAddress: context.baseAddress(request),
    brand: context.config.brand,
    notice: isFormLost ? WORDS[language].formLost : null,
    signedIn,
    sample: signedIn === null ? [] : context.sample.ids(),
    ...(await placeOf(signedIn, cookies.get(ORGANIZATION_COOKIE), context)),
  };
}

async function placeOf(
  signedIn: SignedIn | null,
  chosen: string | null,
  { accounts }: SiteContext,
): Promise<Pick<Visit, "memberships" | "membership">> {
  const memberships =
    signedIn === null
      ? []
      : await accounts.membershipsOf(signedIn.person.email, signedIn.person.isVerified);
  const membership =
    memberships.find(({ organization }) => String(organization.id) === chosen) ??
    memberships[0] ??
    null;
  return { memberships, membership };
}
