import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { addPerson, signedInVisitor, type Visitor, visitorOf } from "../../support/visitor.ts";
import { callsWith, created, endManaging } from "../../support/webhook-calls.ts";

/** Pages about keyword alerts. */

const PATH = "/account/alerts/";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
let appliance: Appliance;
let owner: Visitor;
let organizationId: number;
let key: string;

beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1, { handle: "first_one", title: "Первый" })]);
  ({ organizationId, key } = await appliance.customer({ access: "read_write" }));
  owner = await visitor("owner");
});
afterEach(() => endManaging(appliance));

async function visitor(role: "owner" | "member"): Promise<Visitor> {
  const email = `${role}@example.org`;
  await addPerson(appliance, { organizationId, email, name: role, role });
  return signedInVisitor(appliance, email);
}

const webhook = () => created(callsWith(appliance, key));
const make = (fields: object = {}, by = owner) =>
  by.post(PATH, {
    ...{ action: "create", name: "Ставки", q: "ставка", webhook: "1", channel: "" },
    ...{ category: "", territory: "", is_ad: "", ...fields },
  });

describe("the page of all alerts", () => {
  test("without webhooks, links to them and says that there are no alerts yet", async () => {
    const { html } = await owner.get(PATH);
    expect(html).toContain("No alerts yet.");
    expect(html).toContain('<a href="/account/webhooks/">Create a webhook first</a>');
    expect(html).not.toContain('name="q"');
  });

  test("creates an alert, which matches posts from then on, and lists it", async () => {
    await webhook();
    const made = await make({ channel: "https://t.me/first_one", category: "science" });
    expect([made.status, made.location]).toEqual([303, `${PATH}1/?done=created`]);
    expect((await owner.get(made.location ?? "")).html).toContain("The alert was created.");
    const { html } = await owner.get(PATH);
    expect(html).toContain(">Ставки<");
    const { body } = await appliance.request("/v1/msgr/alerts/1/", { key });
    expect(body).toMatchObject({ q: "ставка", channel: 1, category: "science", is_ad: null });
  });

  test("reports faults at the fields and keeps what was typed", async () => {
    await webhook();
    for (const [fields, fault] of [
      [{ name: "" }, "This field may not be blank."],
      [{ q: "-без" }, "Give at least one word that posts are to have."],
      [{ channel: "@nobody" }, "There is no such public channel."],
      [{ webhook: "" }, "This field is required."],
      [{ digest: "weekly" }, "is not a valid choice."],
      [{ category: "<script>alert(1)</script>" }, "does not exist."],
    ] as const) {
      const answer = await make(fields);
      expect(answer.status, fault).toBe(400);
      expect(answer.html).toContain(fault);
      expect(answer.html).toContain('aria-invalid="true"');
      expect(answer.html).not.toContain("<script>alert");
      if (!("q" in fields)) expect(answer.html).toContain('value="ставка"');
    }
    expect((await make({ webhook: "99" })).status).toBe(404);
    expect((await appliance.request("/v1/msgr/alerts/", { key })).body.results).toEqual([]);
  });

  test("shows alerts to members, and lets only managers change them", async () => {
    await webhook();
    await make();
    const member = await visitor("member");
    expect((await member.get(PATH)).html).toContain("Only owners and administrators");
    expect((await make({}, member)).status).toBe(403);
    expect((await member.post(`${PATH}1/`, { action: "delete" })).status).toBe(403);
    expect((await member.get(`${PATH}1/`)).status).toBe(200);
  });

  test("says what the plan includes; on a plan without alerts, existing ones can be deleted", async () => {
    await webhook();
    const { accounts } = appliance.app.domains;
    await accounts.changePlan("profi", { alerts: 1 }, COMMAND_LINE);
    await make();
    expect((await owner.get(PATH)).html).toContain("plan (alerts: 1)");
    const second = await make();
    expect(second.status).toBe(403);
    expect(second.html.split("plan (alerts: 1)")).toHaveLength(2);
    expect(second.html).toContain('value="ставка"');
    expect(second.html).not.toContain("The plan profi");
    await accounts.givePlan(organizationId, "start", null, COMMAND_LINE);
    expect((await owner.get(PATH)).html).toContain("does not include alerts");
    const { html } = await owner.get(`${PATH}1/?preview=yes`);
    expect(html).toContain("You can still view and delete existing alerts");
    expect(html).not.toContain('value="change"');
    const deleted = await owner.post(`${PATH}1/`, { action: "delete" });
    expect(deleted.location).toBe(`${PATH}?done=deleted`);
    expect((await owner.get(`${PATH}1/`)).status).toBe(404);
  });
});

