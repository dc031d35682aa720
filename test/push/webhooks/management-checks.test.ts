import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import {
  type Call,
  CREATE,
  callsWith,
  created,
  deliverPost,
  endManaging,
  expectFieldFaults,
  expectRefused,
  importChannels,
  keyOf,
  METHODS_OF_ONE,
  startManaging,
  UNKNOWN_ID,
  WEBHOOKS,
} from "../../support/webhook-calls.ts";

/** In which order a call is checked, and which verbs its path accepts. */

let appliance: Appliance;
let customer: Customer;
let call: Call;
const accounts = () => appliance.app.domains.accounts;

beforeEach(async () => {
  ({ appliance, customer, call } = await startManaging());
});
afterEach(() => endManaging(appliance));

describe("the order of checks", () => {
  test("the route comes before the key", async () => {
    const anyone = callsWith(appliance, null);
    for (const path of ["1/nothing/", "1/deliveries/1/", "1/test/1/"]) {
      expectRefused(await anyone("POST", path), 404, "not_found", path);
    }
  });

  test("the key comes before the rate, and the rate before the verb", async () => {
    const { key } = await appliance.customer({ plan: "growth" });
    await accounts().changePlan("growth", { requestsPerSecond: 1 }, COMMAND_LINE);
    const theirs = callsWith(appliance, key);
    expectRefused(await theirs("PUT", ""), 405, "method_not_allowed");
    expectRefused(await theirs("PUT", ""), 429, "rate_limited");
    expectRefused(await theirs("POST", "", {}), 429, "rate_limited");
    const wrong = callsWith(appliance, `${key}x`);
    expectRefused(await wrong("PUT", ""), 401, "authentication_failed");
  });

  test("the verb comes before the key's access, that before the role, the role before the plan", async () => {
    const { organizationId } = await appliance.customer({ plan: "test" });
    const readOnly = callsWith(
      appliance,
      await keyOf(appliance, organizationId, "member", "read_only"),
    );
    const member = callsWith(
      appliance,
      await keyOf(appliance, organizationId, "member", "read_write"),
    );
    expectRefused(await readOnly("PUT", "1/"), 405, "method_not_allowed");
    expectRefused(await readOnly("DELETE", ""), 405, "method_not_allowed");
    for (const [verb, path] of [
      ["POST", ""],
      ["PATCH", "1/"],
      ["DELETE", "1/"],
      ["POST", "1/rotate-secret/"],
      ["POST", "1/deliveries/1/resend/"],
    ] as const) {
      expectRefused(await readOnly(verb, path), 403, "read_only_key", `${verb} ${path}`);
      expectRefused(await member(verb, path), 403, "manager_required", `${verb} ${path}`);
    }
    expectRefused(await member("GET", ""), 403, "tariff_required");
  });

  test("the plan comes before the body, its fields and the lookup", async () => {
    const { key } = await appliance.customer({ plan: "start", access: "read_write" });
    const theirs = callsWith(appliance, key);
    for (const path of ["", "1/rotate-secret/", "1/test/"]) {
      const answer = await theirs("POST", path, { nonsense: 1 });
      expectRefused(answer, 403, "tariff_required", path);
      const broken = await appliance.request(WEBHOOKS + path, {
        ...{ method: "POST", key, body: "{" },
        headers: { "content-type": "application/json" },
      });
      expectRefused(broken, 403, "tariff_required", path);
    }
    expectRefused(await theirs("GET", "?limit=x"), 403, "tariff_required");

    const growth = await appliance.customer({ plan: "growth", access: "read_write" });
    const full = callsWith(appliance, growth.key);
    await created(full);
    expectRefused(await full("POST", "", { nonsense: 1 }), 403, "tariff_required");
  });

  test("an exhausted quota blocks none of the methods, since they are free", async () => {
    await accounts().changePlan("profi", { requestsPerPeriod: 1 }, COMMAND_LINE);
    const path = "/v1/msgr/channels/1/";
    expect((await appliance.request(path, { key: customer.key })).status).toBe(200);
    expect((await appliance.request(path, { key: customer.key })).status).toBe(429);
    const { id } = await created(call);
    for (const [verb, rest, body, status] of METHODS_OF_ONE) {
      const answer = await call(verb, `${id}/${rest}`, body);
      expect(answer.status, `${verb} ${rest}`).toBe(status);
    }
    await accounts().changePlan("test", { requestsPerPeriod: 1 }, COMMAND_LINE);
    const poor = await appliance.customer({ plan: "test", access: "read_write" });
    await appliance.request(path, { key: poor.key });
    const refused = await callsWith(appliance, poor.key)("POST", "", {});
    expectRefused(refused, 403, "tariff_required");
  });

  test("the parameters come before the lookup", async () => {
    for (const [verb, path, body, field] of [
      ["PATCH", "", { url: [] }, "url"],
      ["PATCH", "", { is_active: null }, "is_active"],
      ["PATCH", "", { id: 1 }, "id"],
      ["POST", "rotate-secret/", { overlap_hours: 0 }, "overlap_hours"],
      ["POST", "test/", { x: 1 }, "x"],
      ["POST", "deliveries/1/resend/", { x: 1 }, "x"],
      ["GET", "deliveries/?limit=0", undefined, "limit"],
      ["GET", "deliveries/?cursor=x", undefined, "cursor"],
    ] as const) {
      const answer = await call(verb, `${UNKNOWN_ID}/${path}`, body);
      expectFieldFaults(answer, { [field]: /./ }, `${verb} ${path}`);
    }
  });

  test("the lookup comes before the conflict and the minute between tests", async () => {
    const { id } = await created(call);
    expect((await call("POST", `${id}/test/`)).status).toBe(200);
    expectRefused(await call("POST", `${UNKNOWN_ID}/test/`), 404, "not_found");
    await appliance.app.domains.webhooks.disable(id, "", COMMAND_LINE);
    const resend = await call("POST", `${id}/deliveries/${UNKNOWN_ID}/resend/`);
    expectRefused(resend, 404, "not_found");
  });

  test("the body is not read before key, rate, verb, access, role and plan are checked", async () => {
    const { organizationId } = customer;
    const free = await appliance.customer({ plan: "test", access: "read_write" });
    const slow = await appliance.customer({ plan: "growth", access: "read_write" });
    await accounts().changePlan("growth", { requestsPerSecond: 1 }, COMMAND_LINE);
    await appliance.request("/v1/me/", { key: slow.key });
    for (const [key, method, status] of [
      [null, "POST", 401],
      [slow.key, "POST", 429],
      [customer.key, "PUT", 405],
      [await keyOf(appliance, organizationId, "owner", "read_only"), "POST", 403],
      [await keyOf(appliance, organizationId, "member", "read_write"), "POST", 403],
      [free.key, "POST", 403],
      [customer.key, "POST", 500],
    ] as const) {
      let isRead = false;
      const body = new ReadableStream(
        {
          pull(controller) {
            isRead = true;
            controller.error(new Error("the client went away"));
          },
        },
        { highWaterMark: 0 },
      );
      const headers = { "content-type": "application/json" };
      if (status === 500) {
        // This body is read, so `isRead` would have been set for the others too.
        await appliance.request(WEBHOOKS, { method, key, headers, body }).catch(() => {});
        expect(isRead).toBe(true);
        appliance.ports.log.errors.length = 0;
        continue;
      }
      const answer = await appliance.request(WEBHOOKS, { method, key, headers, body });
      expect(answer.status).toBe(status);
      expect(isRead, `${method} ${status}`).toBe(false);
    }
  });
});

