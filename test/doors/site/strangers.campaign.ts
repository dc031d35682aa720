import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { METADATA } from "../../support/oauth-client.ts";
import { addPerson, PASSWORD, type Visitor, visitorOf } from "../../support/visitor.ts";

/** The doors that strangers may use stay open to an honest one, however many others hammer them. */

const SIGN_UP = "/account/sign-up/";
const SIGN_IN = "/account/sign-in/";
const FORGOTTEN = "/account/forgotten-password/";
const MINUTE_MS = 60_000;

const IPV4 = Array.from({ length: 200 }, (_, at) => `198.51.100.${at}`);
/** Each in a /64 of its own, in four /48s. */
const IPV6 = Array.from(
  { length: 20_000 },
  (_, at) => `2001:db8:${at % 4}:${(at >> 2).toString(16)}::1`,
);
const HOSTS = [
  { name: "200 IPv4 addresses", addresses: IPV4, rounds: 11, honest: "203.0.113.7" },
  {
    name: "20,000 IPv6 addresses of four /48s",
    addresses: IPV6,
    rounds: 1,
    honest: "2001:db8:99::1",
  },
];

/** Fewer of the many IPv6 addresses where each form is a page; all of them exceed the throttle's memory. */
const some = (addresses: readonly string[]) => addresses.slice(0, 2_000);

let appliance: Appliance;
let stranger: Visitor;
let csrf: string;
beforeEach(async () => {
  appliance = await startAppliance({
    ...{ KANALOG_SIGN_UP: "on", KANALOG_OAUTH: "on" },
    ...{ KANALOG_BASE_URL: "https://example.com", KANALOG_TRUST_PROXY: "true" },
  });
  await addPerson(appliance, { email: "ada@example.com" });
  stranger = visitorOf(appliance);
  csrf = await stranger.csrf(SIGN_IN);
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const post = (path: string, from: string, fields: Record<string, string>) =>
  stranger.post(path, { csrf, ...fields }, { "x-forwarded-for": from });

const mailsTo = (email: string) => appliance.ports.mail.sent.filter(({ to }) => to[0] === email);

/** Sends due mails every minute, until somebody has got one. @returns after how many minutes */
async function minutesUntilMailTo(email: string): Promise<number> {
  await appliance.app.workAfterAnswers();
  for (let minutes = 0; minutes < 24 * 60; minutes += 1) {
    await appliance.app.mailer.runDue();
    if (mailsTo(email).length > 0) return minutes;
    appliance.ports.clock.advance(MINUTE_MS);
  }
  return Number.POSITIVE_INFINITY;
}

for (const { name, addresses, rounds, honest } of HOSTS) {
  test(`while ${name} sign up, an honest stranger gets a link within 20 minutes, and an account`, async () => {
    let taken = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (const [at, from] of some(addresses).entries()) {
        const email = `x${round}-${at}@example.net`;
        const { status } = await post(SIGN_UP, from, { action: "send", email });
        if (status === 303) taken += 1;
        else expect(status).toBe(429);
      }
    }
    // Five of each IPv4 address, and fifty of each /48.
    expect(taken).toBe(addresses === IPV4 ? 1_000 : 200);
    const asked = await post(SIGN_UP, honest, { action: "send", email: "nina@example.com" });
    expect(asked.status).toBe(303);
    expect(await minutesUntilMailTo("nina@example.com")).toBeLessThanOrEqual(20);
    // Thirty at once and twelve a minute, not a thousand.
    expect(appliance.ports.mail.sent.length).toBeLessThanOrEqual(30 + 20 * 12);
    const link = /\/account\/sign-up\/\?token=([\w-]+)/.exec(
      mailsTo("nina@example.com")[0]?.text ?? "",
    );
    const made = await post(link?.[0] ?? "", honest, {
      ...{ action: "make", token: link?.[1] ?? "", name: "Nina", organization: "N" },
      password: PASSWORD,
    });
    expect(made.status).toBe(200);
  }, 120_000);

  test(`while ${name} register clients, an honest one is registered`, async () => {
    const register = (from: string) =>
      appliance.request("/oauth/register", {
        method: "POST",
        headers: { "x-forwarded-for": from },
        body: JSON.stringify(METADATA),
      });
    let taken = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (const from of addresses) if ((await register(from)).status === 201) taken += 1;
    }
    expect(taken).toBe(addresses === IPV4 ? 2_000 : 400);
    expect((await register(honest)).status).toBe(201);
  }, 120_000);

  test(`while ${name} guess passwords, an honest stranger signs in for the first time`, async () => {
    for (const [at, from] of some(addresses).entries()) {
      const email = `x${at}@example.net`;
      const { status } = await post(SIGN_IN, from, { action: "sign-in", email, password: "wrong" });
      expect(status).toBeOneOf([400, 429]);
    }
    const ada = { action: "sign-in", email: "ada@example.com", password: PASSWORD };
    expect((await post(SIGN_IN, honest, ada)).status).toBe(303);
  }, 120_000);
}

