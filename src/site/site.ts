import { Elysia } from "elysia";
import { AppError, type FieldErrors, toAppError } from "../errors.ts";
import { STATUS_OF } from "../methods/statuses.ts";
import type { SignedIn } from "../people/people.ts";
import { assetRoutes } from "./assets.ts";
import { csrfToken, FORM_COOKIE, isCsrfToken } from "./csrf.ts";
import { asset, renderDocument } from "./layout.tsx";
import { messagePage, notFoundPage } from "./pages/message.tsx";
import { type KeptForm, sendAgainView } from "./pages/send-again.tsx";
import { signInView } from "./pages/sign-in.tsx";
import { readForm } from "./read-form.ts";
import type { SiteContext } from "./site-context.ts";
import { LANGUAGE_COOKIE, ORGANIZATION_COOKIE, siteCookie } from "./site-cookies.ts";
import { type SitePage, sitePages } from "./site-pages.ts";
import { redirect, type View } from "./view.ts";
import { EMPTY_FORM, type Form, readCookies, type Visit } from "./visit.ts";
import { translated } from "./words/sentences.ts";
import { languageOf, WORDS } from "./words/words.ts";

const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

interface Incoming {
  request: Request;
  params: Record<string, string | null>;
}

/** The account site and staff's console: pages, their forms and their assets. */
export function siteRoutes(context: SiteContext) {
  const routes = new Elysia({ name: "site", strictPath: true }).use(assetRoutes(context.requestId));
  const hidden = { parse: "none", detail: { hide: true } } as const;
  for (const sitePage of sitePages) {
    const answer = (incoming: Incoming) => answerVisit(sitePage, incoming, context);
    const toSlash = ({ request }: Incoming) => redirectToSlash(request, context);
    const withoutSlash = sitePage.path.slice(0, -1);
    routes
      .get(sitePage.path, answer, hidden)
      .head(sitePage.path, answer, hidden)
      .post(sitePage.path, answer, hidden)
      .get(withoutSlash, toSlash, hidden)
      .head(withoutSlash, toSlash, hidden);
  }
  const nothing = (incoming: Incoming) => answerVisit(null, incoming, context);
  for (const path of ["/account/*", "/staff/*"]) routes.all(path, nothing, hidden);
  return routes;
}

/** @param sitePage null where there is none */
async function answerVisit(
  sitePage: SitePage | null,
  { request, params }: Incoming,
  context: SiteContext,
): Promise<Response> {
  const setCookies: string[] = [];
  const visit = await startVisit(request, params, context, setCookies);
  const headers = headersOf(visit.requestId);
  for (const cookie of setCookies) headers.append("set-cookie", cookie);
  try {
    const view =
      sitePage === null
        ? notFoundPage(visit)
        : request.method === "POST"
          ? await takeForm(sitePage, visit, context)
          : (refusal(sitePage, visit) ?? (await sitePage.show(visit, context)));
    return respond(visit, view, headers);
  } catch (thrown) {
    const error = toAppError(thrown);
    logCause(error, visit, context);
    const view = error.code === "not_found" ? notFoundPage(visit) : messagePage(visit, error);
    return respond(visit, view, headers);
  }
}

/** What every answer carries. */
function headersOf(requestId: string): Headers {
  return new Headers({ ...SECURITY_HEADERS, "x-request-id": requestId });
}

/** As the visitor sees the address: a proxy may have taken a prefix off. */
function redirectToSlash(request: Request, context: SiteContext): Response {
  const { pathname, search } = new URL(request.url);
  const headers = headersOf(context.requestId(request));
  const baseAddress = context.baseAddress(request);
  headers.set("location", asset({ baseAddress }, `${pathname}/${search}`));
  return new Response(null, { status: 301, headers });
}

