import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { sitePages } from "../../../src/doors/site/site-pages.ts";
import { ownPath, parseOwnPath } from "../../../src/doors/site/visit/visit.ts";
import { languageOf } from "../../../src/values/messages/messages.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { addPerson, csrfIn, PASSWORD, signedInVisitor, visitorOf } from "../../support/visitor.ts";

/** Rules for every page of the site. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const concrete = (path: string): string => path.replace(/:\w+/g, "1");
const PATHS = sitePages.map(({ path, access }) => ({ path: concrete(path), access }));
const PROFILE = "/account/profile/";
const CHANGE = { action: "change-password", password: "old", newPassword: "new" };

/** Where signing in on this page leads. */
const nextIn = (html: string): string =>
  unescaped(/name="next" value="([^"]*)"/.exec(html)?.[1] ?? "");

function expectGuarded(headers: Headers, of: string): void {
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy, of).toContain("default-src 'none'");
  expect(policy, of).toContain("script-src 'self';");
  expect(policy, of).toContain("style-src 'self';");
  expect(policy, of).toContain("frame-ancestors 'none'");
  expect(policy, of).toContain("base-uri 'none'");
  expect(policy, of).toContain("form-action 'self'");
  expect(policy, of).not.toMatch(/unsafe|\*|https?:/);
  expect(headers.get("x-content-type-options"), of).toBe("nosniff");
  expect(headers.get("referrer-policy"), of).toBe("same-origin");
  expect(headers.get("x-request-id"), of).toMatch(/^[\w.-]{1,64}$/);
}

