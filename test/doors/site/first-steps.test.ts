import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { dayOf, formatDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import { channel, imported } from "../../support/expectations.ts";
import {
  addPerson,
  PASSWORD,
  signedInVisitor,
  type Visitor,
  visitorOf,
} from "../../support/visitor.ts";
import { callsWith, created } from "../../support/webhook-calls.ts";

let appliance: Appliance;
let key: string;
beforeEach(async () => {
  appliance = await startAppliance({ KANALOG_PORT: "0" });
  const { sample, keys } = appliance.app.domains;
  await sample.load();
  key = (await keys.createFirst(COMMAND_LINE)) ?? "";
});
afterEach(() => appliance.close());

const STEPS = ["sample", "import", "customer", "call", "webhook", "assistant"];

/** Steps that the page shows as done. */
async function ticked(visitor: Visitor): Promise<string[]> {
  const { html } = await visitor.get("/staff/start/");
  const items = html.split("<li").filter((item) => /^( class="done")?>\s*<h2>/.test(item));
  expect(items).toHaveLength(STEPS.length);
  return STEPS.filter((_, at) => items[at]?.startsWith(' class="done"'));
}

async function setUp(): Promise<Visitor> {
  const visitor = visitorOf(appliance);
  const path = (await appliance.app.setUpPath()) ?? "";
  await visitor.get(path);
  const fields = { name: "Olga", email: "olga@example.com", password: PASSWORD };
  const token = new URLSearchParams(path.split("?")[1]).get("token") ?? "";
  const answer = await visitor.post(path, {
    action: "set-up",
    token,
    organization: "Mine",
    ...fields,
  });
  expect(answer.status).toBe(303);
  expect(answer.location).toBe("/staff/start/");
  return visitor;
}

test("set-up ends signed in on the checklist, in the organization that has the first key", async () => {
  const visitor = await setUp();
  expect((await visitor.get("/staff/start/")).status).toBe(200);
  const { body } = await appliance.request("/v1/me/", { key });
  expect(body.organization.name).toBe("Mine");
  expect(body.member.email).toBe("olga@example.com");
  expect((await visitor.get("/account/keys/")).html).toContain("First key");
  expect(await appliance.app.domains.accounts.organizations()).toHaveLength(1);
});

test("each step of the checklist is ticked once it is done", async () => {
  const visitor = await setUp();
  const { accounts, sample } = appliance.app.domains;
  expect(await ticked(visitor)).toEqual([]);
  await imported(appliance, "channels", [channel(100)]);
  expect(await ticked(visitor)).toEqual(["import"]);
  await accounts.createOrganization({ name: "Acme", plan: "test" }, COMMAND_LINE);
  expect(await ticked(visitor)).toEqual(["import", "customer"]);
  await visitor.post("/staff/start/", { action: "call" });
  expect(await ticked(visitor)).toEqual(["import", "customer", "call"]);
  await created(callsWith(appliance, key), { channels: [100] });
  expect(await ticked(visitor)).toEqual(["import", "customer", "call", "webhook"]);
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const headers = { "content-type": "application/json", accept: "application/json" };
  await appliance.request("/v1/mcp/", { key, method: "POST", body: ping, headers });
  await sample.remove(COMMAND_LINE);
  expect(await ticked(visitor)).toEqual(STEPS);
});

test("a button makes the first call, costs nothing and shows the answer", async () => {
  const visitor = await setUp();
  const { html } = await visitor.post("/staff/start/", { action: "call" });
  const { results } = (await appliance.get("/v1/msgr/channels/?limit=2")).body;
  for (const { title } of results) expect(html).toContain(title);
  expect((await appliance.request("/v1/me/", { key })).body.usage.used).toBe(0);
});

test("a kept sample counts as decided, and remains marked", async () => {
  const visitor = await setUp();
  expect((await visitor.post("/staff/start/", { action: "keep-sample" })).status).toBe(303);
  expect(await ticked(visitor)).toEqual(["sample"]);
  expect((await visitor.get("/account/channels/1/")).html).toContain("This channel is a sample");
});

test("every page that shows the sample says so, until a button removes it", async () => {
  const visitor = await setUp();
  await imported(appliance, "channels", [channel(100)]);
  const marked = async (path: string) => (await visitor.get(path)).html.includes('class="sample"');
  for (const path of [
    ...["/account/channels/", "/account/channels/?q=наук", "/account/channels/1/"],
    ...["/account/channels/1/mentions/", "/account/trending/", "/account/compare/?channels=1,2"],
    ...["/account/posts/?q=новости", "/account/webhooks/", "/account/alerts/"],
    ...["/staff/channels/", "/staff/channels/1/", "/staff/posts/"],
  ]) {
    expect(await marked(path), path).toBe(true);
  }
  for (const path of ["/account/channels/100/", "/staff/channels/100/", "/account/keys/"]) {
    expect(await marked(path), path).toBe(false);
  }
  await visitor.post("/staff/start/", { action: "remove-sample" });
  expect(await marked("/account/channels/")).toBe(false);
  expect((await visitor.get("/account/channels/1/")).status).toBe(404);
  const catalog = (await appliance.get("/v1/msgr/channels/")).body.results;
  expect(catalog.map(({ id }: { id: number }) => id)).toEqual([100]);
  expect(appliance.app.domains.db.prepare("SELECT count(*) AS n FROM posts").get()).toEqual({
    n: 0,
  });
});

test("pages without channels link to the import, for staff only", async () => {
  const visitor = await setUp();
  await visitor.post("/staff/start/", { action: "remove-sample" });
  const toImport = '<a href="/staff/imports/">Import a file</a>';
  for (const path of ["/account/channels/", "/staff/channels/"]) {
    expect((await visitor.get(path)).html, path).toContain(toImport);
    expect((await visitor.get(`${path}?q=наука`)).html, path).not.toContain(toImport);
  }
  const { organizationId } = await appliance.customer();
  await addPerson(appliance, { organizationId, email: "nina@example.com" });
  const customer = await signedInVisitor(appliance, "nina@example.com");
  const { html } = await customer.get("/account/channels/");
  expect(html).toContain("There are no channels yet.");
  expect(html).not.toContain(toImport);
});

test("numbers of the removed sample can be used by the operator's own channels", async () => {
  await appliance.app.domains.sample.remove(COMMAND_LINE);
  await imported(appliance, "channels", [channel(1, { title: "My own" })]);
  expect((await appliance.get("/v1/msgr/channels/1/")).body.title).toBe("My own");
});

test("removing the sample twice at once removes it once, and neither request fails", async () => {
  const { sample } = appliance.app.domains;
  const removed = await Promise.all([sample.remove(COMMAND_LINE), sample.remove(COMMAND_LINE)]);
  expect(removed[0] + removed[1]).toBe(9);
  expect(sample.isCatalogEmpty()).toBe(true);
  const entries = auditOf(appliance, "everybody").filter(
    ({ action }) => action === "sample.remove",
  );
  const noted = entries.reduce((sum, { details }) => sum + Number(details["channels"]), 0);
  expect(noted).toBe(9);
  await imported(appliance, "channels", [channel(9, { title: "My own" })]);
});

test("a sample channel that an import changed belongs to the operator and is not removed", async () => {
  const { sample } = appliance.app.domains;
  await imported(appliance, "channels", [channel(1, { title: "My own" })]);
  expect(sample.ids()).not.toContain(1);
  expect(await sample.remove(COMMAND_LINE)).toBe(8);
  expect((await appliance.get("/v1/msgr/channels/1/")).body.title).toBe("My own");
});

test("the sample's days and posts end yesterday according to the clock", async () => {
  const yesterday = formatDay(dayOf(appliance.ports.clock.now()) - 1);
  const { results } = (await appliance.get("/v1/msgr/stats/daily/?channels=1")).body;
  expect(results.at(-1).day).toBe(yesterday);
  const posts = (await appliance.get("/v1/msgr/channels/1/posts/?limit=1")).body.results;
  expect(posts[0].published_at.slice(0, 10)).toBe(yesterday);
});

test("one form creates an organization with owner, plan and key", async () => {
  const visitor = await setUp();
  const path = "/staff/organizations/";
  const fields = { name: "Acme", plan: "growth", owner: "ada@example.com", owner_name: "Ada" };
  const { html } = await visitor.post(path, { action: "create", ...fields });
  const made = /knl_ro_[0-9A-Za-z]{38}/.exec(html)?.[0] ?? "";
  expect(html).toContain(`curl -H &quot;Authorization: Bearer ${made}&quot;`);
  const { body } = await appliance.request("/v1/me/", { key: made });
  expect(body).toMatchObject({
    organization: { name: "Acme" },
    api_tariff: "growth",
    member: { email: "ada@example.com", name: "Ada", role: "owner" },
  });
  expect(html).toContain("An email with a link is on its way to the owner.");
});

test("a fault in that form is reported at its field, and nothing is created", async () => {
  const visitor = await setUp();
  const sent = { action: "create", name: "Acme", plan: "growth", owner: "no address" };
  const { status, html } = await visitor.post("/staff/organizations/", sent);
  expect(status).toBe(400);
  expect(html).toContain('id="create-owner-fault"');
  expect(await appliance.app.domains.accounts.organizations()).toHaveLength(1);
});

test("a start creates no key once somebody has set up the appliance or created a customer", async () => {
  await setUp();
  expect(await appliance.app.domains.keys.createFirst(COMMAND_LINE)).toBeNull();
  const other = await startAppliance();
  const { keys, accounts } = other.app.domains;
  const { made } = await keys.createCustomer(
    {
      ...{ organization: "Acme", plan: "test", email: "ada@example.com", name: "Ada" },
      key: { name: "First key", access: "read_only" },
    },
    COMMAND_LINE,
  );
  expect(await keys.createFirst(COMMAND_LINE)).toBeNull();
  expect(await keys.keys(made.organization.id)).toHaveLength(1);
  expect(await accounts.organizations()).toHaveLength(1);
  await other.close();
});

test("a later start creates no key once one was used", async () => {
  const { keys } = appliance.app.domains;
  const second = await keys.createFirst(COMMAND_LINE);
  const used = await appliance.request("/v1/msgr/channels/1/", { key: second });
  expect(used.status).toBe(200);
  appliance.ports.clock.advance(120_000);
  expect(await keys.createFirst(COMMAND_LINE)).toBeNull();
  expect((await appliance.request("/v1/me/", { key: second })).status).toBe(200);
});

test("a later start revokes an earlier start's key if it was never used", async () => {
  const { keys } = appliance.app.domains;
  const statusWith = async (token: string | null) =>
    (await appliance.request("/v1/me/", { key: token })).status;
  appliance.ports.clock.advance(59_999);
  const second = await keys.createFirst(COMMAND_LINE);
  appliance.ports.clock.advance(60_000);
  const third = await keys.createFirst(COMMAND_LINE);
  expect([await statusWith(key), await statusWith(second)]).toEqual([401, 401]);
  expect(await statusWith(third)).toBe(200);
  expect(
    auditOf(appliance, "everybody").filter(({ action }) => action === "key.revoke"),
  ).toHaveLength(2);
});
