import { expect } from "bun:test";
import type { MemberRole } from "../../src/accounts/accounts.table.ts";
import { ensurePerson, setPassword } from "../../src/people/people.ts";
import type { Appliance } from "./appliance.ts";

export interface SitePageAnswer {
  status: number;
  headers: Headers;
  html: string;
  /** Where a redirect leads. */
  location: string | null;
}

/** A browser without script: keeps cookies, sends forms with the token of the page they are on. */
export interface Visitor {
  get(path: string): Promise<SitePageAnswer>;
  /** Sends a form of a page, which is looked at before for its token. */
  post(path: string, fields: Record<string, string | number>): Promise<SitePageAnswer>;
  signIn(email: string, password?: string): Promise<SitePageAnswer>;
}

export const PASSWORD = "correct horse battery";

export function visitor(appliance: Appliance, language = "en"): Visitor {
  const cookies = new Map<string, string>();

  async function request(path: string, init: RequestInit = {}): Promise<SitePageAnswer> {
    const headers = new Headers({ "accept-language": language });
    if (cookies.size > 0) {
      headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    }
    const response = await appliance.app.server.handle(
      new Request(`http://localhost${path}`, { ...init, headers }),
    );
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      const equals = pair.indexOf("=");
      if (/max-age=0/i.test(cookie)) cookies.delete(pair.slice(0, equals));
      else cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    const location = response.headers.get("location");
    const { status } = response;
    return { status, headers: response.headers, html: await response.text(), location };
  }

  const self: Visitor = {
    get: (path) => request(path),

    async post(path, fields) {
      const { html } = await request(path);
      const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? "";
      const body = new URLSearchParams({ csrf });
      for (const [name, value] of Object.entries(fields)) body.set(name, String(value));
      return request(path, { method: "POST", body });
    },

    async signIn(email, password = PASSWORD) {
      const fields = { action: "sign-in", email, password };
      return self.post("/account/sign-in/", fields);
    },
  };
  return self;
}

/** A member who can sign in with `PASSWORD`. @returns their number */
export async function memberWithPassword(
  { app, ports }: Appliance,
  organizationId: number,
  role: MemberRole,
  email: string,
): Promise<number> {
  const { accounts, db } = app.domains;
  const name = email.split("@")[0] ?? "";
  const member = await accounts.addMember({ organizationId, email, name, role });
  // The site's own secret counts where it was used first, and else this one does.
  const settings = { secret: "the sessions of a test" };
  await ensurePerson(db, ports.clock, { settings, email, name });
  await setPassword(db, ports.clock, { settings, email, password: PASSWORD });
  return member.id;
}

/** A visitor who is signed in as a new member of the organization. */
export async function signedInMember(
  appliance: Appliance,
  organizationId: number,
  role: MemberRole,
  email: string,
  language = "en",
): Promise<Visitor & { memberId: number }> {
  const memberId = await memberWithPassword(appliance, organizationId, role, email);
  const browser = visitor(appliance, language);
  const answer = await browser.signIn(email);
  expect(answer.status).toBe(303);
  return { ...browser, memberId };
}
