import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import {
  addPerson,
  chooseLanguage,
  csrfIn,
  PASSWORD,
  signedInVisitor,
  type Visitor,
  visitorOf,
} from "../../support/visitor.ts";

const PROFILE = "/account/profile/";
const SIGN_IN = "/account/sign-in/";
const FORGOTTEN = "/account/forgotten-password/";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

/** Attempts in a burst. */
const TEN = Array.from({ length: 10 }, (_, at) => at);

/** Statuses of successive attempts: few from one network may wait at once. */
async function inTurn(
  count: number,
  attempt: (at: number) => Promise<{ status: number }>,
): Promise<number[]> {
  const statuses: number[] = [];
  for (let at = 0; at < count; at += 1) statuses.push((await attempt(at)).status);
  return statuses;
}

const isSignedIn = async (visitor: Visitor): Promise<boolean> =>
  (await visitor.get(PROFILE)).status === 200;

describe("the set-up address", () => {
  const token = async (): Promise<string> =>
    /token=(.*)$/.exec((await appliance.app.setUpPath()) ?? "")?.[1] ?? "";
  const ANSWERS = {
    action: "set-up",
    name: "Ada",
    email: "Ada@Example.com",
    password: PASSWORD,
    organization: "Acme",
  };

  test("creates the first person, who is staff and owns an organization, and then stops working", async () => {
    const path = (await appliance.app.setUpPath()) ?? "";
    const visitor = visitorOf(appliance);
    expect((await visitor.get(path)).status).toBe(200);
    const answer = await visitor.post(path, { ...ANSWERS, token: await token() });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/staff/start/");
    expect((await visitor.get("/staff/start/")).status).toBe(200);
    expect(await appliance.app.setUpPath()).toBeNull();
    visitor.cookies.clear();
    const used = await visitor.get(path);
    expect(used.status).toBe(404);
    expect(used.body).toContain("This address has been used or is older than 30 minutes.");
    const never = await visitor.get("/account/set-up/?token=never");
    const main = (html: string) => html.split("<main")[1];
    expect(main(never.body)).toBe(main(used.body));
    const csrf = await visitor.csrf();
    const second = await visitor.post(path, { ...ANSWERS, csrf, token: await token() });
    expect(second.status).toBe(404);

    expect((await visitor.signIn("ada@example.com")).status).toBe(303);
    const { body } = await visitor.get("/account/");
    expect(body).toContain("Acme");
    expect(body).toContain('href="/staff/"');
  });

  test("works for 30 minutes from the start", async () => {
    const path = (await appliance.app.setUpPath()) ?? "";
    const visitor = visitorOf(appliance);
    appliance.ports.clock.advance(30 * 60_000 - 1);
    expect((await visitor.get(path)).status).toBe(200);
    const csrf = await visitor.csrf(path);
    appliance.ports.clock.advance(1);
    expect((await visitor.get(path)).status).toBe(404);
    expect((await visitor.post(path, { ...ANSWERS, csrf })).status).toBe(404);
    expect(await appliance.app.setUpPath()).toBeNull();
  });

  test("has a token with a signature of 256 bits, and no other token opens it", async () => {
    const own = await token();
    const [signature, end] = [own.slice(0, 43), own.slice(43)];
    expect(Buffer.from(signature, "base64url")).toHaveLength(32);
    const later = (Number.parseInt(end, 36) + 60_000).toString(36);
    const visitor = visitorOf(appliance);
    const others = ["", "x", `${own}x`, own.slice(1), own.toLowerCase(), signature];
    for (const other of [...others, signature + later]) {
      expect((await visitor.get(`/account/set-up/?token=${other}`)).status, other).toBe(404);
    }
    expect((await visitor.get("/account/set-up/")).status).toBe(404);
    const again = await startAppliance({}, fakePorts());
    // The fake source of randomness repeats itself; a journey tests the real one.
    expect(await again.app.setUpPath()).not.toBeNull();
    await again.close();
  });

  test("stops working once there is a person, for instance from the command line", async () => {
    const path = (await appliance.app.setUpPath()) ?? "";
    await addPerson(appliance);
    expect(await appliance.app.setUpPath()).toBeNull();
    expect((await visitorOf(appliance).get(path)).status).toBe(404);
  });

  test("stays open until an invited person has chosen a password, and makes one of them staff", async () => {
    const { people, keys } = appliance.app.domains;
    const path = (await appliance.app.setUpPath()) ?? "";
    for (const email of ["owner@example.com", "ada@example.com"]) {
      await people.ensurePerson({ email, name: "" });
      await keys.createCustomer(
        {
          ...{ organization: "Acme", plan: "test", email, name: "" },
          key: { name: "First key", access: "read_only" },
        },
        COMMAND_LINE,
      );
    }
    const link = await people.passwordLink({ email: "ada@example.com", isTrusted: true });
    expect(await appliance.app.setUpPath()).toBe(path);
    const visitor = visitorOf(appliance);
    const answer = await visitor.post(path, { ...ANSWERS, token: await token() });
    expect(answer.location).toBe("/staff/start/");
    expect((await visitor.get("/staff/start/")).status).toBe(200);
    // The password is the operator's: an earlier link cannot set another one.
    const used = await visitorOf(appliance).get(`/account/choose-password/?token=${link}`);
    expect(used.body).not.toContain('name="password"');
    expect(await appliance.app.setUpPath()).toBeNull();
  });

  test("names the command that makes somebody staff once it no longer works", async () => {
    const path = (await appliance.app.setUpPath()) ?? "";
    await addPerson(appliance);
    for (const language of ["en", "ru"]) {
      const { body } = await visitorOf(appliance, language).get(path);
      expect(body, language).toContain("<code>kanalog staff add");
    }
  });

  test("reports faults in place, keeps what was typed except the password, and stays open", async () => {
    const path = (await appliance.app.setUpPath()) ?? "";
    const visitor = visitorOf(appliance);
    for (const [wrong, sentence] of [
      [{ email: "nobody" }, "Enter a valid email address."],
      [{ password: "short" }, "at least 10 characters"],
      [{ organization: " " }, "This field may not be blank."],
    ] as const) {
      const answer = await visitor.post(path, { ...ANSWERS, ...wrong, token: await token() });
      expect(answer.status, sentence).toBe(400);
      expect(answer.body).toContain(sentence);
      expect(answer.body).toContain('value="Ada"');
      expect(answer.body).not.toContain(PASSWORD);
    }
    expect(await appliance.app.setUpPath()).toBe(path);
  });

  test("only accepts an email address with which its owner can sign in", async () => {
    const path = (await appliance.app.setUpPath()) ?? "";
    const visitor = visitorOf(appliance);
    for (const email of ["ада@пример.рф", "a@b..c", "a..b@example.com", "a@пример.com", "a@b.1"]) {
      const answer = await visitor.post(path, { ...ANSWERS, email, token: await token() });
      expect(answer.status, email).toBe(400);
      expect(answer.body).toContain("Enter a valid email address.");
    }
    const unusual = "o'hara+1_x.y-z@sub-domain.example.museum";
    await visitor.post(path, { ...ANSWERS, email: unusual, token: await token() });
    visitor.cookies.clear();
    expect((await visitor.signIn(unusual)).status).toBe(303);
  });
});

