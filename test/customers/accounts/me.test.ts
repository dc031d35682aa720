import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { fakePorts } from "../../support/fake-ports.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

async function me(key: string) {
  const answer = await appliance.get("/v1/me/", key);
  expect(answer.status).toBe(200);
  return answer.body;
}

async function used(key: string): Promise<number> {
  return (await me(key)).usage.used;
}

describe("the account", () => {
  beforeEach(async () => {
    await appliance.close();
    appliance = await startAppliance({}, fakePorts(), { ratesAsShipped: true });
  });

  test("has exactly the contract's fields", async () => {
    appliance.ports.clock.set("2026-11-20T14:03:07.654+03:00");
    const { key, organizationId, memberId, keyId } = await appliance.customer({
      plan: "growth",
      role: "administrator",
      expiresAt: Date.parse("2027-01-01T00:00:00+03:00"),
    });
    const { body, headers } = await appliance.get("/v1/me/", key);
    expect(headers.get("x-request-cost")).toBe("0");
    expect(body).toEqual({
      key: {
        id: keyId,
        name: "test",
        prefix: key.slice(0, 11),
        access: "read_only",
        created_at: "2026-11-20T14:03:07+03:00",
        last_used_at: "2026-11-20T14:03:07+03:00",
        expires_at: "2027-01-01T00:00:00+03:00",
      },
      member: { id: memberId, name: "Ada", email: "ada@example.com", role: "administrator" },
      organization: { id: organizationId, name: "Acme" },
      api_tariff: "growth",
      tariff_ends_at: null,
      limits: {
        requests_per_second: 10,
        requests_per_period: 150_000,
        period_days: 30,
        webhooks: 1,
        webhook_channels: 500,
        alerts: 10,
        posts: true,
        history_days: null,
      },
      usage: {
        period_started_at: "2026-11-20T14:03:07+03:00",
        period_ends_at: "2026-12-20T14:03:07+03:00",
        used: 0,
      },
      remaining_period: 150_000,
    });
    expect(JSON.stringify(body)).not.toContain(key);
  });

  test("shows the limits of each plan", async () => {
    for (const [plan, limits] of [
      ["test", [2, 1000, 0, 0, false, 30, 0]],
      ["start", [5, 30_000, 0, 0, true, null, 0]],
      ["growth", [10, 150_000, 1, 500, true, null, 10]],
      ["profi", [30, 1_000_000, 5, 5000, true, null, 200]],
    ] as const) {
      const { key } = await appliance.customer({ plan });
      const body = await me(key);
      expect(body.api_tariff).toBe(plan);
      expect(body.limits).toEqual({
        requests_per_second: limits[0],
        requests_per_period: limits[1],
        period_days: 30,
        webhooks: limits[2],
        webhook_channels: limits[3],
        alerts: limits[6],
        posts: limits[4],
        history_days: limits[5],
      });
      expect(body.remaining_period).toBe(limits[1]);
    }
  });

  test("shows the key's access mark", async () => {
    const { memberId } = await appliance.customer();
    const { token } = await appliance.app.domains.keys.createKey(
      {
        memberId,
        name: "writes",
        access: "read_write",
        expiresAt: null,
      },
      COMMAND_LINE,
    );
    expect((await me(token)).key).toMatchObject({
      access: "read_write",
      name: "writes",
      prefix: expect.stringMatching(/^knl_rw_.{4}$/),
    });
  });

  test("follows a change of the member's role at once", async () => {
    const { key, memberId } = await appliance.customer({ role: "member" });
    expect((await me(key)).member.role).toBe("member");
    await appliance.app.domains.accounts.changeRole(memberId, "owner", COMMAND_LINE);
    expect((await me(key)).member.role).toBe("owner");
  });
});

