import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, type Customer, startAppliance } from "../support/appliance.ts";
import { channel } from "../support/expectations.ts";
import {
  PASSWORD,
  signedInMember,
  staffVisitor,
  type Visitor,
  visitorOf,
} from "../support/visitor.ts";

/**
 * A storage that refuses writes, as on a disk that is full or has become read-only: the answers of every
 * door during the fault and afterwards.
 */

let appliance: Appliance;
let customer: Customer;
let member: Visitor;
let staff: Visitor;
let webhook: number;
beforeEach(async () => {
  appliance = await startAppliance();
  await appliance.importRows("channels", [channel(1, { handle: "one" })]);
  customer = await appliance.customer({ access: "read_write" });
  staff = await staffVisitor(appliance);
  member = await signedInMember(appliance, customer.organizationId, "owner", "eve@example.com");
  const made = await send("POST", "/v1/msgr/webhooks/", {
    url: "https://a.example.com/",
    channels: [1],
  });
  webhook = made.body.id;
});
afterEach(() => appliance.close());

const send = (method: string, path: string, body?: object) =>
  appliance.request(path, {
    key: customer.key,
    method,
    headers: { "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });

const refuseWrites = (isRefusing: boolean): void => {
  appliance.app.domains.db.pragma(`query_only = ${isRefusing ? "ON" : "OFF"}`);
};

/** Expects each fault in the log, and none of them as an unexpected error. */
function expectForeseen(): void {
  const messages = appliance.ports.log.errors.map(({ message }) => message);
  expect(messages.length).toBeGreaterThan(0);
  expect(new Set(messages)).toEqual(new Set(["The storage cannot do this at present."]));
}

const FREE = ["/v1/me/", "/v1/me/usage/", "/v1/msgr/categories/", "/v1/msgr/territories/"];
const BILLED = [
  ...["/v1/msgr/channels/", "/v1/msgr/channels/one/", "/v1/msgr/channels/resolve/?q=@one"],
  ...["/v1/msgr/channels/one/posts/", "/v1/msgr/stats/daily/?channels=1"],
];

test("free reads continue, whatever must be counted or changed gets a 503, and nothing is a 500", async () => {
  refuseWrites(true);
  for (const path of [...FREE, "/v1/msgr/webhooks/"]) {
    expect((await send("GET", path)).status, path).toBe(200);
  }
  for (const path of ["/docs/", "/healthz", "/account/sign-in/"]) {
    expect((await appliance.request(path)).status, path).toBe(200);
  }
  const one = `/v1/msgr/webhooks/${webhook}/`;
  const calls = [
    ...BILLED.map((path) => ["GET", path] as const),
    ["POST", "/v1/msgr/webhooks/", { url: "https://b.example.com/", channels: [1] }],
    ["PATCH", one, { is_active: false }],
    ["POST", `${one}rotate-secret/`, {}],
    ["POST", `${one}test/`, {}],
    ["DELETE", one],
  ] as const;
  for (const [method, path, body] of calls) {
    const answer = await send(method, path, body);
    expect({ method, path, status: answer.status }).toEqual({ method, path, status: 503 });
    expect(answer.body.code).toBe("unavailable");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expectForeseen();
});

test("while billed requests get a 503 it is not ready, and ready again once they do not", async () => {
  const { clock } = appliance.ports;
  const ready = async () => (await appliance.request("/readyz")).status;
  expect(await ready()).toBe(200);
  refuseWrites(true);
  expect((await send("GET", "/v1/msgr/channels/1/")).status).toBe(503);
  const { status, body } = await appliance.request("/readyz");
  expect(status).toBe(503);
  const fault = "Usage cannot be committed: requests that cost are answered 503.";
  expect(body).toMatchObject({ detail: fault, checks: { database: "ok", usage: fault } });
  // Meanwhile a load balancer sends it nothing.
  clock.advance(60_000);
  expect(await ready()).toBe(503);
  refuseWrites(false);
  expect(await ready()).toBe(200);
  expect((await send("GET", "/v1/msgr/channels/1/")).status).toBe(200);
  expect(appliance.ports.log.notices.map(({ message }) => message)).toContain(
    "usage is committed again",
  );
});

test("it is ready as soon as a commit works, and ten seconds later if the fault recurs within a minute", async () => {
  const { clock } = appliance.ports;
  const ready = async () => (await appliance.request("/readyz")).status;
  const failOnce = async (): Promise<void> => {
    refuseWrites(true);
    expect((await send("GET", "/v1/msgr/channels/1/")).status).toBe(503);
    expect(await ready()).toBe(503);
    refuseWrites(false);
  };
  await failOnce();
  expect(await ready()).toBe(200);
  clock.advance(30_000);
  await failOnce();
  expect(await ready()).toBe(503);
  clock.advance(10_000);
  expect(await ready()).toBe(200);
  clock.advance(60_000);
  await failOnce();
  expect(await ready()).toBe(200);
});

test("on the site pages continue, and forms say that changes cannot be made now", async () => {
  const { organizationId } = customer;
  refuseWrites(true);
  for (const path of ["/account/", "/account/keys/", "/account/members/", "/account/channels/"]) {
    expect((await member.get(path)).status, path).toBe(200);
  }
  for (const path of ["/staff/", "/staff/jobs/", "/staff/database/"]) {
    expect((await staff.get(path)).status, path).toBe(200);
  }
  const statusOf = async (answer: Promise<{ status: number; html: string }>) => {
    const { status, html } = await answer;
    expect(html).not.toMatch(/password is wrong|is not known/i);
    return status;
  };
  expect(await statusOf(visitorOf(appliance).signIn("eve@example.com"))).toBe(503);
  expect(
    await statusOf(
      member.post("/account/keys/", { action: "create", name: "n", access: "read_only" }),
    ),
  ).toBe(503);
  expect(
    await statusOf(
      member.post("/account/profile/", {
        action: "change-password",
        password: PASSWORD,
        newPassword: "another long one",
      }),
    ),
  ).toBe(503);
  expect(
    await statusOf(staff.post(`/staff/organizations/${organizationId}/`, { action: "archive" })),
  ).toBe(503);
  expect(await statusOf(staff.post("/staff/jobs/", { action: "run", job: "recount" }))).toBe(503);
  expectForeseen();
  expect((await member.get("/account/")).status).toBe(200);
});

test("a person who is signed in stays so, even if the session would be prolonged", async () => {
  // The library uses the real time: a session of seven days is prolonged when it is a day old.
  const inFiveDays = new Date(Date.now() + 5 * 24 * 60 * 60 * 1000).toISOString();
  appliance.app.domains.db.prepare("UPDATE sessions SET expires_at = ?").run(inFiveDays);
  refuseWrites(true);
  expect((await member.get("/account/")).status).toBe(200);
});

test("failing billed requests are logged once at the start, once a minute, and once at the end", async () => {
  const { log, clock } = appliance.ports;
  const failing = async (calls: number): Promise<void> => {
    for (let count = 0; count < calls; count += 1) {
      expect((await send("GET", "/v1/msgr/channels/one/")).status).toBe(503);
    }
  };
  const warned = () => log.warnings.map(({ message, fields }) => ({ message, ...fields }));
  refuseWrites(true);
  await failing(5);
  expect(warned()).toEqual([
    { message: "usage could not be committed", err: expect.any(Error) } as never,
  ]);
  clock.advance(61_000);
  await failing(5);
  expect(warned().slice(1)).toMatchObject([
    { message: "usage still cannot be committed", failures: 6 },
  ]);
  refuseWrites(false);
  expect((await send("GET", "/v1/msgr/channels/one/")).status).toBe(200);
  expect(log.notices.map(({ message }) => message)).toContain("usage is committed again");
  expect(warned()).toHaveLength(2);
  expect(log.errors).toEqual([]);
});

test("after the fault everything works again at once, and only answered requests were counted", async () => {
  const { usage, accounts } = appliance.app.domains;
  const started = (await accounts.organizations()).find(({ id }) => id === customer.organizationId);
  const used = (): number => usage.used(customer.organizationId, started?.planStartedAt ?? 0);
  for (const path of BILLED) expect((await send("GET", path)).status).toBe(200);
  refuseWrites(true);
  for (const path of BILLED) expect((await send("GET", path)).status).toBe(503);
  refuseWrites(false);
  expect(used()).toBe(BILLED.length);
  for (const path of BILLED) expect((await send("GET", path)).status).toBe(200);
  expect(used()).toBe(2 * BILLED.length);
  expect((await visitorOf(appliance).signIn("eve@example.com")).status).toBe(303);
  expect((await send("PATCH", `/v1/msgr/webhooks/${webhook}/`, { is_active: false })).status).toBe(
    200,
  );
});
