import { afterEach, beforeEach, expect, test } from "bun:test";
import type { PlanChange } from "../../src/customers/accounts/plan.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import {
  type Answer,
  type Appliance,
  type Customer,
  startAppliance,
} from "../support/appliance.ts";
import { channel, imported } from "../support/expectations.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { expectToolError, mcpRequests } from "../support/mcp-requests.ts";
import { SCRAPED, scrape } from "../support/scrape.ts";
import { addPerson, signedInVisitor } from "../support/visitor.ts";

/**
 * Threads measure what work really takes, while the clock by which it is given back stands still: a plan
 * with a millisecond per second lets each organization have 20 ms at once, and no more.
 */

const SEARCH = "/v1/msgr/channels/?q=channel";
const DATABASE_SPENT =
  "Your organization's queries have used up their time: the plan includes 1 ms of database time per second. Send fewer of them, or narrower ones.";
const LOCK_SPENT =
  "Your organization's changes have used up their time: the plan includes 1 ms of writing per second. Send fewer of them, or smaller ones.";
const MOST = 2_000;

let machine: Machine;
let appliance: Appliance;
beforeEach(async () => {
  machine = createMachine();
  appliance = await startAppliance({
    KANALOG_DB: machine.database,
    ...SCRAPED,
    KANALOG_SECRET: "a secret text of at least thirty-two characters",
  });
  const rows = Array.from({ length: 300 }, (_, at) => channel(at + 1));
  await imported(appliance, "channels", rows);
});
afterEach(async () => {
  await appliance.close();
  await machine.leave();
});

const setPlan = (change: PlanChange) =>
  appliance.app.domains.accounts.changePlan("profi", change, COMMAND_LINE);

/** Repeats a request until it is refused. */
async function untilRefused(ask: () => Promise<Answer>): Promise<Answer> {
  for (let times = 0; times < MOST; times++) {
    const answer = await ask();
    if (answer.status === 429) return answer;
    expect(answer.status).toBeLessThan(300);
  }
  throw new Error("it was never refused");
}

async function dearCustomer(): Promise<Customer> {
  await setPlan({ databaseMsPerSecond: 1 });
  const dear = await appliance.customer();
  const refused = await untilRefused(() => appliance.get(SEARCH, dear.key));
  expect(refused.body).toEqual({ code: "throttled", detail: DATABASE_SPENT });
  return dear;
}

const usedBy = async ({ key }: Customer): Promise<number> =>
  (await appliance.get("/v1/me/", key)).body.usage.used;

test("a customer whose queries used up their time is refused at every door, with the reason and for free, and others are not", async () => {
  const dear = await dearCustomer();
  const usedBefore = await usedBy(dear);
  const again = await appliance.get(SEARCH, dear.key);
  expect(again.status).toBe(429);
  expect(Number(again.headers.get("retry-after"))).toBeWithin(1, 31);
  expect(again.headers.get("x-request-cost")).toBe("0");
  const exported = await appliance.get("/v1/msgr/export/channels/?q=channel", dear.key);
  expect(exported.body).toEqual({ code: "throttled", detail: DATABASE_SPENT });
  const tool = await mcpRequests(appliance, dear.key).call("msgr_channels_list", { q: "channel" });
  expectToolError(tool, `429 throttled: ${DATABASE_SPENT}`);
  expect(await usedBy(dear)).toBe(usedBefore);
  // What needs no thread is cheap, and always answered.
  expect((await appliance.get("/v1/msgr/channels/1/", dear.key)).status).toBe(200);

  const modest = await appliance.customer();
  expect((await appliance.get(SEARCH, modest.key)).status).toBe(200);
  expect((await appliance.get("/v1/msgr/export/channels/", modest.key)).status).toBe(200);
});

test("time is given back as it passes, and the refusal says when", async () => {
  const dear = await dearCustomer();
  const refused = await appliance.get(SEARCH, dear.key);
  const waitS = Number(refused.headers.get("retry-after"));
  appliance.ports.clock.advance(waitS * 1000 + 1);
  expect((await appliance.get(SEARCH, dear.key)).status).toBe(200);
  expect((await untilRefused(() => appliance.get(SEARCH, dear.key))).status).toBe(429);
});

