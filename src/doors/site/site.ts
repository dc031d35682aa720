import { AppError, toAppError } from "../../errors.ts";
import { noted, OTHER } from "../../upkeep/metrics/note-request.ts";
import { message } from "../../values/messages/messages.ts";
import { EMPTY_PICTURE } from "../../values/picture.ts";
import { takesForm } from "../../values/takes.ts";
import { runFor } from "../../values/tenant.ts";
import type { Body } from "../front/body.ts";
import type { Incoming, Route } from "../front/front.ts";
import { assetRoutes } from "./assets/assets.ts";
import { type Answer, logCause, takeForm } from "./forms/take-form.ts";
import { networkOf } from "./guard/client-ip.ts";
import { SECURITY_HEADERS } from "./guard/csrf.ts";
import { renderDocument } from "./look/layout.tsx";
import { oauthRoutes } from "./oauth/oauth-routes.ts";
import { messagePage, notFoundPage } from "./pages/message.tsx";
import type { SiteContext } from "./site-context.ts";
import { type SitePage, sitePages } from "./site-pages.ts";
import { startVisit } from "./visit/start-visit.ts";
import { refusal, viewerOf } from "./visit/viewer.ts";
import { asset, forVisit, type View, type Visit } from "./visit/visit.ts";

const PICTURE_MAX_AGE_S = 60 * 60;
const MISSING_PICTURE_MAX_AGE_S = 10 * 60;

/** The account site and staff's console: pages, their forms and their assets. */
export function siteRoutes(context: SiteContext): Route[] {
  const { noteRequests } = context;
  const { monotonic } = context.ports.clock;
  const noteOther = noteRequests("site", OTHER);
  const toSlash = noted(noteOther, monotonic, ({ request }: Incoming) =>
    redirectToSlash(request, context),
  );
  const notFound = noted(noteOther, monotonic, (incoming: Incoming) =>
    answerVisit(null, incoming, context),
  );
  const note = noteRequests("site", "assets");
  return [
    ...assetRoutes(context.requestId, note, monotonic, context.config),
    ...oauthRoutes(context),
    ...sitePages.flatMap((sitePage): Route[] => {
      const { path, actions, takes = takesForm() } = sitePage;
      const answer = noted(noteRequests("site", path), monotonic, (incoming: Incoming) =>
        answerVisit(sitePage, incoming, context),
      );
      return [
        { verb: "GET", path, answer },
        // The session is checked first.
        ...(actions ? [{ verb: "POST", path, takes, refusesBody: true, answer } as const] : []),
        { verb: "ALL", path, answer },
        { verb: "GET", path: path.slice(0, -1), answer: toSlash },
      ];
    }),
    ...["/account/*", "/staff/*"].map((path) => ({ verb: "ALL", path, answer: notFound }) as const),
  ];
}

/** @param sitePage null if no page has the address */
async function answerVisit(
  sitePage: SitePage | null,
  { request, params, body }: Incoming,
  context: SiteContext,
): Promise<Response> {
  requireAddress(request);
  const setCookies: string[] = [];
  const network = networkOf(context.clientIp(request));
  const visit = await runFor(network, null, () => startVisit(request, params, context, setCookies));
  const answer = () =>
    forVisit(visit, context, () => answerTo(visit, sitePage, body, setCookies, context));
  if (sitePage?.access === "staff") return runFor(null, null, answer);
  const { membership, nowMs } = visit;
  if (membership === null) return runFor(network, null, answer);
  const viewer = await viewerOf(membership, context.accounts, nowMs);
  const budget = context.services.limits.timeBudget(viewer, "people");
  return runFor(membership.organization.id, budget, answer);
}

