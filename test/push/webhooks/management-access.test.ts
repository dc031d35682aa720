import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import {
  type Call,
  CREATE,
  callsWith,
  created,
  DAY_MS,
  deliverPost,
  endManaging,
  expectFieldFaults,
  expectRefused,
  keyOf,
  METHODS_OF_ONE,
  MINUTE_MS,
  RECEIVER,
  startManaging,
  UNKNOWN_ID,
} from "../../support/webhook-calls.ts";

/** Who may manage webhooks, and what it costs. */

let appliance: Appliance;
let customer: Customer;
let call: Call;
const accounts = () => appliance.app.domains.accounts;

beforeEach(async () => {
  ({ appliance, customer, call } = await startManaging());
});
afterEach(() => endManaging(appliance));

const FOR_ALL = ["", "deliveries/", "test/"];
const isForAll = (verb: string, path: string) =>
  verb !== "PATCH" && verb !== "DELETE" && FOR_ALL.includes(path);

describe("permissions:", () => {
  for (const role of ["owner", "administrator", "member"] as const) {
    for (const access of ["read_only", "read_write"] as const) {
      const refusal =
        access === "read_only" ? "read_only_key" : role === "member" ? "manager_required" : null;
      const rights = refusal === null ? "all" : "list, get, test and read the log, not change";
      test(`a ${access} key of role ${role} may ${rights}`, async () => {
        const theirs = callsWith(
          appliance,
          await keyOf(appliance, customer.organizationId, role, access),
        );
        const { id } = await created(call);
        await deliverPost(appliance, 1);
        const [{ delivery }] = (await call("GET", `${id}/deliveries/`)).body.results;
        const before = await call("GET", "");

        expect((await theirs("GET", "")).status).toBe(200);
        const making = await theirs("POST", "", CREATE);
        const resending = await theirs("POST", `${id}/deliveries/${delivery}/resend/`);
        if (refusal === null) {
          expect([making.status, resending.status]).toEqual([201, 200]);
        } else {
          expectRefused(making, 403, refusal);
          expectRefused(resending, 403, refusal);
        }
        for (const [verb, path, body, status] of METHODS_OF_ONE) {
          const answer = await theirs(verb, `${id}/${path}`, body);
          if (refusal === null || isForAll(verb, path)) {
            expect(answer.status, `${verb} ${path}`).toBe(status);
          } else expectRefused(answer, 403, refusal, `${verb} ${path}`);
        }
        if (refusal === null) return;
        // Only the test left a trace.
        const [webhook, ...more] = (await call("GET", "")).body.results;
        expect(more).toEqual([]);
        const { last_success_at } = webhook;
        expect(webhook).toEqual({ ...before.body.results[0], last_success_at });
      });
    }
  }

  test("nothing is allowed without a key", async () => {
    const { id } = await created(call);
    const anyone = callsWith(appliance, null);
    expectRefused(await anyone("GET", ""), 401, "not_authenticated");
    expectRefused(await anyone("POST", "", CREATE), 401, "not_authenticated");
    for (const [verb, path, body] of METHODS_OF_ONE) {
      expectRefused(await anyone(verb, `${id}/${path}`, body), 401, "not_authenticated");
    }
  });

  test("an administrator who loses the role or is suspended loses the right with the next call", async () => {
    const { id } = await created(call);
    await accounts().changeRole(customer.memberId, "member", COMMAND_LINE);
    expectRefused(await call("DELETE", `${id}/`), 403, "manager_required");
    await accounts().suspendMember(customer.memberId, COMMAND_LINE);
    expectRefused(await call("GET", `${id}/`), 401, "authentication_failed");
  });
});