test("a plan with more time holds from the next request on", async () => {
  const dear = await dearCustomer();
  await setPlan({ databaseMsPerSecond: 10_000 });
  for (let times = 0; times < 50; times++) {
    expect((await appliance.get(SEARCH, dear.key)).status).toBe(200);
  }
});

test("people see on the overview why their program's requests were refused, in both languages, although it has used up the time", async () => {
  const dear = await dearCustomer();
  await appliance.app.flushRequests();
  const { organizationId } = dear;
  await addPerson(appliance, { email: "owner@example.com", organizationId });
  for (const [language, reason] of [
    ["en", DATABASE_SPENT.replaceAll("'", "&#39;")],
    ["ru", "тариф включает 1 мс времени базы в секунду"],
  ] as const) {
    const owner = await signedInVisitor(appliance, "owner@example.com", language);
    const { status, html } = await owner.get("/account/");
    expect(status).toBe(200);
    expect(html).toContain(reason);
  }
});

test("a member's searches on the site are refused too once they used up the time", async () => {
  await setPlan({ databaseMsPerSecond: 1 });
  await addPerson(appliance, { email: "member@example.com" });
  const member = await signedInVisitor(appliance, "member@example.com");
  const refused = await untilRefused(() => member.get("/account/channels/?q=channel"));
  expect(refused.body).toContain(DATABASE_SPENT.replaceAll("'", "&#39;"));
});

test("an export under way pauses while its organization has little time left, and is sent whole", async () => {
  await setPlan({ databaseMsPerSecond: 1 });
  const { key } = await appliance.customer();
  const rows = Array.from({ length: 6_000 }, (_, at) => channel(at + 1));
  await imported(appliance, "channels", rows);
  const { clock } = appliance.ports;
  let pausedMs = 0;
  clock.sleep = async (durationMs) => {
    pausedMs += durationMs;
    clock.advance(durationMs);
  };
  const { status, body } = await appliance.get("/v1/msgr/export/channels/", key);
  expect(status).toBe(200);
  expect(body.trim().split("\n")).toHaveLength(6_001);
  expect(pausedMs).toBeGreaterThan(0);
});

test("changes are refused once they held the write lock for too long, and a stolen key can still be revoked", async () => {
  await setPlan({ lockMsPerSecond: 1 });
  const thief = await appliance.customer({ access: "read_write" });
  const body = JSON.stringify({ url: "https://a.example.com/", channels: [1] });
  const headers = { "content-type": "application/json" };
  const made = await appliance.request("/v1/msgr/webhooks/", {
    ...{ key: thief.key, method: "POST", headers, body },
  });
  expect(made.status).toBe(201);
  const many = Array.from({ length: 300 }, (_, at) => at + 1);
  let times = 0;
  const refused = await untilRefused(() =>
    appliance.request(`/v1/msgr/webhooks/${made.body.id}/`, {
      ...{ key: thief.key, method: "PATCH", headers },
      // Long enough to be parsed by a thread, which must not count as having begun the change.
      body: JSON.stringify({ channels: times++ % 2 === 0 ? many : [1] }).padEnd(40_000),
    }),
  );
  expect(refused.body).toEqual({ code: "throttled", detail: LOCK_SPENT });
  expect((await appliance.get(SEARCH, thief.key)).status).toBe(200);
  const { organizationId, keyId } = thief;
  await addPerson(appliance, { email: "owner@example.com", organizationId });
  const owner = await signedInVisitor(appliance, "owner@example.com");
  const revoked = await owner.post("/account/keys/", { action: "revoke", key: keyId });
  expect(revoked.status).toBe(303);
  expect((await appliance.get(SEARCH, thief.key)).status).toBe(401);
});

test("readiness and metrics show that an organization is throttled, and the appliance stays ready", async () => {
  await dearCustomer();
  const { status, body } = await appliance.request("/readyz");
  expect(status).toBe(200);
  expect(body.checks.budgets).toContain("answered 429");
  expect((await scrape(appliance)).get('kanalog_throttled_total{reason="database"}')).toBe(1);
  appliance.ports.clock.advance(10_000);
  expect((await appliance.request("/readyz")).body.checks).not.toHaveProperty("budgets");
});
