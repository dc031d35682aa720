import { afterEach, beforeEach, expect, test } from "bun:test";
import { PLANS_MAX } from "../../../src/customers/accounts/plan.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { type OperatorApi, operatorApi } from "../../support/operator-api.ts";
import { addPerson, expectDone, signedInVisitor, staffVisitor } from "../../support/visitor.ts";

/** Plans that staff add to those of the specification. */

let appliance: Appliance;
let operator: OperatorApi;
let customer: Awaited<ReturnType<Appliance["customer"]>>;
beforeEach(async () => {
  appliance = await startAppliance();
  operator = await operatorApi(appliance, ["read", "customers"]);
  customer = await appliance.customer({ plan: "start" });
  await imported(appliance, "channels", [channel(1)]);
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const add = (code: string, like: string, limits: object = {}) =>
  operator.post("plans/", { code, like, ...limits });
const give = (plan: string) =>
  operator.post(`organizations/${customer.organizationId}/plan/`, { plan });
const remove = (code: string) => operator.send("DELETE", `plans/${code}/`);
const change = (path: string, body: object) =>
  operator.send("PATCH", path, {
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
const get = (path: string) => appliance.get(path, customer.key);
const EXPORT = "/v1/msgr/export/channels/";

test("a plan includes what the one it is like does, with its own limits, from the next request on", async () => {
  const made = await add("enterprise", "profi", { rate: 90, quota: 5_000_000 });
  expect([made.status, made.body]).toEqual([
    201,
    expect.objectContaining({
      ...{ plan: "enterprise", requests_per_second: 90, requests_per_period: 5_000_000 },
      ...{ posts: true, history_days: null, webhooks: 5, alerts: 200, export: true },
    }),
  ]);
  expect((await get(EXPORT)).status).toBe(403);
  expect((await give("enterprise")).status).toBe(200);
  expect((await get("/v1/me/")).body).toMatchObject({
    api_tariff: "enterprise",
    limits: { requests_per_second: 90, requests_per_period: 5_000_000, posts: true },
  });
  expect((await get(EXPORT)).status).toBe(200);

  await add("tiny", "test", { quota: 5 });
  await give("tiny");
  const posts = await get("/v1/msgr/channels/1/posts/");
  expect([posts.status, posts.body.detail]).toEqual([
    403,
    "The plan tiny does not include this method.",
  ]);
  for (let call = 0; call < 5; call++) await get("/v1/msgr/channels/1/");
  expect((await get("/v1/msgr/channels/1/")).body.code).toBe("quota_exceeded");
});

test("customers see a new plan, by its name, once it is offered, and ask for it", async () => {
  await add("enterprise", "profi");
  const staff = await staffVisitor(appliance);
  const { organizationId } = customer;
  await addPerson(appliance, { organizationId, email: "olga@example.com", name: "Olga" });
  const olga = await signedInVisitor(appliance, "olga@example.com");
  expect((await olga.get("/account/plan/")).html).not.toContain("ask-enterprise");
  const offer = { offered: true, name_en: "Enterprise & Co", price: 100, currency: "EUR" };
  expect((await change("plan-offers/enterprise/", offer)).status).toBe(200);
  for (const path of ["/account/plan/", "/"]) {
    expect((await olga.get(path)).html, path).toContain("<bdi>Enterprise &amp; Co</bdi>");
  }
  expect((await olga.post("/account/plan/", { action: "ask-enterprise" })).status).toBe(303);
  expect((await remove("enterprise")).body.code).toBe("conflict");
  await appliance.app.mailer.runDue();
  expect(appliance.ports.mail.sent.at(-1)?.subject).toContain("Acme asks for Enterprise & Co");
  const page = await staff.get(`/staff/organizations/${organizationId}/`);
  expect(page.html).toMatch(/<option value="enterprise" selected[^>]*>Enterprise &amp; Co/);
  await staff.post(`/staff/organizations/${organizationId}/`, {
    action: "plan",
    plan: "enterprise",
  });
  for (const path of ["/account/", "/account/plan/"]) {
    expect((await olga.get(path)).html, path).toContain("<bdi>Enterprise &amp; Co</bdi>");
  }
});

test("staff add, change, offer and remove a plan on its page", async () => {
  const staff = await staffVisitor(appliance);
  const post = (fields: Record<string, string>) => staff.post("/staff/plans/", fields);
  expectDone(await post({ action: "create", code: "gold", like: "growth" }), "plan.create");
  expectDone(await post({ action: "set-gold", rate: "77" }), "plan.set");
  expectDone(await post({ action: "offer-gold", name_en: "Gold", order: "9" }), "plan.offer");
  const { html } = await staff.get("/staff/plans/");
  expect(html).toContain("<bdi>Gold</bdi>");
  expect(html).toContain('value="delete-gold"');
  expect(html).not.toContain('value="delete-start"');
  const wrong = await post({ action: "create", code: "Gold!", like: "growth" });
  expect([wrong.status, wrong.html.includes('id="create-code-fault"')]).toEqual([400, true]);
  expect((await post({ action: "set-silver", rate: "7" })).status).toBe(404);
  expectDone(await post({ action: "delete-gold" }), "plan.delete");
  expect((await staff.get("/staff/plans/")).html).not.toContain("<bdi>Gold</bdi>");
});

test("a plan that somebody has stays, and so do those of the specification", async () => {
  await add("enterprise", "profi");
  await give("enterprise");
  for (const code of ["enterprise", "test", "start", "growth", "profi"]) {
    const { status, body } = await remove(code);
    expect([code, status, body.code]).toEqual([code, 409, "conflict"]);
  }
  expect((await get("/v1/me/")).body.api_tariff).toBe("enterprise");
  await give("start");
  expect((await remove("enterprise")).status).toBe(204);
  expect((await remove("enterprise")).status).toBe(404);
  expect((await change("plans/enterprise/", { rate: 5 })).status).toBe(404);
  expect((await change("plan-offers/enterprise/", { price: 5 })).status).toBe(404);
});

test("a code that is used again has the new plan's limits at once", async () => {
  await add("gold", "growth", { rate: 40 });
  await give("gold");
  expect((await get("/v1/me/")).body.limits.requests_per_second).toBe(40);
  await give("start");
  await remove("gold");
  await add("gold", "growth", { rate: 50 });
  await give("gold");
  expect((await get("/v1/me/")).body.limits.requests_per_second).toBe(50);
});

test("wrong codes, limits and plans are refused by field, and nothing changes", async () => {
  for (const [wrong, field] of [
    [{ like: "start" }, "code"],
    [{ code: "gold" }, "like"],
    [{ code: "", like: "start" }, "code"],
    [{ code: "start", like: "start" }, "code"],
    [{ code: "Gold", like: "start" }, "code"],
    [{ code: "-gold", like: "start" }, "code"],
    [{ code: "зол", like: "start" }, "code"],
    [{ code: "g".repeat(31), like: "start" }, "code"],
    [{ code: "gold", like: "silver" }, "like"],
    [{ code: "gold", like: "start", rate: 0 }, "rate"],
    [{ code: "gold", like: "start", export: true }, "export"],
  ] as const) {
    const { status, body } = await operator.post("plans/", wrong);
    expect([status, Object.keys(body)], JSON.stringify(wrong)).toEqual([400, [field]]);
  }
  const unknown = await give("gold");
  expect([unknown.status, unknown.body]).toEqual([
    400,
    { plan: ['"gold" is not a valid choice. Allowed: test, start, growth, profi.'] },
  ]);
  const made = await operator.post("organizations/", { name: "New", plan: "gold" });
  expect([made.status, Object.keys(made.body)]).toEqual([400, ["plan"]]);
  for (let at = 5; at <= PLANS_MAX; at++) expect((await add(`p${at}`, "start")).status).toBe(201);
  expect((await add("gold", "start")).status).toBe(409);
  const { body } = await operator.get("plans/?limit=100");
  expect(body.results).toHaveLength(PLANS_MAX);
});