test("when the plan includes fewer alerts, pages say which ones are paused", async () => {
  await webhook();
  await make({ name: "Первое" });
  await make({ name: "Второе" });
  const paused = "over the plan&#39;s limit: nothing is sent";
  expect((await owner.get(PATH)).html).not.toContain(paused);
  await appliance.app.domains.accounts.changePlan("profi", { alerts: 1 }, COMMAND_LINE);
  const { html } = await owner.get(PATH);
  expect(html.split(paused)).toHaveLength(2);
  expect(html.indexOf(paused)).toBeGreaterThan(html.indexOf("Второе"));
  expect(html).toContain("The newest alerts beyond the limit are paused");
  expect((await owner.get(`${PATH}1/`)).html).not.toContain("pause");
  expect((await owner.get(`${PATH}2/`)).html).toContain(
    "The newest alerts beyond the limit are paused",
  );
});

describe("an alert's page", () => {
  test("shows what would be sent with the matches marked, and costs nothing", async () => {
    await webhook();
    await make();
    const published_at = new Date(appliance.ports.clock.now()).toISOString();
    const text = "ЦБ снизил <b>ставку</b>; 🚀 ставки вниз";
    await imported(appliance, "posts", [{ id: 1, channel: 1, text, published_at }]);
    const { html } = await owner.get(`${PATH}1/?preview=yes`);
    expect(html).toContain("Matching posts in the last 7 days: 1.");
    expect(html).toContain(
      "ЦБ снизил &lt;b&gt;<mark>ставку</mark>&lt;/b&gt;; 🚀 <mark>ставки</mark> вниз",
    );
    expect(html).toContain("Первый");
    expect((await appliance.request("/v1/me/", { key })).body.usage.used).toBe(0);
    expect((await owner.get(`${PATH}1/`)).html).not.toContain("<mark>");
  });

  test("changes the alert; another organization's alert is not found", async () => {
    await webhook();
    await make();
    const fields = {
      ...{ action: "change", name: "Курс", q: "курс", webhook: "1", is_ad: "false" },
      digest: "daily",
    };
    const all = { ...fields, channel: "1", category: "", territory: "russia" };
    const changed = await owner.post(`${PATH}1/`, all);
    expect(changed.location).toBe(`${PATH}1/?done=changed`);
    const { body } = await appliance.request("/v1/msgr/alerts/1/", { key });
    expect(body).toMatchObject({
      name: "Курс",
      channel: 1,
      territory: "russia",
      is_ad: false,
      digest: "daily",
    });
    const other = await appliance.customer();
    organizationId = other.organizationId;
    await addPerson(appliance, {
      organizationId,
      email: "eve@example.org",
      name: "Eve",
      role: "owner",
    });
    const eve = await signedInVisitor(appliance, "eve@example.org");
    expect((await eve.get(`${PATH}1/`)).status).toBe(404);
    expect((await eve.post(`${PATH}1/`, { action: "delete" })).status).toBe(404);
    expect((await appliance.request("/v1/msgr/alerts/1/", { key })).status).toBe(200);
  });
});

