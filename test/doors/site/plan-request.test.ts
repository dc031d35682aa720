import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { type OperatorApi, operatorApi } from "../../support/operator-api.ts";
import { addPerson, signedInVisitor } from "../../support/visitor.ts";

/** Customers ask for another plan, and staff or the operator's billing answer. */

let appliance: Appliance;
let operator: OperatorApi;
let organizationId: number;
beforeEach(async () => {
  appliance = await startAppliance();
  operator = await operatorApi(appliance, ["read", "customers", "system"]);
  ({ organizationId } = await appliance.customer({ plan: "start" }));
  await addPerson(appliance, { organizationId, email: "olga@example.com", name: "Olga" });
});
afterEach(() => appliance.close());

const PLAN = "/account/plan/";
const ASK = { action: "ask-growth", note: "For <b>us</b>,\nplease" };

test("an owner asks once; staff and the operator's API show it; the plan given closes it", async () => {
  await addPerson(appliance, { email: "staff@example.com", name: "Staff", isStaff: true });
  const olga = await signedInVisitor(appliance, "olga@example.com");
  const asked = await olga.post(PLAN, ASK);
  expect(asked.status).toBe(303);
  const { body } = await operator.get("plan-requests/");
  expect(body.results).toEqual([
    {
      ...{ organization: organizationId, plan: "growth", note: "For <b>us</b>,\nplease" },
      ...{ person: "olga@example.com", created_at: expect.any(String) },
    },
  ]);
  const page = await olga.get(PLAN);
  expect(page.html).toContain("Another plan was asked for");
  const twice = await olga.post(PLAN, { ...ASK, action: "ask-profi" });
  expect(twice.status).toBe(409);

  await appliance.app.mailer.runDue();
  const mail = appliance.ports.mail.sent.filter(({ to }) => to.includes("staff@example.com"));
  expect(mail.map(({ subject }) => subject)).toEqual([
    "Acme: нужен тариф Рост / Acme asks for Growth",
  ]);
  expect(mail[0]?.text).toContain("Note: For <b>us</b>, please");

  const staff = await signedInVisitor(appliance, "staff@example.com");
  const shown = await staff.get(`/staff/organizations/${organizationId}/`);
  expect(shown.html).toContain("For &lt;b&gt;us&lt;/b&gt;,");
  // The form of its page is filled in with what was asked for.
  expect(shown.html).toMatch(/<option[^>]*value="growth"[^>]*selected/);
  const [, ends = ""] = /name="ends"[^>]*value="([^"]*)"/.exec(shown.html) ?? [];
  expect(ends).toMatch(/^\d{4}-\d\d-\d\d$/);
  const place = `/staff/organizations/${organizationId}/`;
  expect((await staff.post(place, { action: "plan", plan: "growth", ends })).status).toBe(303);
  expect((await operator.get("plan-requests/")).body.results).toEqual([]);
  expect((await olga.get(PLAN)).html).toContain("Ask for this plan");
});

test("a request is withdrawn by its organization, or closed by staff", async () => {
  const olga = await signedInVisitor(appliance, "olga@example.com");
  await olga.post(PLAN, ASK);
  expect((await olga.post(PLAN, { action: "withdraw-plan" })).status).toBe(303);
  expect((await operator.get("plan-requests/")).body.results).toEqual([]);
  await olga.post(PLAN, ASK);
  const closed = await operator.post(`plan-requests/${organizationId}/close/`, {});
  expect(closed.body).toMatchObject({ organization: organizationId, plan: "growth" });
  expect((await operator.post(`plan-requests/${organizationId}/close/`, {})).status).toBe(404);
});

test("a plan that is in force, an unknown one and a long note are refused; members may not ask", async () => {
  const olga = await signedInVisitor(appliance, "olga@example.com");
  for (const wrong of [{ action: "ask-start" }, { note: "x".repeat(1_001) }]) {
    expect((await olga.post(PLAN, { ...ASK, ...wrong })).status).toBe(400);
  }
  expect((await olga.post(PLAN, { ...ASK, action: "ask-gold" })).status).toBe(404);
  const member = { organizationId, email: "max@example.com", name: "Max", role: "member" } as const;
  await addPerson(appliance, member);
  const max = await signedInVisitor(appliance, "max@example.com");
  expect((await max.get(PLAN)).html).not.toContain("Ask for this plan");
  expect((await max.post(PLAN, ASK)).status).toBe(403);
  expect((await operator.get("plan-requests/")).body.results).toEqual([]);
});

test("other plans are shown with their prices, and those with a payment page lead there", async () => {
  const olga = await signedInVisitor(appliance, "olga@example.com");
  const set = async (plan: string, offer: object) => {
    const { status } = await operator.send("PATCH", `plan-offers/${plan}/`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(offer),
    });
    expect(status).toBe(200);
  };
  await set("growth", { price: 4_900, currency: "EUR", name_en: "Grow & go" });
  await set("profi", {
    ...{ price: 99_000, currency: "EUR", per: "year" },
    ...{ buy: "link", link: "https://pay.example.com/p?a=b&c=d" },
  });
  await set("test", { offered: false });
  const { html } = await olga.get(PLAN);
  expect(html).toContain("<bdi>Grow &amp; go</bdi>");
  expect(html).toContain("€49 a month");
  expect(html).toContain("€990 a year");
  expect(html).toContain(
    `href="https://pay.example.com/p?a=b&amp;c=d&amp;client_reference_id=${organizationId}"`,
  );
  expect(html).toContain('value="ask-growth"');
  for (const code of ["start", "profi", "test"]) expect(html).not.toContain(`value="ask-${code}"`);
});

test("a page that a plan closes names the first plan on offer that opens it, its price, and leads there", async () => {
  const customer = await appliance.customer({ plan: "test" });
  await addPerson(appliance, { ...customer, email: "tess@example.com" });
  await imported(appliance, "channels", [channel(1)]);
  await imported(appliance, "stats", [{ channel: 1, day: "2026-08-20", subscribers: 100 }]);
  const { accounts } = appliance.app.domains;
  await accounts.changeOffer("start", { price: 1900, currency: "EUR" }, COMMAND_LINE);
  const [tess, russian] = [
    await signedInVisitor(appliance, "tess@example.com"),
    await signedInVisitor(appliance, "tess@example.com", "ru"),
  ];
  const offered = (page: { html: string }): string[] =>
    [...page.html.matchAll(/href="\/account\/plan\/">([^<]*)</g)].map(([, text = ""]) =>
      text.replaceAll("\u00a0", " "),
    );
  const start = "Get Start: €19 a month";
  for (const [path, expected] of [
    ["/account/posts/", [start]],
    ["/account/posts/word/?q=comet", [start]],
    ["/account/channels/1/mentions/", [start]],
    // Posts, and a longer period.
    ["/account/channels/1/?days=366", [start, start]],
    ["/account/webhooks/", ["Get Growth: Price on request"]],
    ["/account/alerts/", ["Get Growth: Price on request"]],
    ["/account/channels/", ["Get Profi: Price on request"]],
  ] as const) {
    expect(offered(await tess.get(path)), path).toEqual([...expected]);
  }
  expect(offered(await russian.get("/account/posts/"))).toEqual([
    "Перейти на «Старт»: 19 € в месяц",
  ]);
  await accounts.changeOffer("start", { isOffered: false }, COMMAND_LINE);
  expect(offered(await tess.get("/account/posts/"))).toEqual(["Get Growth: Price on request"]);
});
