import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { channel } from "../../support/expectations.ts";
import { fakePorts } from "../../support/fake-ports.ts";

const DAY_MS = 24 * 3_600_000;
const PERIOD_MS = 30 * DAY_MS;

let appliance: Appliance;

async function used(key: string): Promise<number> {
  return (await appliance.request("/v1/me/", { key })).body.usage.used;
}

function accounts() {
  return appliance.app.domains.accounts;
}

afterEach(() => appliance.close());

describe("the rate", () => {
  let customer: Customer;
  beforeEach(async () => {
    appliance = await startAppliance({}, fakePorts(), { ratesAsShipped: true });
    customer = await appliance.customer({ plan: "start" });
  });

  test("counts every request with a valid key once, also free ones, errors and wrong verbs", async () => {
    const { key } = customer;
    const paths = ["/v1/me/", "/v1/msgr/channels/99/", "/v1/msgr/categories/", "/v1/me/usage/"];
    for (const [index, path] of paths.entries()) {
      const { headers } = await appliance.request(path, { key });
      expect(headers.get("ratelimit")).toStartWith(`"rate";r=${4 - index};t=1, `);
    }
    expect((await appliance.request("/v1/me/", { key, method: "POST" })).status).toBe(405);
    const refused = await appliance.request("/v1/me/", { key });
    expect(refused.status).toBe(429);
    expect(refused.body.code).toBe("rate_limited");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("x-request-cost")).toBe("0");
  });

  test("is checked before the verb, the plan and the parameters", async () => {
    const { key } = customer;
    for (let count = 0; count < 5; count++) await appliance.request("/v1/me/", { key });
    expect((await appliance.request("/v1/me/", { key, method: "DELETE" })).status).toBe(429);
    expect((await appliance.request("/v1/msgr/channels/?limit=x", { key })).status).toBe(429);
  });

  test("is shared by an organization's keys, and not with other organizations", async () => {
    const { key, memberId } = customer;
    const { token } = await appliance.app.domains.keys.createKey(
      {
        memberId,
        name: "",
        access: "read_only",
        expiresAt: null,
      },
      COMMAND_LINE,
    );
    for (let count = 0; count < 5; count++) await appliance.request("/v1/me/", { key });
    expect((await appliance.request("/v1/me/", { key: token })).status).toBe(429);
    const other = await appliance.customer({ plan: "start" });
    expect((await appliance.request("/v1/me/", { key: other.key })).status).toBe(200);
  });

  test("refills with time, and follows a change of plan from the next request on", async () => {
    const { key, organizationId } = customer;
    for (let count = 0; count < 5; count++) await appliance.request("/v1/me/", { key });
    expect((await appliance.request("/v1/me/", { key })).status).toBe(429);
    appliance.ports.clock.advance(200);
    expect((await appliance.request("/v1/me/", { key })).status).toBe(200);
    expect((await appliance.request("/v1/me/", { key })).status).toBe(429);

    await accounts().givePlan(organizationId, "profi", null, COMMAND_LINE);
    appliance.ports.clock.advance(1000);
    const { headers } = await appliance.request("/v1/me/", { key });
    expect(headers.get("ratelimit-policy")).toStartWith('"rate";q=30;w=1, ');
    expect(headers.get("ratelimit")).toStartWith('"rate";r=29;t=1, ');
  });

  test("is not used by requests without a valid key, whose answers have no limit headers", async () => {
    for (let count = 0; count < 20; count++) {
      const { status, headers } = await appliance.request("/v1/me/");
      expect(status).toBe(401);
      expect(headers.get("ratelimit")).toBeNull();
    }
    expect((await appliance.request("/v1/me/", { key: customer.key })).status).toBe(200);
  });
});

