import { AsyncLocalStorage } from "node:async_hooks";
import { raw } from "hono/html";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Membership } from "../../../customers/accounts/accounts.ts";
import type { SignedIn } from "../../../customers/people/sessions.ts";
import type { FieldErrors } from "../../../errors.ts";
import type { Language } from "../../../values/messages/messages.ts";
import type { Picture } from "../../../values/picture.ts";
import type { Words } from "../../../words/words.ts";
import type { SiteContext } from "../site-context.ts";

/** A request for a page, with everything that pages need to know about it. */
export interface Visit {
  request: Request;
  /** Id by which the log identifies it. */
  requestId: string;
  /** The client's IP, and the network that the throttle counts by. */
  clientIp: string;
  network: string;
  /** Path and query, relative to the site's root. */
  path: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The submitted form; empty for a GET. */
  form: Form;
  /** Faults of the form, by field. */
  faults: FieldErrors;
  language: Language;
  words: Words;
  /** Token for the hidden field of every form. */
  csrf: string;
  nowMs: number;
  /** The appliance's address as the visitor sees it, without a trailing slash. */
  ownAddress: string;
  /** Address for links in mails, which no visitor can influence. */
  baseAddress: string;
  /** The operator's name for the appliance. */
  brand: string;
  /** Shown at the top of the page; null for nothing. */
  notice: string | null;
  signedIn: SignedIn | null;
  /** Numbers of the sample's channels. */
  sample: readonly number[];
  memberships: readonly Membership[];
  /** Membership in the organization whose pages are shown. */
  membership: Membership | null;
}

/** An uploaded file, which is removed when the form has been answered. */
export interface UploadedFile {
  /** Its name on the visitor's machine, as pages show it. */
  name: string;
  path: string;
  bytes: number;
}

export interface Form {
  get(name: string): string;
  isChecked(name: string): boolean;
  file(name: string): UploadedFile | null;
  /** Names of the fields that were filled in. */
  filledIn(): string[];
}

export const EMPTY_FORM: Form = formOf(new Map());

/** Creates a form with these fields; fields and files may be added while it is being read. */
export function formOf(
  fields: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, UploadedFile> = new Map(),
): Form {
  return {
    get: (name) => fields.get(name) ?? "",
    isChecked: (name) => fields.get(name) === "yes",
    file: (name) => files.get(name) ?? null,
    filledIn: () => [...fields].flatMap(([name, value]) => (value === "" ? [] : [name])),
  };
}

interface Rendering {
  visit: Visit;
  context: SiteContext;
}

/**
 * What pages are rendered for. The contexts of hono/jsx keep requests apart too, but while a part with a
 * value of its own awaits something, the parts beside it find that value.
 */
const rendering = new AsyncLocalStorage<Rendering>();

/** Does something for a visit, such as rendering a page: whatever it calls or awaits finds the visit. */
export function forVisit<T>(visit: Visit, context: SiteContext, work: () => T): T {
  return rendering.run({ visit, context }, work);
}

/** What a page shows, with its body already rendered for a visit that the rest of the page does not have. */
export function renderedFor(
  visit: Visit,
  context: SiteContext,
  show: () => View | Promise<View>,
): Promise<View> {
  return forVisit(visit, context, async () => {
    const view = await show();
    return view.kind === "page" ? { ...view, body: raw(await view.body.toString()) } : view;
  });
}

/** The visit that the page is rendered for. */
export function useVisit(): Visit {
  return current().visit;
}

export function useSite(): SiteContext {
  return current().context;
}

function current(): Rendering {
  const found = rendering.getStore();
  if (found === undefined) throw new Error("a part of a page was rendered for no visit");
  return found;
}

export interface PageView {
  kind: "page";
  title: string;
  /** Replaces the heading that shows the title. */
  heading?: JSX.Element;
  body: JSX.Element;
  status?: number;
  setCookies?: string[];
  headers?: Record<string, string>;
}

export type View =
  | PageView
  | { kind: "redirect"; to: string; setCookies?: string[] }
  | { kind: "json"; value: unknown }
  /** Null gives a 404 with an empty picture. */
  | { kind: "picture"; picture: Picture | null }
  | { kind: "download"; fileName: string; type: string; body: ReadableStream<Uint8Array> };

export function page(
  title: string,
  body: JSX.Element,
  more: Omit<PageView, "kind" | "title" | "body"> = {},
): PageView {
  return { kind: "page", title, body, ...more };
}

/** @param to a path of the site, such as `/account/keys/` */
export function redirect(to: string, setCookies: string[] = []): View {
  return { kind: "redirect", to, setCookies };
}

/** Query parameter saying that the page's form was not read because its sender had to sign in first. */
export const FORM_LOST = "form-lost";

/** @param path of the page, such as `/account/keys/?a=b` */
export function formLostPath(path: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${FORM_LOST}`;
}

/** The path if it is one of the site, otherwise the first page: other addresses would lead people away. */
export function ownPath(path: string): string {
  return parseOwnPath(path) ?? "/account/";
}

/** @returns the path as a browser would resolve it, or null if it leads elsewhere */
export function parseOwnPath(path: string): string | null {
  const site = "http://site.invalid";
  if (!path.startsWith("/") || !URL.canParse(path, site)) return null;
  const { origin, pathname, search } = new URL(path, site);
  return origin === site && /^\/(account|staff)\/(?!\/)/.test(pathname) ? pathname + search : null;
}

export const ORGANIZATION_COOKIE = "kanalog.organization";

const YEAR_S = 365 * 24 * 60 * 60;

/** A cookie of the site; `Secure` is added behind https. */
export function siteCookie(name: string, value: string): string {
  return `${name}=${value}; Max-Age=${YEAR_S}; Path=/; HttpOnly; SameSite=Lax`;
}

/** Address of one of our paths as the visitor sees it: a proxy may have removed a prefix. */
export function asset(
  path: string,
  { ownAddress }: Pick<Visit, "ownAddress"> = useVisit(),
): string {
  return `${new URL(ownAddress).pathname.replace(/\/$/, "")}${path}`;
}
