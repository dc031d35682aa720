import { UPLOAD_MAX_S } from "../../../catalog/imports/runs/upload-files.ts";
import { AppError, toAppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import { takesForm } from "../../../values/takes.ts";
import type { Body } from "../../front/body.ts";
import { isSameToken } from "../guard/csrf.ts";
import { requireTurn } from "../guard/throttle.ts";
import { ONCE, showsFaults } from "../look/form.tsx";
import { messagePage, statusOf } from "../pages/message.tsx";
import { signInView } from "../pages/person/sign-in.tsx";
import type { SiteContext } from "../site-context.ts";
import type { SitePage } from "../site-pages.ts";
import { refusal } from "../visit/viewer.ts";
import type { Form, View, Visit } from "../visit/visit.ts";
import { EMPTY_FORM, formLostPath, forVisit, redirect, renderedFor } from "../visit/visit.ts";
import { cutFaults, errorMessages, pageError } from "./faults.ts";
import { isOfOtherOrganization, otherOrganization, readForm } from "./read-form.ts";

/** A page, and the visit it is rendered for. */
export interface Answer {
  visit: Visit;
  view: View;
}

/** Handles a submitted form; if anything is wrong with it, shows its page again with the faults. */
export async function takeForm(
  sitePage: SitePage,
  visit: Visit,
  body: Body,
  context: SiteContext,
): Promise<Answer> {
  requireOwnOrigin(visit);
  const refused = refusal(sitePage, visit);
  // The body is not read if the visitor is refused.
  if (refused !== null) {
    return visit.signedIn === null ? askToSignIn(visit) : { visit, view: refused };
  }
  const { oneClick } = sitePage;
  // A mail program's own button (RFC 8058) has only the secret that is in the address.
  const isOneClick = (form: Form): boolean =>
    oneClick !== undefined && form.get("List-Unsubscribe") === "One-Click";
  const isOurs = (form: Form): boolean =>
    isOneClick(form) || isSameToken(form.get("csrf"), visit.csrf);
  const { takes = takesForm() } = sitePage;
  if (takes.as === "file") context.giveTime(visit.request, UPLOAD_MAX_S);
  const { newPath } = context.imports.files;
  const { form, discard } = await readForm(visit.request, body, takes, {
    newPath,
    isAllowed: isOurs,
  });
  try {
    const sent = { ...visit, form };
    return await forVisit(sent, context, () => {
      if (!isOurs(form)) return staleForm(sitePage, sent, context);
      if (isOfOtherOrganization(sitePage, visit, form)) {
        return showAgain(sitePage, sent, otherOrganization(visit), context);
      }
      const action = isOneClick(form) ? oneClick : form.get("action");
      return runAction(sitePage, action ?? "", sent, context);
    });
  } finally {
    discard();
  }
}

/** The sign-in page, which leads back to the form's page. */
async function askToSignIn(visit: Visit): Promise<Answer> {
  const view = await signInView(formLostPath(visit.path));
  return { visit: { ...visit, notice: visit.words.sessionEnded }, view };
}

/** Shows the page again for a form of another session, or of a page that was open too long. */
async function staleForm(sitePage: SitePage, sent: Visit, context: SiteContext): Promise<Answer> {
  const { form, signedIn, words } = sent;
  if (signedIn === null && form.get("action") === "sign-out") {
    return { visit: sent, view: redirect("/account/sign-in/") };
  }
  const hasPassword = form.filledIn().some((name) => /password/i.test(name));
  const notice = hasPassword ? words.typeAgain : words.sendAgain;
  const visit = { ...sent, notice };
  const view = await forVisit(visit, context, () => sitePage.show(visit, context));
  // The page only redirects, as sign-in does for somebody signed in, so the notice gets a page of its own.
  if (view.kind !== "page") {
    return { visit: sent, view: messagePage(pageError("conflict", notice)) };
  }
  return { visit, view: { ...view, status: 409 } };
}

async function runAction(
  sitePage: SitePage,
  name: string,
  sent: Visit,
  context: SiteContext,
): Promise<Answer> {
  const action = actionOf(sitePage, name);
  const number = sent.form.get(ONCE);
  const sentOnce = `${sent.csrf} ${name} ${number}`;
  if (number !== "" && !context.sentForms.take(sentOnce)) {
    const error = pageError("conflict", sent.words.sentAlready);
    return showAgain(sitePage, sent, error, context);
  }
  try {
    if (action === undefined) {
      throw new AppError("not_found", message("formGone"));
    }
    const { membership, signedIn } = sent;
    if (signedIn !== null) {
      requireTurn([`change ${membership?.organization.id ?? signedIn.person.email}`]);
    }
    const view = await action(sent, context);
    context.sentForms.keep(sentOnce);
    return { visit: sent, view };
  } catch (thrown) {
    context.sentForms.giveBack(sentOnce);
    const error = toAppError(thrown);
    if (error.code === "internal") throw error;
    logCause(error, sent, context);
    return showAgain(sitePage, sent, error, context);
  }
}

function actionOf({ actions = {}, actionsOf = {} }: SitePage, name: string) {
  if (Object.hasOwn(actions, name)) return actions[name];
  const [, does = "", of = ""] = /^(\w+)-(.+)$/.exec(name) ?? [];
  const handler = Object.hasOwn(actionsOf, does) ? actionsOf[does] : undefined;
  return handler && (() => handler(of));
}

/**
 * Shows the page again with what was typed and what is wrong with it. Faults that no form shows go into the
 * notice at the top.
 */
async function showAgain(
  sitePage: SitePage,
  sent: Visit,
  error: AppError,
  context: SiteContext,
): Promise<Answer> {
  const faults = cutFaults(errorMessages(sent.language, error));
  const visit = { ...sent, form: EMPTY_FORM };
  const again = { ...sent, faults };
  const view = await renderedFor(again, context, async () => {
    try {
      return await sitePage.show(again, context);
    } catch (thrown) {
      if (toAppError(thrown).code !== "not_found") throw thrown;
      // The thing that the form would change no longer exists.
      return messagePage(error);
    }
  });
  if (view.kind !== "page") return { visit, view };
  const notice = showsFaults(String(view.body)) ? null : Object.values(faults).flat().join(" ");
  return { visit: { ...visit, notice }, view: { ...view, ...statusOf(error) } };
}

/**
 * Refuses a form from another site, according to the browser's Origin; it is not even shown again. Compares
 * hosts only, since a proxy that speaks https may not reveal that.
 */
function requireOwnOrigin({ request, ownAddress }: Visit): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const host = URL.canParse(origin) ? new URL(origin).host : null;
  if (host === new URL(ownAddress).host || host === new URL(request.url).host) return;
  throw new AppError("origin_not_allowed", message("formOfElsewhere"));
}

/** Logs an error's cause with the path, but without the query, which may contain a link's token. */
export function logCause({ cause, detail }: AppError, visit: Visit, { ports }: SiteContext): void {
  if (cause === undefined) return;
  const { requestId, path } = visit;
  ports.log.error({ err: cause, requestId, path: path.split("?")[0] }, detail);
}
