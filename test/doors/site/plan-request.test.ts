import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
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

const ASK = { action: "ask-plan", plan: "growth", note: "For <b>us</b>,\nplease" };

test("an owner asks once; staff and the operator's API show it; the plan given closes it", async () => {
  const olga = await signedInVisitor(appliance, "olga@example.com");
  const asked = await olga.post("/account/", ASK);
  expect(asked.status).toBe(303);
  const { body } = await operator.get("plan-requests/");
  expect(body.results).toEqual([
    {
      ...{ organization: organizationId, plan: "growth", note: "For <b>us</b>,\nplease" },
      ...{ person: "olga@example.com", created_at: expect.any(String) },
    },
  ]);
  const page = await olga.get("/account/");
  expect(page.html).toContain("Another plan was asked for");
  const twice = await olga.post("/account/", { ...ASK, plan: "profi" });
  expect(twice.status).toBe(409);

  await addPerson(appliance, { email: "staff@example.com", name: "Staff", isStaff: true });
  const staff = await signedInVisitor(appliance, "staff@example.com");
  const shown = await staff.get(`/staff/organizations/${organizationId}/`);
  expect(shown.html).toContain("For &lt;b&gt;us&lt;/b&gt;,");
  await operator.post(`organizations/${organizationId}/plan/`, {
    plan: "growth",
    ends: "2030-01-31",
  });
  expect((await operator.get("plan-requests/")).body.results).toEqual([]);
  expect((await olga.get("/account/")).html).toContain("Ask for another plan");
});

test("a request is withdrawn by its organization, or closed by staff", async () => {
  const olga = await signedInVisitor(appliance, "olga@example.com");
  await olga.post("/account/", ASK);
  expect((await olga.post("/account/", { action: "withdraw-plan" })).status).toBe(303);
  expect((await operator.get("plan-requests/")).body.results).toEqual([]);
  await olga.post("/account/", ASK);
  const closed = await operator.post(`plan-requests/${organizationId}/close/`, {});
  expect(closed.body).toMatchObject({ organization: organizationId, plan: "growth" });
  expect((await operator.post(`plan-requests/${organizationId}/close/`, {})).status).toBe(404);
});

test("a plan that is in force, an unknown one and a long note are refused; members may not ask", async () => {
  const olga = await signedInVisitor(appliance, "olga@example.com");
  for (const wrong of [{ plan: "start" }, { plan: "gold" }, { note: "x".repeat(1_001) }]) {
    expect((await olga.post("/account/", { ...ASK, ...wrong })).status).toBe(400);
  }
  const member = { organizationId, email: "max@example.com", name: "Max", role: "member" } as const;
  await addPerson(appliance, member);
  const max = await signedInVisitor(appliance, "max@example.com");
  expect((await max.get("/account/")).html).not.toContain("Ask for another plan");
  expect((await max.post("/account/", ASK)).status).toBe(403);
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
  const { html } = await olga.get("/account/");
  expect(html).toContain('<option value="growth">Grow &amp; go: €49 a month</option>');
  expect(html).toContain(
    `href="https://pay.example.com/p?a=b&amp;c=d&amp;client_reference_id=${organizationId}"`,
  );
  expect(html).toContain("<bdi>Profi: €990 a year</bdi>");
  for (const code of ["start", "profi", "test"]) {
    expect(html).not.toContain(`<option value="${code}">`);
  }
});
