import { afterEach, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { DAY_MS } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import { type FakeMail, fakePorts } from "../../support/fake-ports.ts";
import { hostileText } from "../../support/hostile-values.ts";
import { addPerson, PASSWORD, type Visitor, visitorOf } from "../../support/visitor.ts";

/** Accounts that visitors create themselves, with KANALOG_SIGN_UP on. */

const PATH = "/account/sign-up/";
const ON = {
  ...{ KANALOG_SIGN_UP: "on", KANALOG_BASE_URL: "https://example.com" },
  KANALOG_TRUST_PROXY: "true",
};

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance(ON);
  await addPerson(appliance, { email: "ada@example.com" });
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const mails = async () => {
  await appliance.app.workAfterAnswers();
  await appliance.app.mailer.runDue();
  return appliance.ports.mail.sent;
};
const linkIn = (text = ""): string => /\/account\/sign-up\/\?token=[\w-]+/.exec(text)?.[0] ?? "";

async function linkTo(email: string): Promise<string> {
  appliance.ports.mail.sent.length = 0;
  const answer = await visitorOf(appliance).post(PATH, { action: "send", email });
  expect([answer.status, answer.location]).toEqual([303, `${PATH}?sent`]);
  return linkIn((await mails())[0]?.text);
}

const MADE = { action: "make", name: "Nina", organization: "Нина и Ко", password: PASSWORD };
const make = async (
  link: string,
  more: Record<string, string> = {},
  visitor = visitorOf(appliance),
) =>
  visitor.post(link, {
    csrf: await visitor.csrf(),
    token: new URL(link, "http://localhost").searchParams.get("token") ?? "",
    ...{ ...MADE, ...more },
  });
const organizations = async () =>
  (await appliance.app.domains.accounts.organizations()).map(({ name, plan }) => [name, plan]);

test("a visitor creates an account with a mailed link: signed in, on Test, with a working first key", async () => {
  expect((await visitorOf(appliance).get("/")).html).toContain(`href="${PATH}"`);
  expect((await visitorOf(appliance).get("/account/sign-in/")).html).toContain(PATH);
  const link = await linkTo("Nina@Example.com");
  const visitor = visitorOf(appliance);
  const page = await visitor.get(link);
  expect(page.html).toContain("For nina@example.com.");
  const done = await make(link, {}, visitor);
  expect(done.status).toBe(200);
  const key = /knl_ro_\w{38}/.exec(done.html)?.[0] ?? "";
  const { body } = await appliance.get("/v1/me/", key);
  expect(body).toMatchObject({
    api_tariff: "test",
    member: { email: "nina@example.com", role: "owner", name: "Nina" },
    organization: { name: "Нина и Ко" },
  });
  expect((await visitor.get("/account/keys/")).html).not.toContain(key);
  expect((await visitor.get("/account/")).html).toContain("Нина и Ко");
  expect((await visitor.get("/staff/")).status).toBe(404);
  expect((await visitorOf(appliance).signIn("nina@example.com")).status).toBe(303);
  const made = auditOf(appliance).filter(({ person }) => person === "nina@example.com");
  expect(made.map(({ action }) => action)).toEqual([
    ...["organization.create", "member.add", "key.create"],
  ]);
});

test("the link works once, for a day, and viewing does not use it up", async () => {
  const link = await linkTo("nina@example.com");
  for (let at = 0; at < 2; at += 1) {
    expect((await visitorOf(appliance).get(link)).html).toContain('name="password"');
  }
  expect((await make(link)).status).toBe(200);
  const again = await make(link, { organization: "Twice" });
  expect([again.status, again.html.includes("This link is not valid")]).toEqual([404, true]);
  expect((await visitorOf(appliance).get(link)).status).toBe(404);

  const late = await linkTo("late@example.com");
  appliance.ports.clock.advance(DAY_MS - 1);
  expect((await visitorOf(appliance).get(late)).status).toBe(200);
  appliance.ports.clock.advance(1);
  expect((await visitorOf(appliance).get(late)).status).toBe(404);
  expect((await make(late)).status).toBe(404);
  expect(await organizations()).toEqual([
    ["Acme", "profi"],
    ["Нина и Ко", "test"],
  ]);
});

test("of two simultaneous forms of one link, or two links of one address, one creates an account", async () => {
  const [one, other] = [await linkTo("nina@example.com"), await linkTo("nina@example.com")];
  const answers = await Promise.all([make(one), make(one), make(other)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  expect(await organizations()).toHaveLength(2);
});

test("the page answers the same whether or not an address has an account; only a mail to it says so", async () => {
  const [known, unknown] = [visitorOf(appliance), visitorOf(appliance)];
  const answers = [
    await known.post(PATH, { action: "send", email: "ADA@example.com" }),
    await unknown.post(PATH, { action: "send", email: "nobody@example.com" }),
  ];
  const seen = answers.map(({ status, location, html, headers }) => {
    const plain = Object.fromEntries(headers);
    delete plain["x-request-id"];
    return { status, location, html, plain };
  });
  expect(seen[0]).toEqual(seen[1] as (typeof seen)[0]);
  const sent = await mails();
  const textTo = (email: string) => sent.find(({ to }) => to[0] === email)?.text ?? "";
  expect(textTo("ada@example.com")).toContain("already has one");
  expect(textTo("ada@example.com")).not.toContain("token=");
  expect(linkIn(textTo("nobody@example.com"))).not.toBe("");
  expect(sent).toHaveLength(2);
});

test("somebody invited who has no password yet gets an account besides the membership", async () => {
  const { accounts, people } = appliance.app.domains;
  const { organizationId } = await appliance.customer();
  const nina = { organizationId, email: "nina@example.com", name: "N", role: "member" } as const;
  await accounts.addMember(nina, COMMAND_LINE);
  await people.ensurePerson({ email: "nina@example.com", name: "N" });
  const visitor = visitorOf(appliance);
  expect((await make(await linkTo("nina@example.com"), {}, visitor)).status).toBe(200);
  expect((await visitor.get("/account/")).html).toContain('<select id="organization"');
});

test("an address that got an account after the link was mailed gets no second one and keeps its password", async () => {
  const link = await linkTo("nina@example.com");
  await addPerson(appliance, { email: "nina@example.com" });
  expect((await make(link, { password: "another long password" })).status).toBe(404);
  expect((await visitorOf(appliance).signIn("nina@example.com")).status).toBe(303);
});

test("faults are reported at the field, and the link still works", async () => {
  const link = await linkTo("nina@example.com");
  for (const [field, value] of [
    ["name", " "],
    ["organization", ""],
    ["organization", "x".repeat(300)],
    ["password", "short"],
    ["password", "nina@example.com and more"],
  ] as const) {
    const { status, html } = await make(link, { [field]: value });
    expect([status, html.includes(`id="make-${field}-fault"`)], field).toEqual([400, true]);
  }
  for (const email of [
    "",
    "nobody",
    "a@b@c",
    "a b@example.com",
    `${"a".repeat(400)}@example.com`,
  ]) {
    const answer = await visitorOf(appliance).post(PATH, { action: "send", email });
    expect([answer.status, answer.html.includes('id="send-email-fault"')], email).toEqual([
      ...[400, true],
    ]);
  }
  expect((await make(link)).status).toBe(200);
});

test("hostile texts add no page, mail or link", async () => {
  const visitor = visitorOf(appliance);
  const csrf = await visitor.csrf(PATH);
  for (const [at, text] of fc.sample(hostileText, { numRuns: 60, seed: 21 }).entries()) {
    const sent = { csrf, action: "send", email: text };
    const headers = { "x-forwarded-for": `10.0.${at}.1` };
    expect((await visitor.post(PATH, sent, headers)).status, text).toBeLessThan(500);
    const made = { ...MADE, csrf, token: text, name: text, organization: text, password: text };
    expect((await visitor.post(PATH, made, headers)).status, text).toBeLessThan(500);
    const looked = await visitor.get(`${PATH}?token=${encodeURIComponent(text.toWellFormed())}`);
    expect(looked.status, text).toBeLessThan(500);
  }
  for (const { to, text } of await mails()) {
    expect(to).toHaveLength(1);
    expect(text).not.toContain("<script");
  }
  const link = await linkTo("nina@example.com");
  const done = await make(link, { organization: '"><script>alert(1)</script>', name: "<b>" });
  expect(done.html).not.toContain("<script>alert");
});

/** A thousand forms of one visitor, each with other fields and another address. */
async function thousand(of: (at: number) => { email: string; ip: string }): Promise<number> {
  const visitor: Visitor = visitorOf(appliance);
  const csrf = await visitor.csrf(PATH);
  let taken = 0;
  for (let at = 0; at < 1000; at += 1) {
    const { email, ip } = of(at);
    const sent = { csrf, action: "send", email };
    const { status } = await visitor.post(PATH, sent, { "x-forwarded-for": ip });
    if (status === 303) taken += 1;
    else expect(status).toBe(429);
  }
  return taken;
}

test("of a thousand attempts from one network, five send a mail", async () => {
  expect(await thousand((at) => ({ email: `n${at}@example.com`, ip: "192.0.2.7" }))).toBe(5);
  expect(await mails()).toHaveLength(5);
});

test("of a thousand attempts from a thousand networks for one address, three send a mail", async () => {
  const ipOf = (at: number) => `10.${at % 250}.${Math.floor(at / 250)}.1`;
  expect(await thousand((at) => ({ email: "ada@example.com", ip: ipOf(at) }))).toBe(1000);
  expect(await mails()).toHaveLength(3);
});

test("somebody who is signed in is redirected to their own pages", async () => {
  const visitor = visitorOf(appliance);
  await visitor.signIn("ada@example.com");
  expect((await visitor.get(PATH)).location).toBe("/account/");
});

for (const [why, environment, hasMail] of [
  ["by default", { ...ON, KANALOG_SIGN_UP: "" }, true],
  ["without a mail server, which the start reports", ON, false],
] as const) {
  test(`visitors cannot create accounts ${why}`, async () => {
    const ports = fakePorts();
    if (!hasMail) ports.mail = null as unknown as FakeMail;
    const other = await startAppliance(environment, ports);
    await addPerson(other);
    const visitor = visitorOf(other);
    expect((await visitor.get(PATH)).status).toBe(404);
    expect((await visitor.get(`${PATH}?token=a`)).status).toBe(404);
    for (const action of ["send", "make"]) {
      const sent = { ...MADE, action, email: "nina@example.com", token: "a" };
      const csrf = await visitor.csrf();
      expect((await visitor.post(PATH, { ...sent, csrf })).status).toBe(404);
    }
    expect((await visitor.get("/")).html).not.toContain("sign-up");
    expect((await visitor.get("/account/sign-in/")).html).not.toContain("sign-up");
    const warned = ports.log.warnings.filter(({ message }) => message.includes("KANALOG_SIGN_UP"));
    expect(warned).toHaveLength(hasMail ? 0 : 1);
    await other.close();
  });
}

test("while an appliance has not been set up, no visitor can be the first person", async () => {
  const other = await startAppliance(ON);
  expect((await visitorOf(other).get(PATH)).status).toBe(404);
  await other.close();
});