/** Reads who comes, in which language, to which organization; sets the cookies that are missing. */
async function startVisit(
  request: Request,
  params: Record<string, string | null>,
  context: SiteContext,
  setCookies: string[],
): Promise<Visit> {
  const cookies = readCookies(request);
  const baseAddress = context.baseAddress(request);
  let formCookie = cookies.get(FORM_COOKIE);
  if (formCookie === undefined) {
    formCookie = Buffer.from(context.ports.random.bytes(24)).toString("base64url");
    setCookies.push(siteCookie(FORM_COOKIE, formCookie));
  }
  const language = languageOf(cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language"));
  const cookie = request.headers.get("cookie") ?? "";
  const signedIn = cookie.includes("kanalog.session_token")
    ? await context.people.signedIn(cookie)
    : null;
  if (signedIn !== null) setCookies.push(...signedIn.setCookies);
  const { pathname, search, searchParams } = new URL(request.url);
  return {
    request,
    requestId: context.requestId(request),
    path: pathname + search,
    params: Object.fromEntries(
      Object.entries(params ?? {}).map(([name, value]) => [name, value ?? ""]),
    ),
    query: searchParams,
    form: EMPTY_FORM,
    faults: {},
    language,
    words: WORDS[language],
    csrf: csrfToken(context.secret, formCookie, signedIn?.sessionId ?? null),
    nowMs: context.ports.clock.now(),
    baseAddress,
    signedIn,
    ...placeOf(signedIn, cookies.get(ORGANIZATION_COOKIE), context),
  };
}

function placeOf(
  signedIn: SignedIn | null,
  chosen: string | undefined,
  { accounts }: SiteContext,
): Pick<Visit, "memberships" | "membership"> {
  const memberships =
    signedIn === null
      ? []
      : accounts.membershipsOf(signedIn.person.email, signedIn.person.isVerified);
  const membership =
    memberships.find(({ organization }) => String(organization.id) === chosen) ??
    memberships[0] ??
    null;
  return { memberships, membership };
}

/** Runs what a form asks for; where something is wrong with it, the page is shown again. */
async function takeForm(sitePage: SitePage, visit: Visit, context: SiteContext): Promise<View> {
  requireOwnOrigin(visit);
  const refused = refusal(sitePage, visit);
  const isOurs = (form: Form): boolean => isCsrfToken(form.get("csrf"), visit.csrf);
  const { form, discard } = await readForm(
    visit.request,
    sitePage.takesFile === true
      ? {
          newPath: context.imports.files.newPath,
          isAllowed: (before) => refused === null && isOurs(before),
        }
      : null,
  );
  try {
    if (refused !== null) {
      return visit.signedIn === null ? signInView(visit, keptForm(visit, form)) : refused;
    }
    if (!isOurs(form)) return await staleForm(sitePage, { ...visit, form }, context);
    return await runAction(sitePage, { ...visit, form }, context);
  } finally {
    discard();
  }
}

/** A form of another session, or of a page that was open too long, is sent once more. */
function staleForm(sitePage: SitePage, sent: Visit, context: SiteContext): View | Promise<View> {
  const { form, signedIn, words } = sent;
  if (signedIn === null && form.get("action") === "sign-out") {
    return redirect("/account/sign-in/");
  }
  // A password is not kept, so the page itself is shown again, to type it.
  if (form.entries().some(([name, value]) => isPassword(name) && value !== "")) {
    return showAgain(sitePage, sent, new AppError("conflict", words.typeAgain), context);
  }
  return sendAgainView(sent, keptForm(sent, form));
}

async function runAction(sitePage: SitePage, sent: Visit, context: SiteContext): Promise<View> {
  const { actions = {} } = sitePage;
  const name = sent.form.get("action");
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) throw new AppError("not_found", "This form does not exist any more.");
  try {
    return await action(sent, context);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "internal") throw error;
    logCause(error, sent, context);
    return showAgain(sitePage, sent, error, context);
  }
}

/** The page with what was typed, and what is wrong with it. */
async function showAgain(
  sitePage: SitePage,
  sent: Visit,
  error: AppError,
  context: SiteContext,
): Promise<View> {
  const faults: FieldErrors = error.fields ?? { non_field_errors: [error.detail] };
  const told = { ...sent, faults: translated(sent.language, faults) };
  const view = await sitePage.show(told, context);
  return view.kind === "page" ? { ...view, status: STATUS_OF[error.code] } : view;
}

/** What somebody is answered who may not see the page, or null. */
function refusal({ access }: SitePage, visit: Visit): View | null {
  if (access === "anybody") return null;
  if (visit.signedIn === null) {
    return redirect(`/account/sign-in/?next=${encodeURIComponent(visit.path)}`);
  }
  if (access === "person") return null;
  if (access === "staff") return visit.signedIn.person.isStaff ? null : notFoundPage(visit);
  if (visit.membership === null) return redirect("/account/profile/");
  if (access === "manager" && visit.membership.member.role === "member") return notFoundPage(visit);
  return null;
}

/**
 * A browser says where a form comes from; one of another site is not even shown again. Hosts are
 * compared and not schemes, since a proxy that speaks https may not be known by its address.
 */
function requireOwnOrigin({ request, baseAddress }: Visit): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const host = URL.canParse(origin) ? new URL(origin).host : null;
  if (host === new URL(baseAddress).host || host === new URL(request.url).host) return;
  throw new AppError("origin_not_allowed", "Forms are taken from the appliance's own pages only.");
}

/** What was typed, to be sent again; no password, and no token. */
function keptForm({ path }: Visit, form: Form): KeptForm {
  const kept = form.entries().filter(([name]) => name !== "csrf" && !isPassword(name));
  return { path, fields: Object.fromEntries(kept) };
}

function isPassword(name: string): boolean {
  return /password/i.test(name);
}

/** Without the query, which may hold the token of a link. */
function logCause({ cause, detail }: AppError, visit: Visit, { ports }: SiteContext): void {
  if (cause === undefined) return;
  const { requestId, path } = visit;
  ports.log.error({ err: cause, requestId, path: path.split("?")[0] }, detail);
}

function respond(visit: Visit, view: View, headers: Headers): Response {
  const own = "setCookies" in view ? (view.setCookies ?? []) : [];
  for (const cookie of own) headers.append("set-cookie", cookie);
  if (visit.baseAddress.startsWith("https:")) makeSecure(headers);
  switch (view.kind) {
    case "redirect":
      headers.set("location", asset(visit, view.to));
      return new Response(null, { status: 303, headers });
    case "json":
      headers.set("content-type", "application/json; charset=utf-8");
      return new Response(JSON.stringify(view.value), { headers });
    case "page": {
      headers.set("content-type", "text/html; charset=utf-8");
      const isHead = visit.request.method === "HEAD";
      const html = isHead ? null : renderDocument(visit, view.title, view.body);
      return new Response(html, { status: view.status ?? 200, headers });
    }
  }
}

/** Behind https, cookies go back over https only. */
function makeSecure(headers: Headers): void {
  const cookies = headers.getSetCookie();
  headers.delete("set-cookie");
  for (const cookie of cookies) headers.append("set-cookie", `${cookie}; Secure`);
}