test("a mail of the appliance's own does not wait behind those that strangers asked for", async () => {
  for (const [at, from] of IPV4.entries()) {
    await post(SIGN_UP, from, { action: "send", email: `x${at}@example.net` });
  }
  await appliance.app.workAfterAnswers();
  await appliance.app.mailer.runDue();
  const owner = visitorOf(appliance);
  await owner.signIn("ada@example.com");
  const invited = { action: "invite", email: "bob@example.com", name: "Bob", role: "member" };
  expect((await owner.post("/account/members/", invited)).status).toBe(303);
  expect(await minutesUntilMailTo("bob@example.com")).toBe(0);
});

test("the mails that strangers asked for are at most 10,000, and the greedy networks' go first", async () => {
  const { db } = appliance.app.domains;
  db.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
     INSERT INTO mails (recipients, subject, text, created_at, next_attempt_at, rank)
     SELECT '["x@example.net"]', '', '', 0, 0, 2 FROM n`,
  );
  await post(SIGN_UP, "203.0.113.7", { action: "send", email: "nina@example.com" });
  await appliance.app.workAfterAnswers();
  const counted = "SELECT rank, count(*) AS n FROM mails GROUP BY rank ORDER BY rank";
  expect(db.prepare(counted).all()).toEqual([
    { rank: 1, n: 1 },
    { rank: 2, n: 9_999 },
  ]);
});

describe("an account that 200 addresses guess at", () => {
  const guessAll = async () => {
    for (const from of IPV4) {
      const guess = { action: "sign-in", email: "ada@example.com", password: "a wrong guess" };
      expect((await post(SIGN_IN, from, guess)).status).toBeOneOf([400, 429]);
    }
  };
  const ada = { action: "sign-in", email: "ada@example.com", password: PASSWORD };

  test("is open to its owner where they signed in before, even beside a guesser", async () => {
    const home = IPV4[0] ?? "";
    expect((await post(SIGN_IN, home, ada)).status).toBe(303);
    csrf = await visitorOf(appliance).csrf(SIGN_IN);
    stranger = visitorOf(appliance);
    csrf = await stranger.csrf(SIGN_IN);
    for (let at = 0; at < 20; at += 1) {
      const other = { action: "sign-in", email: `y${at}@example.net`, password: "wrong" };
      await post(SIGN_IN, home, other);
    }
    for (const from of IPV4.slice(1)) await post(SIGN_IN, from, { ...ada, password: "wrong" });
    expect((await post(SIGN_IN, home, ada)).status).toBe(303);
  });

  test("is open from a new network too, with a mailed link as proof", async () => {
    await guessAll();
    const refused = await post(SIGN_IN, "203.0.113.7", ada);
    expect([refused.status, refused.html.includes("mailed link")]).toEqual([429, true]);
    // The guessers ask for links as well: each of these few mails went to the owner.
    for (const from of IPV4) {
      const asked = await post(FORGOTTEN, from, { action: "send", email: "ada@example.com" });
      expect(asked.status).toBeOneOf([303, 429]);
      await appliance.app.workAfterAnswers();
    }
    await post(FORGOTTEN, "203.0.113.7", { action: "send", email: "ada@example.com" });
    await minutesUntilMailTo("ada@example.com");
    const mails = mailsTo("ada@example.com");
    expect(mails).toHaveLength(3);
    const link = /\/account\/choose-password\/\?token=(\w+)/.exec(mails.at(-1)?.text ?? "");
    const password = "a new long password";
    const chosen = { action: "choose", token: link?.[1] ?? "", password };
    expect((await post(link?.[0] ?? "", "203.0.113.7", chosen)).status).toBe(303);
    await guessAll();
    expect((await post(SIGN_IN, "203.0.113.7", { ...ada, password })).status).toBe(303);
  });
});

test("strangers asking for links all day send an address 75 mails at most, and never more than three at once", async () => {
  const { clock } = appliance.ports;
  for (let minute = 0; minute < 24 * 60; minute += 5) {
    for (const from of IPV4.slice(0, 5)) {
      await post(FORGOTTEN, from, { action: "send", email: "ada@example.com" });
    }
    await appliance.app.workAfterAnswers();
    const before = mailsTo("ada@example.com").length;
    await appliance.app.mailer.runDue();
    expect(mailsTo("ada@example.com").length - before).toBeLessThanOrEqual(3);
    clock.advance(5 * MINUTE_MS);
  }
  expect(mailsTo("ada@example.com").length).toBeLessThanOrEqual(75);
}, 60_000);