/** The rendered answer: a page loads its data while it is rendered. */
async function answerTo(
  visit: Visit,
  sitePage: SitePage | null,
  body: Body,
  setCookies: readonly string[],
  context: SiteContext,
): Promise<Response> {
  const headers = headersOf(visit.requestId);
  for (const cookie of setCookies) headers.append("set-cookie", cookie);
  try {
    const answer =
      sitePage === null
        ? { visit, view: notFoundPage() }
        : await answerOf(sitePage, visit, body, context);
    return await forVisit(answer.visit, context, () => respond(answer.visit, answer.view, headers));
  } catch (thrown) {
    const error = toAppError(thrown);
    logCause(error, visit, context);
    const view = error.code === "not_found" ? notFoundPage() : messagePage(error);
    return respond(visit, view, headers);
  }
}

/** @returns the view, and the visit it is rendered for, which a form may change */
async function answerOf(
  sitePage: SitePage,
  visit: Visit,
  body: Body,
  context: SiteContext,
): Promise<Answer> {
  const { method } = visit.request;
  if (method === "POST" && sitePage.actions !== undefined) {
    return takeForm(sitePage, visit, body, context);
  }
  const refused = refusal(sitePage, visit);
  if (refused !== null) return { visit, view: refused };
  if (method === "GET" || method === "HEAD") {
    return { visit, view: await sitePage.show(visit, context) };
  }
  const allow = sitePage.actions === undefined ? "GET, HEAD" : "GET, HEAD, POST";
  const error = new AppError("method_not_allowed", message("pageTakesNoForm"));
  return { visit, view: { ...messagePage(error), headers: { allow } } };
}

/** Refuses a Host that is not a valid address. @throws AppError `invalid` */
function requireAddress({ url }: Request): void {
  if (!URL.canParse(url)) throw new AppError("invalid", message("noHost"));
}

/** Headers of every page. */
function headersOf(requestId: string): Headers {
  return new Headers({
    ...SECURITY_HEADERS,
    "cache-control": "no-store",
    "x-request-id": requestId,
  });
}

/** Redirects to the address with a slash, as the visitor sees it: a proxy may have removed a prefix. */
function redirectToSlash(request: Request, context: SiteContext): Response {
  requireAddress(request);
  const { pathname, search } = new URL(request.url);
  const headers = headersOf(context.requestId(request));
  const ownAddress = context.ownAddress(request);
  headers.set("location", asset(`${pathname}/${search}`, { ownAddress }));
  return new Response(null, { status: 301, headers });
}

async function respond(visit: Visit, view: View, headers: Headers): Promise<Response> {
  const own = "setCookies" in view ? (view.setCookies ?? []) : [];
  for (const cookie of own) headers.append("set-cookie", cookie);
  if (visit.ownAddress.startsWith("https:")) makeSecure(headers);
  switch (view.kind) {
    case "redirect":
      headers.set("location", asset(view.to));
      return new Response(null, { status: 303, headers });
    case "json":
      headers.set("content-type", "application/json; charset=utf-8");
      return new Response(JSON.stringify(view.value), { headers });
    case "picture": {
      const { picture } = view;
      const maxAgeS = picture === null ? MISSING_PICTURE_MAX_AGE_S : PICTURE_MAX_AGE_S;
      headers.set("cache-control", `private, max-age=${maxAgeS}`);
      headers.set("content-type", (picture ?? EMPTY_PICTURE).type);
      return picture === null
        ? new Response(EMPTY_PICTURE.content, { status: 404, headers })
        : new Response(picture.content, { headers });
    }
    case "download":
      headers.set("content-type", view.type);
      headers.set("content-disposition", `attachment; filename="${view.fileName}"`);
      return new Response(view.body, { headers });
    case "page": {
      headers.set("content-type", "text/html; charset=utf-8");
      for (const [name, value] of Object.entries(view.headers ?? {})) headers.set(name, value);
      const isHead = visit.request.method === "HEAD";
      const html = isHead ? null : await renderDocument(view);
      return new Response(html, { status: view.status ?? 200, headers });
    }
  }
}

/** Behind https, cookies are only sent over https. */
function makeSecure(headers: Headers): void {
  const cookies = headers.getSetCookie();
  headers.delete("set-cookie");
  for (const cookie of cookies) headers.append("set-cookie", `${cookie}; Secure`);
}