describe("the quota", () => {
  let customer: Customer;
  beforeEach(async () => {
    appliance = await startAppliance();
    await appliance.importRows("channels", [channel(1, { handle: "one" })]);
    customer = await appliance.customer({ plan: "start" });
  });

  const quota = (units: number) =>
    accounts().changePlan("start", { requestsPerPeriod: units }, COMMAND_LINE);
  const card = (path = "/v1/msgr/channels/1/") => appliance.request(path, { key: customer.key });

  test("is in every answer to a valid key, with the seconds to the period's end", async () => {
    const { headers } = await card();
    expect(headers.get("ratelimit-policy")).toEndWith('"quota";q=30000;w=2592000');
    expect(headers.get("ratelimit")).toEndWith('"quota";r=29999;t=2592000');
    appliance.ports.clock.advance(DAY_MS);
    const free = await appliance.request("/v1/msgr/categories/", { key: customer.key });
    expect(free.headers.get("ratelimit")).toEndWith(`"quota";r=29999;t=${29 * 86_400}`);
  });

  test("permits exactly that many billed answers, then answers 429 until the period's end", async () => {
    await quota(3);
    for (let count = 0; count < 3; count++) expect((await card()).status).toBe(200);
    appliance.ports.clock.advance(DAY_MS + 500);
    const refused = await card();
    expect(refused.status).toBe(429);
    expect(refused.body.code).toBe("quota_exceeded");
    expect(refused.headers.get("retry-after")).toBe(String(29 * 86_400));
    expect(refused.headers.get("x-request-cost")).toBe("0");
    expect(await used(customer.key)).toBe(3);
  });

  test("does not apply to free methods", async () => {
    await quota(1);
    await card();
    for (const path of ["/v1/me/", "/v1/me/usage/", "/v1/msgr/categories/"]) {
      expect((await card(path)).status).toBe(200);
    }
  });

  test("is checked after the plan, and before the parameters and the lookup", async () => {
    await quota(1);
    await card();
    expect((await card("/v1/msgr/channels/?limit=x")).status).toBe(429);
    expect((await card("/v1/msgr/channels/99/")).status).toBe(429);
    await accounts().changePlan("test", { requestsPerPeriod: 1 }, COMMAND_LINE);
    const { key } = await appliance.customer({ plan: "test" });
    await appliance.request("/v1/msgr/channels/1/", { key });
    const posts = await appliance.request("/v1/msgr/channels/1/posts/", { key });
    expect(posts.body.code).toBe("tariff_required");
  });

  test("is never exceeded, however many requests run at once", async () => {
    await quota(50);
    const paths = ["/v1/msgr/channels/1/", "/v1/msgr/channels/99/", "/v1/msgr/channels/?limit=x"];
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => card(paths[index % paths.length])),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.length - refused.length).toBe(50);
    expect(await used(customer.key)).toBe(50);
  });

  test("is renewed at the exact millisecond at which a period ends", async () => {
    await quota(1);
    await card();
    appliance.ports.clock.advance(PERIOD_MS - 1);
    const last = await card();
    expect(last.status).toBe(429);
    expect(last.headers.get("retry-after")).toBe("1");
    appliance.ports.clock.advance(1);
    expect((await card()).status).toBe(200);
    expect((await card()).status).toBe(429);
    appliance.ports.clock.advance(5 * PERIOD_MS);
    expect((await card()).status).toBe(200);
    expect(await used(customer.key)).toBe(1);
  });

  test("becomes that of test, in a new period, at the instant that the plan ends", async () => {
    const end = Date.parse("2026-12-01T00:00:00+03:00");
    await accounts().givePlan(customer.organizationId, "start", end, COMMAND_LINE);
    await card();
    appliance.ports.clock.set("2026-11-30T23:59:59.999+03:00");
    expect((await card("/v1/msgr/channels/1/posts/")).status).toBe(200);
    appliance.ports.clock.set("2026-12-01T00:00:00+03:00");
    expect((await card("/v1/msgr/channels/1/posts/")).body.code).toBe("tariff_required");
    const { headers } = await card();
    expect(headers.get("ratelimit")).toEndWith('"quota";r=999;t=2592000');
  });

  test("starts a new period with another plan, but not when the present one is renewed", async () => {
    await card();
    await accounts().givePlan(customer.organizationId, "start", null, COMMAND_LINE);
    expect(await used(customer.key)).toBe(1);
    appliance.ports.clock.advance(1);
    await accounts().givePlan(customer.organizationId, "growth", null, COMMAND_LINE);
    expect(await used(customer.key)).toBe(0);
  });

  test("is in concurrent answers as it was after each of them", async () => {
    await quota(100);
    const answers = await Promise.all(Array.from({ length: 40 }, () => card()));
    const left = answers.map(
      ({ headers }) => /"quota";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1],
    );
    expect(left.map(Number).toSorted((a, b) => b - a)).toEqual(
      Array.from({ length: 40 }, (_, index) => 99 - index),
    );
  });

  test("continues its period when test is assigned to an organization that had fallen back to it", async () => {
    await accounts().givePlan(
      customer.organizationId,
      "start",
      Date.parse("2026-12-01T00:00:00+03:00"),
      COMMAND_LINE,
    );
    appliance.ports.clock.set("2026-12-05T12:00:00+03:00");
    await card();
    await accounts().givePlan(customer.organizationId, "test", null, COMMAND_LINE);
    expect(await used(customer.key)).toBe(1);
    await accounts().givePlan(customer.organizationId, "start", null, COMMAND_LINE);
    expect(await used(customer.key)).toBe(0);
  });

  test("has nothing left, but nothing negative, when set below what was used", async () => {
    for (let count = 0; count < 5; count++) await card();
    await quota(3);
    const { status, headers } = await card();
    expect(status).toBe(429);
    expect(headers.get("ratelimit")).toContain('"quota";r=0;');
    const { body } = await appliance.request("/v1/me/", { key: customer.key });
    expect([body.usage.used, body.remaining_period]).toEqual([5, 0]);
  });
});