describe("every page", () => {
  test("only shows strangers a way to sign in, except for public pages", async () => {
    const stranger = visitorOf(appliance);
    for (const { path, access } of PATHS) {
      if (access === "anybody") continue;
      const { status, headers, body } = await stranger.get(`${path}?days=7`);
      expect(status, path).toBe(303);
      const back = encodeURIComponent(`${path}?days=7`);
      expect(headers.get("location"), path).toBe(`/account/sign-in/?next=${back}`);
      expect(body).toBe("");
    }
  });

  test("shows the request's id after an unexpected failure, and links onwards", async () => {
    await addPerson(appliance);
    const owner = await signedInVisitor(appliance, "ada@example.com");
    appliance.app.domains.db.exec("ALTER TABLE webhooks RENAME TO gone");
    const { status, html, headers } = await owner.get("/account/webhooks/");
    expect(status).toBe(500);
    const id = headers.get("x-request-id");
    expect(html).toContain(`by the request number: <code>${id}</code>`);
    expect(html).toContain('<a href="/account/">Overview</a></p>');
    expect(appliance.ports.log.errors).toMatchObject([{ fields: { requestId: id } }]);
  });

  test("is not found for others if it is staff's; an organization's redirects non-members to the profile", async () => {
    await addPerson(appliance, { email: "owner@example.com" });
    const { memberId } = await addPerson(appliance, { email: "none@example.com" });
    await appliance.app.domains.accounts.suspendMember(memberId, COMMAND_LINE);
    const owner = await signedInVisitor(appliance, "owner@example.com");
    const none = await signedInVisitor(appliance, "none@example.com");
    const csrf = await owner.csrf(PROFILE);
    for (const { path, access } of PATHS) {
      if (access === "staff") {
        expect((await owner.get(path)).status, path).toBe(404);
        expect((await owner.post(path, { csrf, action: "x" })).status, path).toBe(404);
      }
      if (access === "member" || access === "manager") {
        expect((await none.get(path)).headers.get("location"), path).toBe(PROFILE);
      }
    }
  });

  test("is not found for members if it is for owners and administrators", async () => {
    const { organizationId } = await addPerson(appliance, { email: "owner@example.com" });
    await addPerson(appliance, { email: "m@example.com", role: "member", organizationId });
    const member = await signedInVisitor(appliance, "m@example.com");
    for (const { path, access } of PATHS.filter(({ access }) => access === "manager")) {
      expect((await member.get(path)).status, `${path} ${access}`).toBe(404);
    }
  });

  test("has the security headers, whatever it answers", async () => {
    await addPerson(appliance, { isStaff: true });
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    for (const { path } of PATHS) {
      for (const who of [visitor, visitorOf(appliance)]) {
        const { headers } = await who.get(path);
        expectGuarded(headers, path);
        expect(headers.get("cache-control"), path).toBe("no-store");
        expectGuarded((await who.get(path.slice(0, -1))).headers, path);
        expectGuarded((await who.post(path, { csrf: "x", action: "x" })).headers, path);
        const foreign = { origin: "https://evil.example" };
        expectGuarded((await who.post(path, { csrf: "x" }, foreign)).headers, path);
      }
    }
    expectGuarded((await visitor.get("/account/nothing/")).headers, "nothing");
  });

  test("has no inline script or style, one heading, a language, and no other host", async () => {
    await addPerson(appliance, { isStaff: true });
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    for (const { path } of PATHS) {
      const { body, headers, status } = await visitor.get(path);
      // The documentation's script is answered JSON.
      if (status === 303 || headers.get("content-type")?.startsWith("application/json")) continue;
      expect(body, path).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/i);
      expect(body, path).toMatch(/^<!doctype html><html lang="en">/);
      expect(body.match(/<h1>/g), path).toHaveLength(1);
      expect(body.match(/(?:src|action|<link[^>]* href)="https?:/g), path).toBeNull();
    }
  });

  test("answers HEAD as GET, without a body", async () => {
    await addPerson(appliance, { isStaff: true });
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    for (const { path } of PATHS) {
      const [head, get] = [
        await appliance.request(path, { method: "HEAD", headers: { cookie } }),
        await appliance.request(path, { headers: { cookie } }),
      ];
      expect(head.status, path).toBe(get.status);
      expect(head.body, path).toBe("");
      expect(head.headers.get("location"), path).toBe(get.headers.get("location"));
    }
  });

  test("redirects from its address without the slash, behind a prefix too", async () => {
    expect((await visitorOf(appliance).get("/account/keys?x=1")).status).toBeOneOf([301, 404]);
    await appliance.close();
    appliance = await startAppliance({ KANALOG_BASE_URL: "https://example.com/kanalog" });
    const visitor = visitorOf(appliance);
    const redirected = await visitor.get("/account/profile?x=1");
    expect(redirected.status).toBe(301);
    expect(redirected.headers.get("location")).toBe("/kanalog/account/profile/?x=1");
    const { body } = await visitor.get("/account/sign-in/");
    for (const [, address] of body.matchAll(/(?:href|src|action)="([^"#]*)"/g)) {
      expect(address).toMatch(/^\/kanalog\//);
    }
  });

  test("says so if it does not exist, for every verb", async () => {
    await addPerson(appliance);
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    for (const path of [
      "/account/nothing/",
      "/staff/nothing",
      "/account/profile/x/",
      "/account//",
    ]) {
      for (const method of ["GET", "POST", "PUT", "DELETE"]) {
        const answer = await appliance.request(path, { method });
        expect(answer.status, `${method} ${path}`).toBe(404);
        expect(answer.headers.get("content-type")).toStartWith("text/html");
      }
      expect((await visitor.get(path)).body).toContain("<h1>Not found</h1>");
    }
  });

  test("accepts its verbs, and names them to others", async () => {
    await addPerson(appliance, { isStaff: true });
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    for (const [method, path, allow] of [
      ["POST", "/staff/errors/", "GET, HEAD"],
      ["POST", "/account/compare/", "GET, HEAD"],
      ["DELETE", "/account/trending/", "GET, HEAD"],
      ["PUT", PROFILE, "GET, HEAD, POST"],
      ["PATCH", "/account/sign-in/", "GET, HEAD, POST"],
    ] as const) {
      const answer = await appliance.request(path, { method, headers: { cookie } });
      expect(answer.status, path).toBe(405);
      expect(answer.headers.get("allow")).toBe(allow);
      expect(answer.body).toContain("This page does not accept forms.");
    }
  });

  test("loads assets with the same headers, which answer HEAD too", async () => {
    for (const name of ["site.css", "site.js", "uplot.css", "uplot.js"]) {
      const get = await appliance.request(`/account/assets/${name}`);
      expect(get.status).toBe(200);
      expectGuarded(get.headers, name);
      const head = await appliance.request(`/account/assets/${name}`, { method: "HEAD" });
      expect([head.status, head.body]).toEqual([200, ""]);
    }
  });

  test("mentions the set-up address while nobody can sign in", async () => {
    const redirected = await visitorOf(appliance).get("/account/");
    const before = await visitorOf(appliance).get(redirected.headers.get("location") ?? "");
    expect(before.body).toContain("an address for setting it up");
    await addPerson(appliance);
    expect((await visitorOf(appliance).get("/account/sign-in/")).body).not.toContain(
      "setting it up",
    );
  });
});

describe("a form", () => {
  test("without a token, or with one of another browser or session, does nothing and is shown again", async () => {
    await addPerson(appliance);
    await addPerson(appliance, { email: "bob@example.com" });
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    const before = await visitorOf(appliance).csrf();
    const bob = await signedInVisitor(appliance, "bob@example.com");
    const other = await signedInVisitor(appliance, "ada@example.com");
    for (const csrf of ["", "x", before, await bob.csrf(PROFILE), await other.csrf(PROFILE)]) {
      const sent = { csrf, action: "create", name: "typed", access: "read_write" };
      const answer = await visitor.post("/account/keys/", sent);
      expect(answer.status, csrf).toBe(409);
      expect(answer.body).toContain("The page was open for too long");
      expect(answer.body).toContain('name="name" value="typed"');
      expect(answer.body).toContain('<option value="read_write" selected="">');
      expect(answer.body).toContain("No keys yet.");
    }
  });

  test("from before signing in is not accepted afterwards", async () => {
    await addPerson(appliance);
    const visitor = visitorOf(appliance);
    const csrf = await visitor.csrf();
    await visitor.signIn("ada@example.com");
    const answer = await visitor.post("/account/sign-in/", { csrf, action: "sign-out" });
    expect(answer.status).toBe(409);
    expect(answer.body).toContain("The page was open for too long");
    expect((await visitor.get(PROFILE)).status).toBe(200);
  });

  test("from another site is refused, and not even shown again", async () => {
    await addPerson(appliance);
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    const csrf = await visitor.csrf(PROFILE);
    for (const origin of ["https://evil.example", "null", "http://localhost.evil.example", "x"]) {
      const sent = { csrf, action: "sign-out", typed: "something" };
      const answer = await visitor.post("/account/sign-in/", sent, { origin });
      expect(answer.status, origin).toBe(403);
      expect(answer.body).not.toContain("something");
    }
    expect((await visitor.get(PROFILE)).status).toBe(200);
    const own = { csrf, action: "sign-out" };
    const answer = await visitor.post("/account/sign-in/", own, { origin: "http://localhost" });
    expect(answer.status).toBe(303);
  });

  test("is accepted from the appliance's own address, through a proxy too", async () => {
    await appliance.close();
    appliance = await startAppliance({ KANALOG_BASE_URL: "https://kanalog.example" });
    await addPerson(appliance);
    for (const origin of ["https://kanalog.example", "http://localhost", "https://localhost"]) {
      const answer = await visitorOf(appliance).post(
        "/account/sign-in/",
        { action: "sign-in", email: "ada@example.com", password: PASSWORD },
        { origin },
      );
      expect(answer.status, origin).toBe(303);
    }
  });

  test("is accepted from the address of a trusted proxy, with Secure cookies behind https", async () => {
    await appliance.close();
    appliance = await startAppliance({ KANALOG_TRUST_PROXY: "true", KANALOG_PORT: "0" });
    appliance.app.listen();
    await addPerson(appliance);
    const forwarded = { "x-forwarded-host": "data.example.com", "x-forwarded-proto": "https" };
    const fields = { action: "sign-in", email: "ada@example.com", password: PASSWORD };
    const visitor = visitorOf(appliance);
    const origin = "https://data.example.com";
    const answer = await visitor.post("/account/sign-in/", fields, { ...forwarded, origin });
    expect(answer.status).toBe(303);
    expect(visitor.setCookies.get("kanalog.session_token")).toMatch(/; Secure$/);
    const evil = { ...forwarded, origin: "https://evil.example" };
    expect((await visitor.post("/account/sign-in/", fields, evil)).status).toBe(403);
    // Without a trusted proxy, the header has no effect.
    await appliance.close();
    appliance = await startAppliance({});
    const other = visitorOf(appliance);
    const refused = await other.post("/account/sign-in/", fields, { ...forwarded, origin });
    expect(refused.status).toBe(403);
    await other.get("/account/sign-in/", forwarded);
    expect(other.setCookies.get("kanalog.form")).not.toMatch(/Secure/);
  });

  test("that was sent again does not repeat an earlier form's confirmation", async () => {
    await addPerson(appliance);
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    const done = `${PROFILE}?done=password`;
    expect((await visitor.get(done)).body).toContain("The password was changed.");
    const answer = await visitor.post(done, { ...CHANGE, password: "x", newPassword: "x" });
    expect(answer.status).toBe(400);
    expect(answer.body).not.toContain("The password was changed.");
  });

  test("switches the organization, which a link cannot", async () => {
    const { accounts } = appliance.app.domains;
    await addPerson(appliance);
    const other = await accounts.createOrganization({ name: "Other", plan: "test" }, COMMAND_LINE);
    const place = { organizationId: other.id, email: "ada@example.com", name: "" } as const;
    await accounts.addMember({ ...place, role: "member" }, COMMAND_LINE);
    const foreign = await accounts.createOrganization(
      { name: "Foreign", plan: "test" },
      COMMAND_LINE,
    );
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    const shown = async () =>
      /Organization: <bdi>([^<]*)/.exec((await visitor.get("/account/")).body)?.[1];
    expect(await shown()).toBe("Acme");
    await visitor.get(`/account/organization/?id=${other.id}`);
    await visitor.get(`/account/?organization=${other.id}`);
    expect(await shown()).toBe("Acme");
    const fields = { action: "switch-organization", organization: String(other.id) };
    expect((await visitor.post("/account/", { ...fields, csrf: "x" })).status).toBe(409);
    expect(await shown()).toBe("Acme");
    expect((await visitor.post("/account/", fields)).headers.get("location")).toBe("/account/");
    expect(await shown()).toBe("Other");
    const stranger = { ...fields, organization: String(foreign.id) };
    expect((await visitor.post("/account/", stranger)).status).toBe(404);
    expect(await shown()).toBe("Other");
  });

  test("only acts on the organization that its page was rendered for", async () => {
    const { accounts, keys } = appliance.app.domains;
    await addPerson(appliance);
    const other = await accounts.createOrganization({ name: "Other", plan: "test" }, COMMAND_LINE);
    const place = { organizationId: other.id, email: "ada@example.com", name: "Ada" } as const;
    await accounts.addMember({ ...place, role: "member" }, COMMAND_LINE);
    const made = async () => [...(await keys.keys(1)), ...(await keys.keys(other.id))];
    for (const [language, expected] of [
      ["en", "It now shows Other"],
      ["ru", "Теперь показана организация Other"],
    ] as const) {
      const visitor = await signedInVisitor(appliance, "ada@example.com", language);
      const html: string = (await visitor.get("/account/keys/")).body;
      const [, drawnFor = ""] = /name="drawn-for" value="(\d+)"/.exec(html) ?? [];
      const typed = { action: "create", name: "nightly export", access: "read_only" };
      const sent = { csrf: csrfIn(html), "drawn-for": drawnFor, ...typed };
      const change = { action: "switch-organization", "drawn-for": drawnFor };
      await visitor.post("/account/", { ...change, organization: String(other.id) });

      const refused = await visitor.post("/account/keys/", sent);
      expect(refused.status).toBe(409);
      expect(refused.body).toContain(expected);
      expect(refused.body).toContain('value="nightly export"');
      expect(refused.body).toContain(`name="drawn-for" value="${other.id}"`);
      // The current organization has no such page.
      const gone = await visitor.post("/account/webhooks/1/", { ...sent, action: "delete" });
      expect(gone.status).toBe(409);
      expect(gone.body).toContain(expected);
      expect(await made()).toEqual([]);
    }
  });

  test("with a password, sent too late, is shown again with everything except the password", async () => {
    await addPerson(appliance);
    const answer = await visitorOf(appliance).post("/account/sign-in/", {
      ...{ csrf: "stale", action: "sign-in", email: "ada@example.com", password: PASSWORD },
    });
    expect(answer.status).toBe(409);
    expect(answer.body).toContain("<h1>Sign in</h1>");
    expect(answer.body).toContain('value="ada@example.com"');
    expect(answer.body).not.toContain(PASSWORD);
  });

  test("for signing out leads to sign-in if the session has already ended", async () => {
    const sent = { csrf: "stale", action: "sign-out" };
    const answer = await visitorOf(appliance).post("/account/sign-in/", sent);
    expect(answer.headers.get("location")).toBe("/account/sign-in/");
  });

  test("with an unknown action is not found", async () => {
    await addPerson(appliance);
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    for (const action of [
      "",
      "nothing",
      "constructor",
      "toString",
      "__proto__",
      "hasOwnProperty",
    ]) {
      const answer = await visitor.post(PROFILE, { action });
      expect(answer.status, action).toBe(404);
      expect(answer.body, action).toContain("This form no longer exists.");
    }
    expect(appliance.ports.log.errors).toEqual([]);
  });
});

describe("a form of an ended session", () => {
  test("leads to sign-in and back, says that it was not sent, and does nothing", async () => {
    await addPerson(appliance, { isStaff: true });
    for (const [language, ended, lost, title] of [
      [
        "en",
        "Your session has ended, and what you typed was not sent.",
        "type it again",
        "Organizations",
      ],
      ["ru", "Сеанс закончился, и введённое не отправлено.", "введите его ещё раз", "Организации"],
    ] as const) {
      const visitor = await signedInVisitor(appliance, "ada@example.com", language);
      const csrf = await visitor.csrf(PROFILE);
      visitor.cookies.delete("kanalog.session_token");
      const typed = { action: "create", name: "typed name", plan: "growth" };
      const path = "/staff/organizations/?q=b+c&d=%D0%B6";
      const answer = await visitor.post(path, { csrf, ...typed });
      expect(answer.body).toContain(ended);
      expect(answer.body).not.toContain(typed.name);

      const next = nextIn(answer.body);
      const form = { csrf: csrfIn(answer.body), action: "sign-in", email: "ada@example.com", next };
      const wrong = await visitor.post("/account/sign-in/", { ...form, password: "wrong wrong" });
      expect(wrong.status).toBe(400);
      expect(nextIn(wrong.body)).toBe(next);
      const signedIn = await visitor.post("/account/sign-in/", { ...form, password: PASSWORD });
      const back = await visitor.get(signedIn.location ?? "");
      expect(back.body).toContain(`<h1>${title}</h1>`);
      expect(back.body).toContain(lost);
      // Said once: forms on this page lead to its address without it.
      expect(back.body).toContain('action="/staff/organizations/?q=b+c&amp;d=%D0%B6"');
    }
    expect(await appliance.app.domains.accounts.organizations()).toHaveLength(1);
  });

  test("leads back to pages of the site only", async () => {
    const visitor = visitorOf(appliance);
    const csrf = await visitor.csrf();
    for (const path of ["/account//evil.example/", "/account/keys/?next=//evil.example/"]) {
      const { body } = await visitor.post(path, { ...CHANGE, csrf });
      expect(ownPath(nextIn(body))).toMatch(/^\/account\/(keys\/\?next=%2F%2Fevil|$)/);
    }
  });
});

describe("the destination after signing in", () => {
  test("is a page of the site, whatever the link says", () => {
    for (const path of [
      "/account/",
      "/staff/imports/?a=b+c",
      "/account/channels/?q=%D0%B6&x=a,b:c@d",
      "/account/keys/?done=1",
    ]) {
      expect(parseOwnPath(path)).toBe(path);
    }
    for (const path of [
      "",
      "account/",
      "//evil.example/account/",
      "/\\evil.example/account/",
      "/\t/evil.example/account/",
      "https://evil.example/account/",
      "javascript:alert(1)//account/",
      "/v1/me/",
      "/account/../v1/me/",
      "/account/..//evil.example/",
      "/account//evil.example",
      "/accounts/",
    ]) {
      expect(parseOwnPath(path), path).toBeNull();
    }
    expect(parseOwnPath("/account/\r\nset-cookie: a=b")).not.toMatch(/[\r\n]/);
  });

  test("is the page that was requested", async () => {
    await addPerson(appliance);
    const visitor = visitorOf(appliance);
    const redirected = await visitor.get("/account/profile/?a=b+c");
    const { body } = await visitor.get(redirected.headers.get("location") ?? "");
    const next = nextIn(body);
    const answer = await visitor.post("/account/sign-in/", {
      ...{ action: "sign-in", email: "ada@example.com", password: PASSWORD, next },
    });
    expect(answer.headers.get("location")).toBe("/account/profile/?a=b+c");
    for (const [path, query] of [
      ["language", "to=ru&back="],
      ["language", "to=en&back="],
    ] as const) {
      const evil = encodeURIComponent("//evil.example/");
      const switched = await visitor.get(`/account/${path}/?${query}${evil}`);
      expect(switched.headers.get("location")).toBe("/account/");
    }
  });
});

describe("the language", () => {
  test("is the first available one of the browser's, otherwise English", () => {
    for (const [accepted, language] of [
      ["ru-RU,ru;q=0.9,en;q=0.8", "ru"],
      ["en-US,en;q=0.9,ru;q=0.8", "en"],
      ["de,fr;q=0.9", "en"],
      ["de,ru;q=0.5,en;q=0.4", "ru"],
      ["en;q=0.1, ru", "ru"],
      ["ru;q=0, en;q=0.1", "en"],
      ["ru;q=0", "en"],
      ["RU", "ru"],
      ["rum", "en"],
      ["*", "en"],
      ["", "en"],
      [";q=;,,ru;q=x", "en"],
      [null, "en"],
    ] as const) {
      expect(languageOf(undefined, accepted), String(accepted)).toBe(language);
    }
    expect(languageOf("ru", "en")).toBe("ru");
    expect(languageOf("xx", "ru")).toBe("ru");
  });

  test("is switched permanently by a button on every page, which stays on the page", async () => {
    const visitor = visitorOf(appliance);
    const english = await visitor.get("/account/sign-in/?next=%2Fstaff%2F");
    expect(english.body).toContain("<h1>Sign in</h1>");
    const [form = ""] =
      /<form[^>]*action="\/account\/language\/".*?<\/form>/.exec(english.html) ?? [];
    const fields = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)];
    const switched = await visitor.post(
      "/account/language/",
      Object.fromEntries(fields.map(([, name, value]) => [name, unescaped(value ?? "")])),
    );
    expect(switched.headers.get("location")).toBe("/account/sign-in/?next=%2Fstaff%2F");
    const russian = await visitor.get("/account/sign-in/", { "accept-language": "en" });
    expect(russian.body).toContain('<html lang="ru">');
    expect(russian.body).toContain("<h1>Войти</h1>");
  });
});

/** Decodes an attribute as a browser does. */
function unescaped(html: string): string {
  const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" };
  return html.replace(/&(lt|gt|quot|amp|#39);/g, (whole, name) => entities[name] ?? whole);
}