describe("the plan", () => {
  const END = "2026-12-06T00:00:00+03:00";

  async function endingCustomer(): Promise<Customer> {
    const customer = await appliance.customer({ plan: "start" });
    await appliance.app.domains.accounts.givePlan(
      customer.organizationId,
      "start",
      Date.parse(END),
      COMMAND_LINE,
    );
    return customer;
  }

  test("that ends shows its end, and is in force through its last second", async () => {
    const { key } = await endingCustomer();
    expect(await me(key)).toMatchObject({ api_tariff: "start", tariff_ends_at: END });
    appliance.ports.clock.set("2026-12-05T23:59:59.999+03:00");
    expect(await me(key)).toMatchObject({ api_tariff: "start", tariff_ends_at: END });
  });

  test("that has ended is replaced by test, in a new period, with its past end still shown", async () => {
    const { key } = await endingCustomer();
    await imported(appliance, "channels", [channel(1)]);
    for (let call = 0; call < 3; call++) await appliance.get("/v1/msgr/channels/1/", key);
    expect(await used(key)).toBe(3);
    appliance.ports.clock.set(END);
    const body = await me(key);
    expect(body).toMatchObject({
      api_tariff: "test",
      tariff_ends_at: END,
      limits: { requests_per_period: 1000, posts: false, history_days: 30 },
      usage: {
        period_started_at: END,
        period_ends_at: "2027-01-05T00:00:00+03:00",
        used: 0,
      },
      remaining_period: 1000,
    });
    await appliance.get("/v1/msgr/channels/1/", key);
    expect((await me(key)).remaining_period).toBe(999);
    const closed = await appliance.get("/v1/msgr/channels/1/posts/", key);
    expect(closed.body.code).toBe("tariff_required");
  });

  test("renewed after its end starts another period", async () => {
    const { key, organizationId } = await endingCustomer();
    appliance.ports.clock.set("2026-12-10T15:00:00+03:00");
    await imported(appliance, "channels", [channel(1)]);
    await appliance.get("/v1/msgr/channels/1/", key);
    await appliance.app.domains.accounts.givePlan(organizationId, "start", null, COMMAND_LINE);
    expect(await me(key)).toMatchObject({
      api_tariff: "start",
      tariff_ends_at: null,
      usage: { period_started_at: "2026-12-10T15:00:00+03:00", used: 0 },
      remaining_period: 30_000,
    });
  });

  test("renewed before its end keeps the period and its usage", async () => {
    const { key, organizationId } = await endingCustomer();
    await imported(appliance, "channels", [channel(1)]);
    await appliance.get("/v1/msgr/channels/1/", key);
    appliance.ports.clock.advance(DAY_MS);
    await appliance.app.domains.accounts.givePlan(organizationId, "start", null, COMMAND_LINE);
    expect(await me(key)).toMatchObject({
      tariff_ends_at: null,
      usage: { period_started_at: "2026-11-20T12:00:00+03:00", used: 1 },
    });
  });
});

