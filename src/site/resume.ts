import { notFound } from "../errors.ts";
import { isOfOtherOrganization, otherOrganization } from "./form-organization.ts";
import { notFoundPage } from "./pages/message.tsx";
import { showOrSay } from "./show-or-say.ts";
import type { SiteContext } from "./site-context.ts";
import { type SitePage, sitePages } from "./site-pages.ts";
import { startVisit } from "./start-visit.ts";
import type { Answer } from "./take-form.ts";
import type { Resume } from "./view.ts";
import { refusal } from "./viewer.ts";
import { formOf, readCookies, type Visit } from "./visit.ts";

/**
 * The page of a form that was sent after its session had ended, for who just signed in again: with
 * what was typed, and nothing done until it is sent once more.
 */
export async function resume(
  { kept, setCookies }: Resume,
  before: Visit,
  context: SiteContext,
): Promise<Answer> {
  const cookies = readCookies(before.request);
  for (const cookie of setCookies) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    cookies.set(name, value);
  }
  const headers = new Headers(before.request.headers);
  headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
  const url = new URL(kept.path, before.request.url);
  const { sitePage, params } = pageAt(url.pathname);
  const request = new Request(url.href, { headers });
  const started = await startVisit(request, params, context, []);
  const form = formOf(Object.entries(kept.fields));
  const isOther = sitePage !== null && isOfOtherOrganization(sitePage, started, form);
  const other = isOther ? otherOrganization(started) : null;
  const visit = { ...started, form, notice: other?.detail ?? started.words.resumed };
  const view =
    sitePage === null
      ? notFoundPage(visit)
      : (refusal(sitePage, visit) ??
        (await showOrSay(sitePage, visit, context, notFound("The page"))));
  return { visit, view: view.kind === "json" ? view : { ...view, setCookies } };
}

/** The page at a path, with the path's own parameters. */
function pageAt(path: string): { sitePage: SitePage | null; params: Record<string, string> } {
  for (const sitePage of sitePages) {
    const pattern = `^${sitePage.path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`;
    const found = new RegExp(pattern).exec(path);
    if (found !== null) return { sitePage, params: { ...found.groups } };
  }
  return { sitePage: null, params: {} };
}
