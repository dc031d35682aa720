import type { MemberRole } from "../../src/accounts/accounts.table.ts";
import { ensurePerson, markStaff, setPassword } from "../../src/people/people.ts";
import type { Answer, Appliance } from "./appliance.ts";

/** Somebody with a browser: keeps cookies, and finds the token of a page's forms. */
export interface Visitor {
  cookies: Map<string, string>;
  /** What `Set-Cookie` said last, by name. */
  setCookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a form of a page; its token is read from that page, unless the fields have one. */
  post(
    path: string,
    fields: Record<string, string | Blob>,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** @returns what signing in answers */
  signIn(email: string, password?: string): Promise<Answer>;
  /** The token of the forms that this visitor is shown. */
  csrf(path?: string): Promise<string>;
}

export const PASSWORD = "correct horse battery";

/** @param appliance one in this process, or what sends requests to one elsewhere */
export function visitorOf(appliance: Pick<Appliance, "request">): Visitor {
  const cookies = new Map<string, string>();
  const setCookies = new Map<string, string>();

  async function send(path: string, init: RequestInit): Promise<Answer> {
    const headers = new Headers(init.headers);
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
    return answer;
  }

  const visitor: Visitor = {
    cookies,
    setCookies,
    get: (path, headers = {}) => send(path, { headers }),

    async post(path, fields, headers = {}) {
      const all = { ...("csrf" in fields ? {} : { csrf: await visitor.csrf(path) }), ...fields };
      const hasFile = Object.values(all).some((value) => typeof value !== "string");
      const body: FormData | URLSearchParams = hasFile ? new FormData() : new URLSearchParams();
      for (const [name, value] of Object.entries(all)) body.append(name, value as string);
      return send(path, { method: "POST", body, headers });
    },

    async signIn(email, password = PASSWORD) {
      return visitor.post("/account/sign-in/", { action: "sign-in", email, password });
    },

    async csrf(path = "/account/sign-in/") {
      const { body } = await visitor.get(path);
      return csrfIn(String(body));
    },
  };
  return visitor;
}

/** Somebody who visits a process of its own. */
export function remoteVisitor(address: string): Visitor {
  return visitorOf({
    async request(path, init) {
      const { key: _, ...plain } = init ?? {};
      const response = await fetch(address + path, { ...plain, redirect: "manual" });
      const { status, headers } = response;
      return { status, headers, body: await response.text() };
    },
  });
}

/** The token in a page's source; empty where it has no form. */
export function csrfIn(html: string): string {
  return /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? "";
}

export interface SitePerson {
  email: string;
  memberId: number;
  organizationId: number;
}

/** A person with a password, in an organization of their own or in the one given. */
export async function addPerson(
  { app }: Appliance,
  {
    email = "ada@example.com",
    name = "Ada",
    role = "owner" as MemberRole,
    organizationId,
    isStaff = false,
    password = PASSWORD,
  }: {
    email?: string;
    name?: string;
    role?: MemberRole;
    organizationId?: number;
    isStaff?: boolean;
    password?: string;
  } = {},
): Promise<SitePerson> {
  const { accounts, db, clock } = app.domains;
  // Signs cookies only, and of this database's connection in one place only.
  const settings = { secret: "the secret of a test's own appliance" };
  const id =
    organizationId ?? (await accounts.createOrganization({ name: "Acme", plan: "profi" })).id;
  const member = await accounts.addMember({ organizationId: id, email, name, role });
  await ensurePerson(db, clock, { settings, email, name });
  await setPassword(db, clock, { settings, email, password });
  if (isStaff) await markStaff(db, clock, { email, isStaff });
  return { email, memberId: member.id, organizationId: id };
}

/** A visitor who is signed in already. */
export async function signedInVisitor(appliance: Appliance, email: string): Promise<Visitor> {
  const visitor = visitorOf(appliance);
  await visitor.signIn(email);
  return visitor;
}