describe("another organization's webhook", () => {
  test("is a 404 everywhere, like one that does not exist, and stays unchanged", async () => {
    const { id } = await created(call);
    await deliverPost(appliance, 1);
    const [{ delivery }] = (await call("GET", `${id}/deliveries/`)).body.results;
    const before = (await call("GET", `${id}/`)).body;
    const posts = appliance.ports.network.posts.length;

    const stranger = await appliance.customer({ access: "read_write" });
    const theirs = callsWith(appliance, stranger.key);
    const own = await created(theirs);
    const calls = [
      ...METHODS_OF_ONE,
      ["POST", `deliveries/${delivery}/resend/`, undefined],
      ["PATCH", "", { is_active: true }],
      ["PATCH", "", { is_active: false }],
    ] as const;
    for (const [verb, path, body] of calls) {
      const others = await theirs(verb, `${id}/${path}`, body);
      expectRefused(others, 404, "not_found", `${verb} ${path}`);
      const nobodys = await theirs(verb, `${UNKNOWN_ID}/${path}`, body);
      expect(nobodys.body, `${verb} ${path}`).toEqual(others.body);
    }
    const resent = await theirs("POST", `${own.id}/deliveries/${delivery}/resend/`);
    expectRefused(resent, 404, "not_found");
    const listed = (await theirs("GET", "")).body.results.map((each: { id: number }) => each.id);
    expect(listed).toEqual([own.id]);
    expect((await call("GET", `${id}/`)).body).toEqual(before);
    expect(appliance.ports.network.posts.length).toBe(posts);
  });

  test("cannot be reached by adding the number of one's own to the query or the body", async () => {
    const { id } = await created(call);
    const stranger = await appliance.customer({ access: "read_write" });
    const theirs = callsWith(appliance, stranger.key);
    const own = await created(theirs);
    expectRefused(await theirs("GET", `${id}/?id=${own.id}`), 404, "not_found");
    expect((await theirs("GET", `${own.id}/?id=${id}`)).body.id).toBe(own.id);
    const answer = await theirs("PATCH", `${own.id}/`, { id, url: RECEIVER });
    expectFieldFaults(answer, { id: /./ });
  });

  test("that staff disabled is a 404 when enabled, not a conflict", async () => {
    const { id } = await created(call);
    await appliance.app.domains.webhooks.disable(id, "", COMMAND_LINE);
    const stranger = await appliance.customer({ access: "read_write" });
    const answer = await callsWith(appliance, stranger.key)("PATCH", `${id}/`, {
      is_active: true,
    });
    expectRefused(answer, 404, "not_found");
  });

  test("is not found by anything that is not its number", async () => {
    await created(call);
    for (const id of ["0", "-1", "1.0", "1e0", "x", "%FF", "%00", "1%00", "9".repeat(30)]) {
      for (const [verb, path, body] of METHODS_OF_ONE) {
        const answer = await call(verb, `${id}/${path}`, body);
        expectRefused(answer, 404, "not_found", `${verb} ${id}/${path}`);
      }
    }
    const { id } = await created(call);
    for (const delivery of ["0", "x", "%FF", "9".repeat(30)]) {
      const answer = await call("POST", `${id}/deliveries/${delivery}/resend/`);
      expectRefused(answer, 404, "not_found", delivery);
    }
  });
});

describe("the cost", () => {
  test("is nothing, whatever the answer, and every call counts as a request", async () => {
    const me = async () => (await appliance.request("/v1/me/", { key: customer.key })).body;
    const { remaining_period } = await me();
    const statuses: number[] = [];
    const count = async (verb: string, path: string, body?: unknown) => {
      const answer = await call(verb, path, body);
      expect(answer.headers.get("x-request-cost"), `${verb} ${path}`).toBe("0");
      expect(answer.headers.get("ratelimit"), `${verb} ${path}`).toContain('"quota";r=');
      statuses.push(answer.status);
      return answer;
    };
    const { id } = (await count("POST", "", CREATE)).body;
    await deliverPost(appliance, 1);
    const [{ delivery }] = (await count("GET", `${id}/deliveries/`)).body.results;
    await count("GET", "");
    await count("GET", `${id}/`);
    await count("HEAD", `${id}/`);
    await count("PATCH", `${id}/`, { channels: [2] });
    await count("PATCH", `${id}/`, { channels: [UNKNOWN_ID] });
    await count("POST", "", {});
    await count("POST", `${id}/rotate-secret/`);
    await count("POST", `${id}/deliveries/${delivery}/resend/`);
    await count("POST", `${id}/test/`);
    await count("POST", `${id}/test/`);
    await count("PUT", `${id}/`);
    await count("DELETE", `${id}/`);
    await count("DELETE", `${id}/`);
    expect(statuses.filter((status) => status >= 400).sort()).toEqual([400, 400, 404, 405, 429]);

    expect((await me()).remaining_period).toBe(remaining_period);
    const { body } = await appliance.request("/v1/me/usage/", { key: customer.key });
    const rows = body.results.filter(({ method }: { method: string }) =>
      method.includes("webhooks"),
    );
    const sum = (field: string) =>
      rows.reduce((total: number, row: Record<string, number>) => total + (row[field] ?? 0), 0);
    expect([sum("requests"), sum("errors"), sum("units")]).toEqual([statuses.length, 5, 0]);
    expect(rows.length).toBeGreaterThanOrEqual(9);
  });

  test("towards the rate is one request, as for every other method", async () => {
    await appliance.close();
    appliance = await startAppliance({}, fakePorts(), { ratesAsShipped: true });
    const { key } = await appliance.customer({ plan: "growth" });
    const answer = await callsWith(appliance, key)("GET", "");
    expect(answer.headers.get("ratelimit")).toStartWith('"rate";r=9;');
  });
});

describe("archiving the organization", () => {
  test("makes its webhooks inaccessible until it is restored, but keeps them", async () => {
    const { id } = await created(call);
    await accounts().archiveOrganization(customer.organizationId, COMMAND_LINE);
    expectRefused(await call("GET", `${id}/`), 401, "authentication_failed");
    appliance.ports.clock.advance(DAY_MS + MINUTE_MS);
    await accounts().restoreOrganization(customer.organizationId, COMMAND_LINE);
    expect((await call("GET", `${id}/`)).body.is_active).toBe(true);
  });
});
