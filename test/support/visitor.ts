import { expect } from "bun:test";
import type { MemberRole } from "../../src/customers/accounts/accounts.table.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { setPassword } from "../../src/customers/people/passwords.ts";
import { ensurePerson, markStaff } from "../../src/customers/people/people.ts";
import type { Answer, Appliance } from "./appliance.ts";

export interface SitePageAnswer extends Answer {
  html: string;
  /** Target of a redirect. */
  location: string | null;
}

type Fields = Record<string, string | number | Blob>;

/** A browser without scripts: keeps cookies, and sends forms with the token of their page. */
export interface Visitor {
  cookies: Map<string, string>;
  /** The latest `Set-Cookie` headers, by name. */
  setCookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<SitePageAnswer>;
  /** Sends a form of a page, after reading the page for its token, unless the fields have one. */
  post(path: string, fields: Fields, headers?: Record<string, string>): Promise<SitePageAnswer>;
  signIn(email: string, password?: string): Promise<SitePageAnswer>;
  /** The token in the forms that this visitor gets. */
  csrf(path?: string): Promise<string>;
}

export const PASSWORD = "correct horse battery";
const SIGN_IN = "/account/sign-in/";

/** @param appliance an appliance in this process, or something that sends requests to one elsewhere */
export function visitorOf(appliance: Pick<Appliance, "request">, language = "en"): Visitor {
  const cookies = new Map<string, string>();
  const setCookies = new Map<string, string>();

  async function send(path: string, init: RequestInit): Promise<SitePageAnswer> {
    const headers = new Headers({ "accept-language": language, ...init.headers });
    if (cookies.size > 0) {
      headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    }
    const answer = await appliance.request(path, { ...init, headers });
    for (const text of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      setCookies.set(name, text);
      if (value === "" || /max-age=0\b/i.test(text)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const { body } = answer;
    const html = typeof body === "string" ? body : JSON.stringify(body);
    return { ...answer, html, location: answer.headers.get("location") };
  }

  const self: Visitor = {
    cookies,
    setCookies,
    get: (path, headers = {}) => send(path, { headers }),

    async post(path, fields, headers = {}) {
      const all: Fields = { csrf: fields["csrf"] ?? (await self.csrf(path)), ...fields };
      const hasFile = Object.values(all).some((value) => value instanceof Blob);
      const body: FormData | URLSearchParams = hasFile ? new FormData() : new URLSearchParams();
      for (const [name, value] of Object.entries(all)) {
        body.append(name, typeof value === "number" ? String(value) : (value as string));
      }
      return send(path, { method: "POST", body, headers });
    },

    signIn: (email, password = PASSWORD) =>
      self.post(SIGN_IN, { action: "sign-in", email, password }),
    csrf: async (path = SIGN_IN) => csrfIn((await self.get(path)).html),
  };
  return self;
}

/**
 * A visitor of an appliance in another process.
 * @param keepalive false: each request has a connection of its own, which any of several workers may accept
 */
export function remoteVisitor(address: string, keepalive = true): Visitor {
  return visitorOf({
    async request(path, init) {
      const { key: _, ...plain } = init ?? {};
      const response = await fetch(address + path, { ...plain, keepalive, redirect: "manual" });
      const { status, headers } = response;
      return { status, headers, body: await response.text() };
    },
  });
}

/** The form token in a page's source; empty if it has no form. */
export function csrfIn(html: string): string {
  return /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? "";
}

interface SitePerson {
  email: string;
  memberId: number;
  organizationId: number;
}

/** A person with a password, in a new organization or in the given one. */
export async function addPerson(
  { app }: Pick<Appliance, "app">,
  {
    email = "ada@example.com",
    name = email.split("@")[0] ?? "",
    role = "owner" as MemberRole,
    organizationId,
    isStaff = false,
  }: {
    email?: string;
    name?: string;
    role?: MemberRole;
    organizationId?: number;
    isStaff?: boolean;
  } = {},
): Promise<SitePerson> {
  const { accounts, db, clock } = app.domains;
  // The secret only signs cookies, and the first one that a connection is used with stays in use.
  const settings = { secret: "the secret of a test's own appliance" };
  const id =
    organizationId ??
    (await accounts.createOrganization({ name: "Acme", plan: "profi" }, COMMAND_LINE)).id;
  const member = await accounts.addMember({ organizationId: id, email, name, role }, COMMAND_LINE);
  await ensurePerson(db, clock, { settings, email, name });
  await setPassword(db, clock, { settings, email, password: PASSWORD, by: COMMAND_LINE });
  if (isStaff) await markStaff(db, clock, { email, isStaff, by: COMMAND_LINE });
  return { email, memberId: member.id, organizationId: id };
}

/** A visitor who is already signed in. */
export async function signedInVisitor(
  appliance: Appliance,
  email: string,
  language = "en",
): Promise<Visitor> {
  const browser = visitorOf(appliance, language);
  expect((await browser.signIn(email)).status).toBe(303);
  return browser;
}

/** A visitor who is signed in as a new member of the organization. */
export async function signedInMember(
  appliance: Appliance,
  organizationId: number,
  role: MemberRole,
  email: string,
  language = "en",
): Promise<Visitor & { memberId: number }> {
  const { memberId } = await addPerson(appliance, { organizationId, role, email });
  return { ...(await signedInVisitor(appliance, email, language)), memberId };
}

export const STAFF = "boss@example.com";

/** A visitor who is signed in as staff, and owner of an organization. */
export async function staffVisitor(appliance: Appliance, language = "en"): Promise<Visitor> {
  await addPerson(appliance, { email: STAFF, isStaff: true });
  return signedInVisitor(appliance, STAFF, language);
}

/** Chooses the language by the form that is on every page. */
export async function chooseLanguage(visitor: Visitor, to: string): Promise<SitePageAnswer> {
  const csrf = await visitor.csrf("/account/profile/");
  const fields = { csrf, action: "choose-language", to, back: "/account/" };
  return visitor.post("/account/language/", fields);
}

/** Expects the redirect after a change. */
export function expectDone(answer: SitePageAnswer, done: string): void {
  expect({ status: answer.status, location: answer.location }).toEqual({
    status: 303,
    location: expect.stringMatching(new RegExp(`[?&]done=${done}$`)),
  });
}
