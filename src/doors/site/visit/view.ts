import type { JSX } from "hono/jsx/jsx-runtime";
import type { Picture } from "../../../values/picture.ts";
import { useVisit } from "./use-visit.ts";
import type { Visit } from "./visit.ts";

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