describe("what a request costs", () => {
  beforeEach(async () => {
    appliance = await startAppliance();
    await appliance.importRows("channels", [channel(1, { handle: "one" })]);
    await appliance.importRows("posts", [
      { id: 1, channel: 1, text: "x", published_at: "2026-11-20T10:00:00+03:00" },
    ]);
  });

  for (const [path, status, cost] of [
    ["/v1/me/", 200, 0],
    ["/v1/me/usage/", 200, 0],
    ["/v1/me/usage/?to=nonsense", 400, 0],
    ["/v1/msgr/categories/", 200, 0],
    ["/v1/msgr/territories/", 200, 0],
    ["/v1/msgr/territories/?kind=x", 400, 0],
    ["/v1/msgr/channels/", 200, 1],
    ["/v1/msgr/channels/?ids=1,2,3", 200, 1],
    ["/v1/msgr/channels/?limit=0", 400, 1],
    ["/v1/msgr/channels/1/", 200, 1],
    ["/v1/msgr/channels/99/", 404, 1],
    ["/v1/msgr/channels/resolve/?q=@one", 200, 1],
    ["/v1/msgr/channels/resolve/?q=@none", 404, 1],
    ["/v1/msgr/channels/resolve/", 400, 1],
    ["/v1/msgr/stats/daily/?channels=1", 200, 1],
    ["/v1/msgr/stats/daily/", 400, 1],
    ["/v1/msgr/channels/1/posts/", 200, 1],
    ["/v1/msgr/channels/99/posts/", 404, 1],
    ["/v1/msgr/posts/1/", 200, 1],
    ["/v1/msgr/posts/99/", 404, 1],
  ] as const) {
    test(`${path} answers ${status} and costs ${cost}`, async () => {
      const { key } = await appliance.customer();
      const answer = await appliance.request(path, { key });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("x-request-cost")).toBe(String(cost));
      expect(await used(key)).toBe(cost);
    });
  }

  test("403, 405 and 429 cost nothing", async () => {
    const { key } = await appliance.customer({ plan: "test" });
    const early = "/v1/msgr/stats/daily/?channels=1&from=2020-01-01&to=2020-01-02";
    for (const [path, method, status] of [
      ["/v1/msgr/channels/1/posts/", "GET", 403],
      [early, "GET", 403],
      ["/v1/msgr/channels/1/", "POST", 405],
    ] as const) {
      const answer = await appliance.request(path, { key, method });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("x-request-cost")).toBe("0");
    }
    await accounts().changePlan("test", { requestsPerSecond: 1 }, COMMAND_LINE);
    await appliance.request("/v1/me/", { key });
    expect((await appliance.request("/v1/msgr/channels/1/", { key })).status).toBe(429);
    appliance.ports.clock.advance(1000);
    expect(await used(key)).toBe(0);
  });
});