describe("mails of an alert", () => {
  const mailedTo = async (post: number): Promise<(string | undefined)[]> => {
    const { ports, app } = appliance;
    const published_at = new Date(ports.clock.now()).toISOString();
    ports.mail.sent.length = 0;
    await imported(appliance, "posts", [{ id: post, channel: 1, text: "Ставка", published_at }]);
    for (const minutes of [2, 61]) {
      ports.clock.advance(minutes * 60_000);
      await app.push.runDue();
    }
    await app.mailer.runDue();
    return ports.mail.sent.map(({ to }) => to[0]);
  };

  test("come to each member who asks for them, until they or whoever has the link end them", async () => {
    await webhook();
    await make();
    const member = await visitor("member");
    expect((await member.get(`${PATH}1/`)).html).toContain("Mail them to me");
    for (const by of [member, owner]) {
      expect((await by.post(`${PATH}1/`, { action: "mail" })).location).toBe(
        `${PATH}1/?done=changed`,
      );
    }
    const { html } = await member.get(`${PATH}1/`);
    expect(html).toContain("The matches are also mailed to member@example.org: hourly at most.");
    expect(await mailedTo(1)).toEqual(["owner@example.org", "member@example.org"]);
    await owner.post(`${PATH}1/`, { action: "no-mail" });
    expect(await mailedTo(2)).toEqual(["member@example.org"]);
    const { pathname, search } = new URL(appliance.ports.mail.sent[0]?.unsubscribe ?? "");
    const anybody = visitorOf(appliance);
    expect((await anybody.get(pathname + search)).html).toContain(
      "The matches of the alert Ставки",
    );
    expect(await mailedTo(3)).toEqual(["member@example.org"]);
    for (const body of ["List-Unsubscribe=One-Click", "List-Unsubscribe=Two-Clicks", ""]) {
      const other = body.endsWith("One-Click") ? `${pathname}?token=other` : pathname + search;
      await appliance.request(other, { method: "POST", body, headers: FORM });
    }
    expect(await mailedTo(4)).toEqual(["member@example.org"]);
    const token = search.slice("?token=".length);
    const csrf = await anybody.csrf(pathname + search);
    for (const given of [`${token}x`, "", token, token]) {
      const { html } = await anybody.post(pathname, { action: "end", token: given, csrf });
      expect(html).toContain("These mails have ended.");
    }
    expect((await anybody.get(pathname + search)).html).toContain("These mails have ended.");
    expect(await mailedTo(5)).toEqual([]);
  });

  test("end by the button of a mail program, which has no form of ours (RFC 8058)", async () => {
    await webhook();
    await make();
    await owner.post(`${PATH}1/`, { action: "mail" });
    expect(await mailedTo(1)).toEqual(["owner@example.org"]);
    const { pathname, search } = new URL(appliance.ports.mail.sent[0]?.unsubscribe ?? "");
    const multipart = new FormData();
    multipart.append("List-Unsubscribe", "One-Click");
    const { status } = await appliance.request(pathname + search, {
      ...{ method: "POST", body: multipart },
    });
    expect([status, await mailedTo(2)]).toEqual([200, []]);
    await owner.post(`${PATH}1/`, { action: "mail" });
    expect(await mailedTo(3)).toEqual(["owner@example.org"]);
    const again = new URL(appliance.ports.mail.sent[0]?.unsubscribe ?? "");
    const body = "List-Unsubscribe=One-Click";
    for (let times = 0; times < 2; times += 1) {
      const answer = await appliance.request(again.pathname + again.search, {
        ...{ method: "POST", body, headers: FORM },
      });
      expect(answer.status).toBe(200);
    }
    expect(await mailedTo(4)).toEqual([]);
    // Other pages take their own forms only.
    const post = { method: "POST", body, headers: FORM };
    expect((await appliance.request("/account/sign-in/", post)).status).toBe(409);
  });

  test("are not offered to an address that is not known to be its person's, nor for another's alert", async () => {
    await webhook();
    await make();
    appliance.app.domains.db.exec("UPDATE people SET email_verified = 0");
    expect((await owner.get(`${PATH}1/`)).html).not.toContain("Mail them to me");
    const refused = await owner.post(`${PATH}1/`, { action: "mail" });
    expect([refused.status, refused.html.includes("Choose a new password")]).toEqual([409, true]);
    expect((await owner.post(`${PATH}2/`, { action: "mail" })).status).toBe(404);
    expect(await mailedTo(1)).toEqual([]);
  });
});