describe("usage", () => {
  test("is counted in fixed periods of 30 days from the plan's start", async () => {
    const { key } = await appliance.customer({ plan: "start" });
    await imported(appliance, "channels", [channel(1)]);
    await appliance.get("/v1/msgr/channels/1/", key);
    appliance.ports.clock.advance(30 * DAY_MS - 1);
    await appliance.get("/v1/msgr/channels/1/", key);
    expect((await me(key)).usage).toEqual({
      period_started_at: "2026-11-20T12:00:00+03:00",
      period_ends_at: "2026-12-20T12:00:00+03:00",
      used: 2,
    });
    appliance.ports.clock.advance(1);
    expect((await me(key)).usage).toEqual({
      period_started_at: "2026-12-20T12:00:00+03:00",
      period_ends_at: "2027-01-19T12:00:00+03:00",
      used: 0,
    });
    // Periods without requests pass as well.
    appliance.ports.clock.advance(95 * DAY_MS);
    expect((await me(key)).usage).toEqual({
      period_started_at: "2027-03-20T12:00:00+03:00",
      period_ends_at: "2027-04-19T12:00:00+03:00",
      used: 0,
    });
  });

  test("counts a unit for each billed method that answers 200, 400 or 404", async () => {
    const { key } = await appliance.customer({ plan: "start" });
    await imported(appliance, "channels", [channel(1, { handle: "nsmag" })]);
    await imported(appliance, "posts", [
      { id: 1, channel: 1, published_at: "2026-11-01T00:00:00Z" },
    ]);
    let expected = 0;
    for (const [path, status] of [
      ["/v1/msgr/channels/", 200],
      ["/v1/msgr/channels/?ids=1", 200],
      ["/v1/msgr/channels/?q=t.me/joinchat/x", 200],
      ["/v1/msgr/channels/1/", 200],
      ["/v1/msgr/channels/resolve/?q=@nsmag", 200],
      ["/v1/msgr/stats/daily/?channels=1", 200],
      ["/v1/msgr/channels/1/posts/", 200],
      ["/v1/msgr/posts/1/", 200],
      ["/v1/msgr/channels/?kind=group", 400],
      ["/v1/msgr/channels/?category=foo", 400],
      ["/v1/msgr/channels/?cursor=x", 400],
      ["/v1/msgr/channels/resolve/", 400],
      ["/v1/msgr/stats/daily/", 400],
      ["/v1/msgr/channels/1/posts/?from=x", 400],
      ["/v1/msgr/channels/99/", 404],
      ["/v1/msgr/channels/%FF/", 404],
      ["/v1/msgr/channels/resolve/?q=@other", 404],
      ["/v1/msgr/channels/99/posts/", 404],
      ["/v1/msgr/posts/99/", 404],
      ["/v1/msgr/posts/abc/", 404],
    ] as const) {
      const answer = await appliance.get(path, key);
      expect(answer.status, path).toBe(status);
      expect(answer.headers.get("x-request-cost"), path).toBe("1");
      expected += 1;
      expect(await used(key), path).toBe(expected);
    }
    expect((await me(key)).remaining_period).toBe(30_000 - expected);
    const head = await appliance.request("/v1/msgr/channels/1/", { key, method: "HEAD" });
    expect(head.status).toBe(200);
    expect(await used(key)).toBe(expected + 1);
  });

  test("counts nothing for free methods, 401, 403, 405, redirects and addresses that do not exist", async () => {
    const { key } = await appliance.customer({ plan: "test" });
    const free: [path: string, status: number, method?: string, withKey?: string | null][] = [
      ["/v1/me/", 200],
      ["/v1/msgr/categories/", 200],
      ["/v1/msgr/territories/", 200],
      ["/v1/msgr/territories/?parent=atlantis", 400],
      ["/v1/msgr/channels/1/posts/", 403],
      ["/v1/msgr/posts/1/", 403],
      ["/v1/msgr/stats/daily/?channels=1&from=2026-01-01", 403],
      ["/v1/msgr/channels/", 405, "POST"],
      ["/v1/msgr/channels/1/", 405, "DELETE"],
      ["/v1/msgr/channels", 301],
      ["/v1/msgr/nothing/", 404],
      ["/v2/me/", 404],
      ["/v1/msgr/channels/", 401, "GET", null],
      ["/v1/msgr/channels/", 401, "GET", `${key}x`],
    ];
    for (const [path, status, method = "GET", withKey = key] of free) {
      const answer = await appliance.request(path, { key: withKey, method });
      expect(answer.status, path).toBe(status);
      expect(answer.headers.get("x-request-cost") ?? "0", path).toBe("0");
    }
    expect(await me(key)).toMatchObject({ usage: { used: 0 }, remaining_period: 1000 });
  });

  test("is shared by all keys of an organization", async () => {
    const { key, memberId } = await appliance.customer({ plan: "start" });
    const other = await appliance.customer({ plan: "start" });
    const { token } = await appliance.app.domains.keys.createKey(
      {
        memberId,
        name: "second",
        access: "read_only",
        expiresAt: null,
      },
      COMMAND_LINE,
    );
    await appliance.get("/v1/msgr/channels/", key);
    await appliance.get("/v1/msgr/channels/", token);
    expect([await used(key), await used(token), await used(other.key)]).toEqual([2, 2, 0]);
  });

  test("is exact when many requests run at once", async () => {
    const customers: Customer[] = [];
    for (let count = 0; count < 20; count++) customers.push(await appliance.customer());
    const calls = Array.from({ length: 400 }, (_, at) =>
      appliance.request(at % 3 === 0 ? "/v1/msgr/channels/9/" : "/v1/msgr/channels/", {
        key: customers[at % 20]?.key ?? null,
      }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(134);
    expect(statuses.filter((status) => status === 200)).toHaveLength(266);
    for (const { key } of customers) expect(await used(key)).toBe(20);
    expect(appliance.ports.log.errors).toEqual([]);
  });

  test("is in the database once a request is answered", async () => {
    const { key, organizationId } = await appliance.customer({ plan: "start" });
    const startedAt = appliance.ports.clock.now();
    for (const expected of [1, 2, 3]) {
      await appliance.get("/v1/msgr/channels/", key);
      expect(appliance.app.domains.usage.used(organizationId, startedAt)).toBe(expected);
    }
  });
});

describe("last_used_at", () => {
  async function lastUsed(key: string): Promise<string | null> {
    return (await me(key)).key.last_used_at;
  }

  test("is written at the first use, and then at most once a minute", async () => {
    const { key } = await appliance.customer();
    expect(await lastUsed(key)).toBe("2026-11-20T12:00:00+03:00");
    expect(await lastUsed(key)).toBe("2026-11-20T12:00:00+03:00");
    appliance.ports.clock.advance(MINUTE_MS - 1);
    await me(key);
    expect(await lastUsed(key)).toBe("2026-11-20T12:00:00+03:00");
    appliance.ports.clock.advance(1);
    await me(key);
    expect(await lastUsed(key)).toBe("2026-11-20T12:01:00+03:00");
    appliance.ports.clock.advance(MINUTE_MS - 1);
    await me(key);
    expect(await lastUsed(key)).toBe("2026-11-20T12:01:00+03:00");
  });

  test("is recorded for each key separately, by every method", async () => {
    const first = await appliance.customer();
    const second = await appliance.customer();
    expect((await appliance.get("/v1/msgr/channels/99/", first.key)).status).toBe(404);
    const stored = async (keyId: number, organizationId: number) =>
      (await appliance.app.domains.keys.keys(organizationId)).find(({ id }) => id === keyId)
        ?.lastUsedAt;
    expect(await stored(first.keyId, first.organizationId)).toBe(appliance.ports.clock.now());
    expect(await stored(second.keyId, second.organizationId)).toBeNull();
  });

  test("is written with the next use if it could not be written", async () => {
    const { key, keyId, organizationId } = await appliance.customer();
    const { db, keys } = appliance.app.domains;
    const stored = async () =>
      (await keys.keys(organizationId)).find(({ id }) => id === keyId)?.lastUsedAt;
    db.pragma("query_only = ON");
    expect((await appliance.get("/v1/msgr/channels/99/", key)).status).toBe(503);
    db.pragma("query_only = OFF");
    expect(await stored()).toBeNull();
    expect((await appliance.get("/v1/msgr/channels/99/", key)).status).toBe(404);
    expect(await stored()).toBe(appliance.ports.clock.now());
  });

  test("is not written for a key that is refused", async () => {
    const { key, keyId, organizationId } = await appliance.customer();
    await appliance.app.domains.keys.revokeKey(keyId, COMMAND_LINE);
    expect((await appliance.get("/v1/me/", key)).status).toBe(401);
    const [stored] = await appliance.app.domains.keys.keys(organizationId);
    expect(stored?.lastUsedAt).toBeNull();
  });
});