describe("the history of usage", () => {
  beforeEach(async () => {
    appliance = await startAppliance();
    await appliance.importRows("channels", [channel(1, { handle: "one" })]);
  });

  const history = async (key: string, query = "") =>
    (await appliance.request(`/v1/me/usage/${query}`, { key })).body.results;

  test("has requests, units and errors by day, method and key", async () => {
    const { key, keyId } = await appliance.customer();
    await appliance.request("/v1/msgr/channels/1/", { key });
    await appliance.request("/v1/msgr/channels/99/", { key });
    await appliance.request("/v1/msgr/categories/", { key });
    appliance.ports.clock.advance(DAY_MS);
    await appliance.request("/v1/msgr/channels/1/", { key });
    await appliance.request("/v1/msgr/channels/1/", { key, method: "PUT" });
    const card = { method: "msgr_channels_retrieve", key: keyId };
    expect(await history(key)).toEqual([
      {
        day: "2026-11-20",
        method: "msgr_categories_list",
        key: keyId,
        requests: 1,
        units: 0,
        errors: 0,
      },
      { day: "2026-11-20", ...card, requests: 2, units: 2, errors: 1 },
      { day: "2026-11-21", ...card, requests: 2, units: 1, errors: 1 },
    ]);
    expect(await history(key, "?from=2026-11-21&to=2026-11-21")).toMatchObject([
      { method: "me_usage_list" },
      { day: "2026-11-21", method: "msgr_channels_retrieve" },
    ]);
  });

  test("has pages with each row once, and of the same days even after midnight", async () => {
    const { key, memberId } = await appliance.customer();
    const { keys } = appliance.app.domains;
    for (let made = 0; made < 3; made++) {
      const wanted = { memberId, name: "", access: "read_only", expiresAt: null } as const;
      const { token } = await keys.createKey(wanted, COMMAND_LINE);
      for (const path of ["/v1/msgr/channels/1/", "/v1/msgr/categories/", "/v1/msgr/channels/"]) {
        await appliance.request(path, { key: token });
      }
    }
    const whole = await history(key);
    expect(whole).toHaveLength(9);
    const collected: unknown[] = [];
    let path = "/v1/me/usage/?limit=2&fields=day,method,key";
    for (;;) {
      const { body } = await appliance.request(path, { key });
      expect(body.results.length).toBeLessThanOrEqual(2);
      collected.push(...body.results);
      if (body.next === null) break;
      const { pathname, search } = new URL(body.next);
      path = pathname + search;
      if (collected.length === 2) appliance.ports.clock.advance(DAY_MS);
    }
    // The requests for the pages are counted among the same days.
    const others = collected.filter(
      (row) => (row as { method: string }).method !== "me_usage_list",
    );
    expect(others).toEqual(
      whole.map(({ day, method, key }: Record<string, unknown>) => ({ day, method, key })),
    );
    const days = new Set(collected.map((row) => (row as { day: string }).day));
    expect([...days]).toEqual(["2026-11-20"]);
    expect((await appliance.request("/v1/me/usage/?limit=10001", { key })).status).toBe(400);
  });

  test("has at most 10,000 rows per page, however many keys there are", async () => {
    const { key, keyId, organizationId } = await appliance.customer();
    const { db } = appliance.app.domains;
    db.exec(`
      WITH RECURSIVE series (value) AS (
        SELECT 0 UNION ALL SELECT value + 1 FROM series WHERE value < 10000)
      INSERT INTO usage_days (organization_id, day, method, key_id, status, requests, units)
      SELECT ${organizationId}, unixepoch('2026-11-01') / 86400 + value % 10, 'method_' || (value / 10),
        ${keyId}, 200, 1, 1 FROM series`);
    const first = (await appliance.request("/v1/me/usage/", { key })).body;
    expect(first.results).toHaveLength(10_000);
    const { pathname, search } = new URL(first.next);
    const second = (await appliance.request(pathname + search, { key })).body;
    expect(second.next).toBeNull();
    // The request for the first page has been counted by now.
    expect(second.results.map(({ method }: { method: string }) => method)).toEqual([
      expect.stringMatching(/^method_/),
      "me_usage_list",
    ]);
  });

  test("shows an organization its own usage only", async () => {
    const ours = await appliance.customer();
    const theirs = await appliance.customer();
    await appliance.request("/v1/msgr/channels/1/", { key: theirs.key });
    expect(await history(ours.key)).toEqual([]);
  });

  test("takes existing days only, at most 366 of them", async () => {
    const { key } = await appliance.customer();
    for (const [query, field] of [
      ["?from=2026-02-30", "from"],
      ["?from=2025-01-01&to=2026-01-02", "to"],
      ["?from=2026-01-02&to=2026-01-01", "to"],
    ] as const) {
      const { status, body } = await appliance.request(`/v1/me/usage/${query}`, { key });
      expect([status, Object.keys(body)]).toEqual([400, [field]]);
    }
    const { status } = await appliance.request("/v1/me/usage/?from=2025-01-01&to=2026-01-01", {
      key,
    });
    expect(status).toBe(200);
  });

  test("is kept for 400 days", async () => {
    const { key } = await appliance.customer();
    await appliance.app.scheduler.runDue();
    await appliance.request("/v1/msgr/channels/1/", { key });
    appliance.ports.clock.advance(399 * DAY_MS);
    await appliance.app.scheduler.runDue();
    expect(await history(key, "?from=2026-11-20&to=2026-11-20")).toHaveLength(1);
    appliance.ports.clock.advance(DAY_MS);
    await appliance.app.scheduler.runDue();
    expect(await history(key, "?from=2026-11-20&to=2026-11-20")).toEqual([]);
  });

  test("counts a request beyond the quota as an error without units", async () => {
    const { key } = await appliance.customer();
    await accounts().changePlan("profi", { requestsPerPeriod: 1 }, COMMAND_LINE);
    await Promise.all(
      Array.from({ length: 5 }, () => appliance.request("/v1/msgr/channels/1/", { key })),
    );
    expect(await history(key)).toMatchObject([{ requests: 5, units: 1, errors: 4 }]);
  });
});