test("no member can be created with an address that cannot sign in", async () => {
  const { organizationId } = await addPerson(appliance);
  const { accounts } = appliance.app.domains;
  for (const email of ["ада@пример.рф", "a@b..c", "a..b@example.com", "a@localhost", "a b@c.de"]) {
    const added = accounts.addMember(
      { organizationId, email, name: "", role: "member" },
      COMMAND_LINE,
    );
    await expect(added, email).rejects.toMatchObject({
      fields: { email: ["Enter a valid email address."] },
    });
  }
});

describe("signing in", () => {
  test("leads to the account, whatever the address's case; signing out ends the session", async () => {
    await addPerson(appliance, { email: "ada@example.com" });
    const visitor = visitorOf(appliance);
    const answer = await visitor.signIn(" ADA@example.com ");
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/account/");
    const cookie = visitor.cookies.get("kanalog.session_token") ?? "";
    expect(await isSignedIn(visitor)).toBe(true);
    const out = await visitor.post(SIGN_IN, {
      action: "sign-out",
      csrf: await visitor.csrf(PROFILE),
    });
    expect(out.status).toBe(303);
    expect(visitor.cookies.has("kanalog.session_token")).toBe(false);
    const thief = visitorOf(appliance);
    thief.cookies.set("kanalog.session_token", cookie);
    expect(await isSignedIn(thief)).toBe(false);
  });

  test("answers the same for a wrong password, an unknown address and one without a password", async () => {
    await addPerson(appliance, { email: "ada@example.com" });
    const answers: unknown[] = [];
    for (const [email, password] of [
      ["ada@example.com", "wrong wrong wrong"],
      ["who@example.com", PASSWORD],
      ["no address", PASSWORD],
      ["ada@example.com", ""],
    ] as const) {
      const answer = await visitorOf(appliance).signIn(email, password);
      expect(answer.status, email).toBe(400);
      expect(answer.headers.getSetCookie().join()).not.toContain("session");
      expect(answer.body).toContain(`value="${email}"`);
      answers.push(answer.body.replaceAll(email, "").replace(/name="csrf" value="[^"]*"/g, ""));
    }
    expect(new Set(answers).size).toBe(1);
  });

  test("never shows the password again, and keeps it out of the log", async () => {
    await addPerson(appliance);
    const secret = "my very secret pass";
    const { body } = await visitorOf(appliance).signIn("ada@example.com", secret);
    expect(body).not.toContain(secret);
    expect(JSON.stringify(appliance.ports.log)).not.toContain(secret);
  });

  test("is limited per account, wherever the attempts come from", async () => {
    await appliance.close();
    appliance = await startAppliance({ KANALOG_TRUST_PROXY: "true" });
    await addPerson(appliance);
    await addPerson(appliance, { email: "bob@example.com" });
    const attempt = (from: string, email: string, password = "wrong wrong wrong") => {
      const visitor = visitorOf(appliance);
      return visitor.post(
        SIGN_IN,
        { action: "sign-in", email, password },
        { "x-forwarded-for": from },
      );
    };
    const ten = await Promise.all(TEN.map((at) => attempt(`192.0.2.${at}`, "ada@example.com")));
    expect(ten.map(({ status }) => status)).toEqual(TEN.map(() => 400));
    const refused = await attempt("192.0.2.99", "Ada@example.com", PASSWORD);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(refused.body).toContain("Too many attempts. Try again in 5 seconds, or choose a new");
    expect((await attempt("192.0.2.99", "bob@example.com", PASSWORD)).status).toBe(303);
    appliance.ports.clock.advance(30_000);
    expect((await attempt("192.0.2.98", "ada@example.com", PASSWORD)).status).toBe(303);
  });

  test("is limited per network, whatever the account; IPv6 by subscriber", async () => {
    await appliance.close();
    appliance = await startAppliance({ KANALOG_TRUST_PROXY: "true" });
    await addPerson(appliance);
    const attempt = (from: string, email: string) =>
      visitorOf(appliance).post(
        SIGN_IN,
        { action: "sign-in", email, password: PASSWORD },
        { "x-forwarded-for": `203.0.113.1, ${from}` },
      );
    for (const [from, other] of [
      [() => "192.0.2.1", "192.0.2.2"],
      [(at: number) => `2001:db8:1:1::${at + 1}`, "2001:db8:1:2::1"],
    ] as const) {
      const ten = await inTurn(10, (at) => attempt(from(at), `x${at}@example.com`));
      expect(ten).toEqual(TEN.map(() => 400));
      expect((await attempt(from(11), "ada@example.com")).status).toBe(429);
      expect((await attempt(other, "ada@example.com")).status).toBe(303);
    }
  });

  test("costs its network no attempt if it succeeds, because many people may share one", async () => {
    const emails = ["ada@example.com", "bob@example.com", "cyd@example.com"];
    for (const email of emails) await addPerson(appliance, { email });
    const wrong = await inTurn(9, () => visitorOf(appliance).signIn("x@y.zz"));
    expect(wrong).toEqual(TEN.slice(1).map(() => 400));
    for (const email of emails) {
      expect((await visitorOf(appliance).signIn(email)).status).toBe(303);
    }
    expect((await visitorOf(appliance).signIn("z@y.zz")).status).toBe(400);
    expect((await visitorOf(appliance).signIn("z@y.zz")).status).toBe(429);
    // Whoever signed in from here before is not kept out by others of the network.
    expect((await visitorOf(appliance).signIn("ada@example.com")).status).toBe(303);
  });

  test("costs its account no attempt if it succeeds, from however many new networks", async () => {
    await appliance.close();
    appliance = await startAppliance({ KANALOG_TRUST_PROXY: "true" });
    await addPerson(appliance);
    const statuses = await inTurn(15, (at) =>
      visitorOf(appliance).post(
        SIGN_IN,
        { action: "sign-in", email: "ada@example.com", password: PASSWORD },
        { "x-forwarded-for": `192.0.2.${at}` },
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([303]));
  });

  test("from a throttled network costs accounts no attempts", async () => {
    await appliance.close();
    appliance = await startAppliance({ KANALOG_TRUST_PROXY: "true" });
    await addPerson(appliance);
    const attempt = (from: string, email: string, password: string) =>
      visitorOf(appliance).post(
        SIGN_IN,
        { action: "sign-in", email, password },
        { "x-forwarded-for": from },
      );
    await inTurn(10, (at) => attempt("192.0.2.1", `y${at}@example.com`, "wrong"));
    for (let at = 0; at < 12; at += 1) await attempt("192.0.2.1", "ada@example.com", "wrong");
    expect((await attempt("192.0.2.2", "ada@example.com", PASSWORD)).status).toBe(303);
  });
});

describe("a session", () => {
  test("has a cookie that no script and no other site can read", async () => {
    await addPerson(appliance);
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    for (const name of ["kanalog.session_token", "kanalog.form"]) {
      const text = visitor.setCookies.get(name) ?? "";
      expect(text, name).toMatch(/; HttpOnly/i);
      expect(text, name).toMatch(/; SameSite=Lax/i);
      expect(text, name).toMatch(/; Path=\//i);
      expect(text, name).not.toMatch(/; Secure|Domain=/i);
    }
    await chooseLanguage(visitor, "ru");
    expect(visitor.setCookies.get("kanalog.language")).toMatch(/HttpOnly; SameSite=Lax/);
  });

  test("chooses its language by a form alone: an address that somebody links to changes nothing", async () => {
    await addPerson(appliance);
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    const languageOfMails = () =>
      appliance.app.domains.db.prepare("SELECT language FROM people").pluck().get();
    const linked = await visitor.get("/account/language/?to=ru&back=/account/");
    expect([linked.status, linked.location]).toEqual([303, "/account/"]);
    const forged = await visitor.post("/account/language/", { csrf: "no", to: "ru" });
    expect(forged.status).toBe(409);
    expect(visitor.cookies.has("kanalog.language")).toBe(false);
    expect(languageOfMails()).toBe("en");
    const csrf = await visitor.csrf(PROFILE);
    const form = { csrf, action: "choose-language", to: "ru", back: "/account/keys/?show=ended" };
    const chosen = await visitor.post("/account/language/", form);
    expect([chosen.status, chosen.location]).toEqual([303, "/account/keys/?show=ended"]);
    expect((await visitor.get(PROFILE)).html).toContain('<html lang="ru">');
    expect(languageOfMails()).toBe("ru");
  });

  test("has only Secure cookies behind https", async () => {
    await appliance.close();
    appliance = await startAppliance({ KANALOG_BASE_URL: "https://kanalog.example" });
    await addPerson(appliance);
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    await chooseLanguage(visitor, "ru");
    expect(visitor.setCookies.size).toBeGreaterThanOrEqual(3);
    for (const text of visitor.setCookies.values()) expect(text).toMatch(/; Secure$/);
  });

  test("ends elsewhere when the password is changed, and continues here", async () => {
    await addPerson(appliance);
    const [here, elsewhere] = [
      await signedInVisitor(appliance, "ada@example.com"),
      await signedInVisitor(appliance, "ada@example.com"),
    ];
    const answer = await here.post(PROFILE, {
      action: "change-password",
      password: PASSWORD,
      newPassword: "another long password",
    });
    expect(answer.headers.get("location")).toBe("/account/profile/?done=password");
    expect(await isSignedIn(here)).toBe(true);
    expect(await isSignedIn(elsewhere)).toBe(false);
    expect((await visitorOf(appliance).signIn("ada@example.com")).status).toBe(400);
    const again = await visitorOf(appliance).signIn("ada@example.com", "another long password");
    expect(again.status).toBe(303);
  });

  test("does not allow guessing the current password", async () => {
    await addPerson(appliance);
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    const attempt = (password: string) =>
      visitor.post(PROFILE, {
        ...{ action: "change-password", password, newPassword: "another long password" },
      });
    const wrong = await attempt("wrong wrong wrong");
    expect(wrong.status).toBe(400);
    expect(wrong.body).toContain("This is not your current password.");
    await inTurn(9, () => attempt("wrong wrong wrong"));
    expect((await attempt(PASSWORD)).status).toBe(429);
  });

  test("ends after a week, and is extended by use", async () => {
    await addPerson(appliance);
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    expect(visitor.setCookies.get("kanalog.session_token")).toMatch(/Max-Age=604800/i);
  });

  test("ends everywhere when a password is chosen with a link", async () => {
    await addPerson(appliance);
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    await choose(await linkTo("ada@example.com"), "another long password");
    expect(await isSignedIn(visitor)).toBe(false);
  });

  test("ends with somebody's last membership, not before; staff's never does", async () => {
    const { organizationId } = await addPerson(appliance);
    const both = { role: "member", name: "" } as const;
    const bob = await addPerson(appliance, { ...both, email: "bob@example.com", organizationId });
    const { accounts, people } = appliance.app.domains;
    const other = await accounts.createOrganization({ name: "Other", plan: "test" }, COMMAND_LINE);
    const place = { ...both, email: "bob@example.com", organizationId: other.id };
    const second = await accounts.addMember(place, COMMAND_LINE);
    const visitor = await signedInVisitor(appliance, "bob@example.com");
    const suspend = (id: number) => accounts.suspendMember(id, COMMAND_LINE);
    await suspend(bob.memberId);
    expect(await isSignedIn(visitor)).toBe(true);
    expect((await visitor.get("/account/")).body).toContain("Other");
    expect((await visitor.get(PROFILE)).body).toContain(
      "You are suspended in the organization Acme",
    );
    await people.markStaff({ email: "bob@example.com", isStaff: true, by: COMMAND_LINE });
    await suspend(second.id);
    expect(await isSignedIn(visitor)).toBe(true);
    await people.markStaff({ email: "ada@example.com", isStaff: true, by: COMMAND_LINE });
    await people.markStaff({ email: "bob@example.com", isStaff: false, by: COMMAND_LINE });
    await suspend(second.id);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  test("of a suspended member, or in an archived organization, names the organization", async () => {
    const { memberId, organizationId } = await addPerson(appliance);
    const { accounts } = appliance.app.domains;
    await accounts.suspendMember(memberId, COMMAND_LINE);
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    const suspended = (await visitor.get(PROFILE)).body;
    expect(suspended).toContain(
      "You are suspended in the organization Acme. Ask one of its owners.",
    );
    expect(suspended).not.toContain("You do not belong to any organization");
    await accounts.archiveOrganization(organizationId, COMMAND_LINE);
    expect((await visitor.get(PROFILE)).body).toContain("The organization Acme is archived.");
  });

  test("of a suspended member shows nothing of the organization", async () => {
    const { memberId } = await addPerson(appliance);
    const visitor = await signedInVisitor(appliance, "ada@example.com");
    await appliance.app.domains.accounts.suspendMember(memberId, COMMAND_LINE);
    const { status, headers, body } = await visitor.get("/account/");
    expect(status).toBe(303);
    expect(["/account/profile/", "/account/sign-in/?next=%2Faccount%2F"]).toContain(
      headers.get("location") ?? "",
    );
    expect(body).not.toContain("Acme");
  });

  test("that is forged does not count", async () => {
    await addPerson(appliance);
    for (const value of ["x", "x.y", "", `${"a".repeat(32)}.${"b".repeat(44)}`]) {
      const visitor = visitorOf(appliance);
      visitor.cookies.set("kanalog.session_token", value);
      expect(await isSignedIn(visitor), value).toBe(false);
    }
  });
});

async function linkTo(email: string): Promise<string> {
  const { mail } = appliance.ports;
  mail.sent.length = 0;
  const answer = await visitorOf(appliance).post("/account/forgotten-password/", {
    action: "send",
    email,
  });
  expect(answer.headers.get("location")).toBe("/account/forgotten-password/?sent");
  await appliance.app.workAfterAnswers();
  await appliance.app.mailer.runDue();
  return /\/account\/choose-password\/\?token=\S+/.exec(mail.sent[0]?.text ?? "")?.[0] ?? "";
}

function choose(path: string, password: string) {
  const token = new URL(path, "http://localhost").searchParams.get("token") ?? "";
  return visitorOf(appliance).post(path, { action: "choose", token, password });
}

describe("a forgotten password", () => {
  test("is chosen again with a mailed link, once, within three days", async () => {
    await addPerson(appliance);
    const link = await linkTo("Ada@example.com");
    for (let at = 0; at < 2; at += 1) {
      expect((await visitorOf(appliance).get(link)).body).toContain('name="password"');
    }
    const answer = await choose(link, "another long password");
    expect(answer.headers.get("location")).toBe("/account/sign-in/?done=password");
    const opened = await visitorOf(appliance).get(link);
    expect(opened.status).toBe(404);
    expect(opened.body).toContain("it has been used");
    expect(opened.body).not.toContain('name="password"');
    const again = await choose(link, "yet another password");
    expect(again.status).toBe(409);
    expect(again.body).toContain("it has been used");
    const signed = await visitorOf(appliance).signIn("ada@example.com", "another long password");
    expect(signed.status).toBe(303);
  });

  test("invalidates all other links", async () => {
    await addPerson(appliance);
    const first = await linkTo("ada@example.com");
    const second = await linkTo("ada@example.com");
    expect((await choose(second, "another long password")).status).toBe(303);
    expect((await choose(first, "yet another password")).status).toBe(409);
  });

  test("gets the same answer for an unknown address, which is sent nothing", async () => {
    await addPerson(appliance);
    expect(await linkTo("who@example.com")).toBe("");
    expect(appliance.ports.mail.sent).toEqual([]);
    const none = await visitorOf(appliance).post(FORGOTTEN, { action: "send", email: "none" });
    expect(none.status).toBe(400);
    expect(none.body).toContain("Enter a valid email address.");
  });

  test("is answered before any lookup, so that response times reveal nothing", async () => {
    await addPerson(appliance);
    const { db } = appliance.app.domains;
    const links = () => db.prepare("SELECT count(*) AS n FROM verifications").get();
    const visitor = visitorOf(appliance);
    const csrf = await visitor.csrf(FORGOTTEN);
    const sent = visitor.post(FORGOTTEN, { action: "send", email: "ada@example.com", csrf });
    expect((await sent).status).toBe(303);
    expect(links()).toEqual({ n: 0 });
    await appliance.app.workAfterAnswers();
    expect(links()).toEqual({ n: 1 });
  });

  test("is limited per network and account", async () => {
    await addPerson(appliance);
    for (let at = 0; at < 10; at += 1) await linkTo("ada@example.com");
    const answer = await visitorOf(appliance).post("/account/forgotten-password/", {
      ...{ action: "send", email: "ada@example.com" },
    });
    expect(answer.status).toBe(429);
    await appliance.app.mailer.runDue();
    expect(appliance.ports.mail.sent.length).toBeLessThanOrEqual(1);
  });

  test("rejects passwords that are too short or too long; the link then still works", async () => {
    await addPerson(appliance);
    const link = await linkTo("ada@example.com");
    const long = "длинный пароль. ".repeat(8);
    for (const password of ["short", "", `${long}.`]) {
      const answer = await choose(link, password);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatch(/class="fault"/);
    }
    expect(long).toHaveLength(128);
    expect((await choose(link, long)).status).toBe(303);
  });

  test("appears in no log", async () => {
    await addPerson(appliance);
    const link = await linkTo("ada@example.com");
    await choose(link, "another long password");
    const token = link.split("token=")[1] ?? "";
    expect(token.length).toBeGreaterThan(15);
    expect(JSON.stringify(appliance.ports.log)).not.toContain(token);
  });
});

test("a form's token belongs to this browser and session", async () => {
  await addPerson(appliance);
  const visitor = visitorOf(appliance);
  const before = await visitor.csrf();
  await visitor.signIn("ada@example.com");
  const after = csrfIn((await visitor.get(PROFILE)).body);
  const other = await visitorOf(appliance).csrf();
  expect(new Set([before, after, other]).size).toBe(3);
});
