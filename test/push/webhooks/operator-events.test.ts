import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { queueQuotaMail } from "../../../src/push/mail/notices.ts";
import { updateWebhook } from "../../../src/push/webhooks/manage/webhooks.store.ts";
import { readTargetUrl } from "../../../src/values/network/target-guard.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { type OperatorApi, operatorApi } from "../../support/operator-api.ts";
import { DAY_MS, MINUTE_MS } from "../../support/pushing.ts";

/** The appliance's events, sent to the operator's own addresses. */

const RECEIVER = "https://billing.example.com/events";

let appliance: Appliance;
let operator: OperatorApi;
beforeEach(async () => {
  appliance = await startAppliance();
  operator = await operatorApi(appliance, ["read", "customers", "system"]);
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

async function listen(): Promise<{ id: number; secret: string }> {
  const { status, body } = await operator.post("operator-webhooks/", { url: RECEIVER });
  expect(status).toBe(201);
  return body;
}

/** Events sent so far, each with its body. */
async function sent(): Promise<Record<string, unknown>[]> {
  await appliance.app.push.runDue();
  return appliance.ports.network.posts.map(({ body }) => JSON.parse(body));
}

async function names(): Promise<unknown[]> {
  return (await sent()).map(({ event }) => event);
}

describe("an address of the operator", () => {
  test("gets events from its creation on, signed with the secret that was shown once", async () => {
    await appliance.customer();
    const { id, secret } = await listen();
    const { organizationId } = await appliance.customer({ plan: "start" });
    const events = await sent();
    expect(events).toEqual([
      {
        ...{ event: "organization.created", webhook: id, created_at: expect.any(String) },
        ...{ organization: { id: organizationId, name: "Acme" }, plan: "start" },
      },
      {
        ...{ event: "member.joined", webhook: id, created_at: expect.any(String) },
        organization: { id: organizationId, name: "Acme" },
        member: { id: 2, email: "ada@example.com", role: "owner" },
      },
    ]);
    const [post] = appliance.ports.network.posts;
    const signature = post?.headers["x-service-signature"] ?? "";
    const [, at] = /^t=(\d+),/.exec(signature) ?? [];
    const hmac = createHmac("sha256", secret).update(`${at}.${post?.body}`).digest("hex");
    expect(signature).toBe(`t=${at},v1=${hmac}`);
    expect(post?.headers["x-service-event"]).toBe("organization.created");
    const listed = await operator.get("operator-webhooks/");
    expect(listed.body.results).toMatchObject([{ id, url: RECEIVER, is_active: true }]);
    expect(JSON.stringify(listed.body)).not.toContain(secret);
  });

  test("gets an event again until it answers 2xx, as customers' webhooks do", async () => {
    const { id } = await listen();
    appliance.ports.network.answer = () => ({ status: 503 });
    await appliance.app.domains.accounts.createOrganization(
      { name: "Acme", plan: "test" },
      COMMAND_LINE,
    );
    await sent();
    const failed = await operator.get(`operator-webhooks/${id}/deliveries/`);
    expect(failed.body.results).toMatchObject([
      { event: "organization.created", state: "pending", last_status: 503 },
    ]);
    appliance.ports.network.answer = () => ({ status: 204 });
    appliance.ports.clock.advance(MINUTE_MS);
    expect(await names()).toEqual(["organization.created", "organization.created"]);
    const done = await operator.get(`operator-webhooks/${id}/deliveries/`);
    expect(done.body.results).toMatchObject([{ state: "delivered", last_status: 204 }]);
    const delivery = done.body.results[0].delivery;
    const again = await operator.post(`operator-webhooks/${id}/resend/`, { delivery });
    expect(again.body).toMatchObject({ delivered: true, status: 204, delivery });
  });

  test("is tested, and deleted with its log", async () => {
    const { id } = await listen();
    const tested = await operator.post(`operator-webhooks/${id}/test/`, {});
    expect(tested.body).toMatchObject({ delivered: true, status: 204 });
    expect(await names()).toEqual(["ping"]);
    expect((await operator.post(`operator-webhooks/${id}/test/`, {})).status).toBe(429);
    expect((await operator.send("DELETE", `operator-webhooks/${id}/`)).status).toBe(204);
    await appliance.customer();
    expect(await names()).toEqual(["ping"]);
    expect((await operator.get(`operator-webhooks/${id}/`)).status).toBe(404);
  });

  test("is disabled after a day of failures, of which staff learn by mail, and enabled again", async () => {
    const { id } = await listen();
    appliance.ports.network.answer = () => ({ status: 500 });
    await appliance.customer();
    await sent();
    appliance.ports.clock.advance(DAY_MS / 2);
    await sent();
    for (let hour = 0; hour < 13; hour++) {
      appliance.ports.clock.advance(DAY_MS / 24);
      await sent();
    }
    const disabled = await operator.get(`operator-webhooks/${id}/`);
    expect(disabled.body).toMatchObject({ is_active: false, disabled_reason: "failures" });
    const posts = appliance.ports.network.posts.length;
    await appliance.customer();
    expect(await sent()).toHaveLength(posts);
    appliance.ports.network.answer = () => ({ status: 204 });
    const enabled = await operator.post(`operator-webhooks/${id}/enable/`, {});
    expect(enabled.body).toMatchObject({ is_active: true, disabled_reason: "" });
    expect(await sent()).toHaveLength(posts);
    await appliance.customer();
    expect(await sent()).toHaveLength(posts + 2);
  });

  test("may not be in a private network, and there are at most ten", async () => {
    for (const url of ["http://billing.example.com/", "https://127.0.0.1/", "", undefined]) {
      const refused = await operator.post("operator-webhooks/", { url });
      expect(refused.status).toBe(400);
      expect(Object.keys(refused.body)).toEqual(["url"]);
    }
    for (let at = 0; at < 10; at++) await listen();
    const full = await operator.post("operator-webhooks/", { url: RECEIVER });
    expect(full.status).toBe(409);
  });

  test("is no customer's webhook, and a customer's is none of the operator's", async () => {
    const { id } = await listen();
    expect((await operator.get("webhooks/")).body.results).toEqual([]);
    for (const verb of ["disable", "enable"]) {
      expect((await operator.post(`webhooks/${id}/${verb}/`, {})).status).toBe(404);
    }
    expect((await operator.get(`webhooks/${id}/deliveries/`)).status).toBe(404);
    const { key } = await appliance.customer();
    expect((await appliance.get(`/v1/msgr/webhooks/${id}/`, key)).status).toBe(404);
  });
});

describe("events", () => {
  test("a plan that ends is told a week before and when it ends, once each", async () => {
    await listen();
    const { organizationId: id } = await appliance.customer();
    const { clock } = appliance.ports;
    await sent();
    const endsAt = clock.now() + 10 * DAY_MS;
    await appliance.app.domains.accounts.givePlan(id, "start", endsAt, COMMAND_LINE);
    const plans = async () =>
      (await sent()).filter(({ event }) => String(event).startsWith("plan"));
    clock.advance(3 * DAY_MS - MINUTE_MS);
    expect(await plans()).toEqual([]);
    clock.advance(2 * MINUTE_MS);
    expect(await plans()).toMatchObject([{ event: "plan.ending", plan: "start" }]);
    clock.advance(7 * DAY_MS);
    const ended = { event: "plan.ended", organization: { id, name: "Acme" }, plan: "start" };
    expect(await plans()).toMatchObject([{ event: "plan.ending" }, ended]);
    clock.advance(7 * DAY_MS);
    expect(await plans()).toHaveLength(2);
  });

  test("a plan that is given for less than a week is told at once, and no more until it ends", async () => {
    await listen();
    const { organizationId: id } = await appliance.customer();
    const { clock } = appliance.ports;
    const { accounts } = appliance.app.domains;
    const plans = async () =>
      (await sent()).map(({ event }) => event).filter((event) => String(event).startsWith("plan"));
    await sent();
    // Between two looks: the next look would find what ends in a week and a few seconds.
    clock.advance(MINUTE_MS / 4);
    for (const days of [3, 3, 7]) {
      await accounts.givePlan(id, "start", clock.now() + days * DAY_MS, COMMAND_LINE);
    }
    clock.advance(MINUTE_MS);
    expect(await plans()).toEqual(["plan.ending", "plan.ending"]);
    clock.advance(7 * DAY_MS);
    expect(await plans()).toEqual(["plan.ending", "plan.ending", "plan.ended"]);
  });

  test("a plan that ended before anybody listened is not told", async () => {
    const { organizationId: id } = await appliance.customer();
    const { clock } = appliance.ports;
    const endsAt = clock.now() + DAY_MS;
    await appliance.app.domains.accounts.givePlan(id, "start", endsAt, COMMAND_LINE);
    clock.advance(2 * DAY_MS);
    await listen();
    clock.advance(MINUTE_MS);
    expect(await names()).toEqual([]);
  });

  test("a used quota is told once, and not when 80 percent are used", async () => {
    await listen();
    const { organizationId } = await appliance.customer();
    const { db, clock } = appliance.app.domains;
    const periodStartedAt = clock.now();
    for (const percent of [80, 100, 100]) {
      await queueQuotaMail(db, clock, { organizationId, periodStartedAt, percent, quota: 1_000 });
    }
    const told = (await sent()).filter(({ event }) => event === "quota.reached");
    expect(told).toMatchObject([
      { organization: { id: organizationId, name: "Acme" }, quota: 1_000 },
    ]);
  });

  test("a customer's webhook that is disabled for failures is told", async () => {
    await listen();
    const { organizationId } = await appliance.customer({ access: "read_write" });
    const { db, clock } = appliance.app.domains;
    const target = readTargetUrl(RECEIVER);
    if ("fault" in target) throw new Error("the receiver's address is not valid");
    const { id } = await appliance.app.services.webhooks.create(
      organizationId,
      await appliance.app.domains.accounts.plan("profi"),
      { address: { url: RECEIVER, target: target.value }, channels: [] },
      COMMAND_LINE,
    );
    await inTransaction(db, clock, "webhook-change", (tx) =>
      updateWebhook(tx, id, { failingSince: clock.now() - DAY_MS, lastError: "HTTP 500." }),
    );
    await sent();
    const told = (await sent()).filter(({ event }) => event === "webhook.disabled");
    expect(told).toMatchObject([
      { disabled_webhook: { id, url: RECEIVER, last_error: "HTTP 500." } },
    ]);
  });

  test("are kept for nobody while there is no address", async () => {
    await appliance.customer();
    await sent();
    const { db } = appliance.app.domains;
    expect(db.prepare("SELECT count(*) AS events FROM operator_events").get()).toEqual({
      events: 0,
    });
  });
});