describe("the verbs of a path", () => {
  const PATHS = [
    ["", ["GET", "HEAD", "POST"]],
    ["1/", ["DELETE", "GET", "HEAD", "PATCH"]],
    ["1/rotate-secret/", ["POST"]],
    ["1/test/", ["POST"]],
    ["1/deliveries/", ["GET", "HEAD"]],
    ["1/deliveries/1/resend/", ["POST"]],
  ] as const;

  test("are listed with every 405, with and without the trailing slash", async () => {
    for (const [path, verbs] of PATHS) {
      for (const verb of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        if ((verbs as readonly string[]).includes(verb)) continue;
        for (const at of [path, path.slice(0, -1)]) {
          if (at === "" && path !== "") continue;
          const isRedirected = at !== path && (verb === "GET" || verb === "HEAD");
          if (isRedirected) continue;
          const target = path === "" && at === "" ? WEBHOOKS : WEBHOOKS + at;
          const answer = await appliance.request(target, { method: verb, key: customer.key });
          const line = `${verb} ${at}`;
          expect(answer.status, line).toBe(405);
          const allowed = (answer.headers.get("allow") ?? "").split(", ").sort();
          expect(allowed, line).toEqual([...verbs]);
        }
      }
    }
  });

  test("other than GET are served directly without the trailing slash", async () => {
    // Calls the server directly, because the published document only has paths with a trailing slash.
    const withoutSlash = async (method: string, path: string, body?: object) => {
      const response = await appliance.app.server.handle(
        new Request(`http://localhost${WEBHOOKS}${path}`.slice(0, -1), {
          method,
          headers: {
            authorization: `Bearer ${customer.key}`,
            "content-type": "application/json",
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      );
      const text = await response.text();
      return { status: response.status, body: text === "" ? "" : JSON.parse(text) };
    };
    const made = await withoutSlash("POST", "", CREATE);
    expect(made.status).toBe(201);
    const { id } = made.body;
    await deliverPost(appliance, 1);
    const [{ delivery }] = (await call("GET", `${id}/deliveries/`)).body.results;
    const resent = await withoutSlash("POST", `${id}/deliveries/${delivery}/resend/`);
    expect(resent.status).toBe(200);
    for (const [verb, path, body, status] of METHODS_OF_ONE) {
      if (verb === "GET") continue;
      expect((await withoutSlash(verb, `${id}/${path}`, body)).status, path).toBe(status);
    }
  });

  test("GET and HEAD without the trailing slash are redirected to it, with the query", async () => {
    const { id } = await created(call);
    for (const path of ["webhooks", `webhooks/${id}`, `webhooks/${id}/deliveries`]) {
      for (const method of ["GET", "HEAD"]) {
        const at = `/v1/msgr/${path}?limit=1&x=%D1%91`;
        const answer = await appliance.request(at, { method, key: customer.key });
        expect(answer.status, at).toBe(301);
        expect(answer.headers.get("location"), at).toEndWith(`/v1/msgr/${path}/?limit=1&x=%D1%91`);
      }
    }
  });

  test("include HEAD, which answers over the network like GET, without a body", async () => {
    await appliance.close();
    appliance = await startAppliance({ KANALOG_PORT: "0" });
    await importChannels(appliance, 1);
    const { key } = await appliance.customer({ access: "read_write" });
    const { id } = await created(callsWith(appliance, key));
    const address = appliance.app.listen();
    for (const [path, status] of [
      ["", 200],
      [`${id}/`, 200],
      [`${id}/deliveries/`, 200],
      [`${UNKNOWN_ID}/`, 404],
    ] as const) {
      const [get, head] = await Promise.all(
        ["GET", "HEAD"].map((method) =>
          fetch(address + WEBHOOKS + path, {
            method,
            headers: { authorization: `Bearer ${key}` },
          }),
        ),
      );
      expect([get?.status, head?.status], path).toEqual([status, status]);
      const length = (await get?.bytes())?.byteLength;
      expect(await head?.text(), path).toBe("");
      expect(head?.headers.get("content-type"), path).toBe("application/json; charset=utf-8");
      expect(head?.headers.get("content-length"), path).toBe(String(length));
    }
  });
});
