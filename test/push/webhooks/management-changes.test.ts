import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import type { Appliance, Customer } from "../../support/appliance.ts";
import { type FakePorts, fakePorts } from "../../support/fake-ports.ts";
import {
  type Call,
  callsWith,
  created,
  DAY_MS,
  deliverPost,
  endManaging,
  expectFieldFaults,
  expectRefused,
  keyOf,
  MINUTE_MS,
  pass,
  RECEIVER,
  shownBy,
  startManaging,
  WEBHOOKS,
} from "../../support/webhook-calls.ts";

/** What a PATCH changes about a webhook, and what it cannot. */

const LATER = "2026-11-20T12:00:01+03:00";

let appliance: Appliance;
let customer: Customer;
let call: Call;
const staff = () => appliance.app.domains.webhooks;

async function start(ports: FakePorts = fakePorts()): Promise<void> {
  ({ appliance, customer, call } = await startManaging(ports));
}

beforeEach(() => start());
afterEach(() => endManaging(appliance));

const shown = (id: number) => shownBy(call, id);

describe("a change", () => {
  test("of one field leaves the others and the time of creation unchanged", async () => {
    const { secret: _, ...made } = await created(call, { channels: [1, 2] });
    appliance.ports.clock.advance(1000);
    const url = "https://other.example.com:8443/new?x=1";
    const moved = await call("PATCH", `${made.id}/`, { url });
    expect(moved.body).toEqual({ ...made, url, updated_at: LATER });
    const watching = await call("PATCH", `${made.id}/`, { channels: [3, 2] });
    expect(watching.body).toEqual({ ...made, url, channels: [3, 2], updated_at: LATER });
  });

  test("without a field is a 400 that changes nothing", async () => {
    const { id } = await created(call);
    const before = await shown(id);
    appliance.ports.clock.advance(1000);
    for (const body of [{}, undefined]) {
      expect((await call("PATCH", `${id}/`, body)).status).toBe(400);
    }
    expect(await shown(id)).toEqual(before);
  });

  test("with a fault in one field changes none of the others", async () => {
    const { id } = await created(call);
    const before = await shown(id);
    appliance.ports.clock.advance(1000);
    const url = "https://other.example.com/";
    for (const [body, field] of [
      [{ url, channels: [99] }, "channels"],
      [{ url, is_active: "maybe" }, "is_active"],
      [{ channels: [2], is_active: false, url: "https://10.0.0.1/" }, "url"],
      [{ url, channels: [2], is_active: false, name: "x" }, "name"],
    ] as const) {
      expectFieldFaults(await call("PATCH", `${id}/`, body), { [field]: /./ });
    }
    expect(await shown(id)).toEqual(before);
  });

  test("to is_active false disables an active webhook as the customer", async () => {
    const { id } = await created(call);
    const { body } = await call("PATCH", `${id}/`, { is_active: false });
    expect([body.is_active, body.disabled_reason]).toEqual([false, "customer"]);
    await deliverPost(appliance, 1);
    expect(appliance.ports.network.posts).toEqual([]);
  });

  test("to is_active false leaves the reason of a disabled webhook unchanged", async () => {
    appliance.ports.network.answer = () => ({ status: 500 });
    const failing = await created(call, { channels: [1] });
    const byStaff = await created(call, { channels: [2] });
    const byCustomer = await created(call, { channels: [3] });
    await staff().disable(byStaff.id, "", COMMAND_LINE);
    await call("PATCH", `${byCustomer.id}/`, { is_active: false });
    await deliverPost(appliance, 1);
    await pass(appliance, DAY_MS, 30 * MINUTE_MS);
    for (const [{ id }, reason] of [
      [failing, "failures"],
      [byStaff, "staff"],
      [byCustomer, "customer"],
    ] as const) {
      expect((await shown(id)).disabled_reason).toBe(reason);
      const { status, body } = await call("PATCH", `${id}/`, { is_active: false });
      expect([status, body.is_active, body.disabled_reason]).toEqual([200, false, reason]);
    }
  });

  test("to is_active true enables a webhook that the customer or failures disabled", async () => {
    appliance.ports.network.answer = () => ({ status: 500 });
    const failing = await created(call, { channels: [1] });
    const byCustomer = await created(call, { channels: [2] });
    await call("PATCH", `${byCustomer.id}/`, { is_active: false });
    await deliverPost(appliance, 1);
    await pass(appliance, DAY_MS, 30 * MINUTE_MS);
    expect((await shown(failing.id)).disabled_reason).toBe("failures");
    for (const { id } of [failing, byCustomer]) {
      const { status, body } = await call("PATCH", `${id}/`, { is_active: true });
      expect([status, body.is_active, body.disabled_reason]).toEqual([200, true, ""]);
      expect(await shown(id)).toEqual(body);
    }
  });

  test("to is_active true leaves an active webhook unchanged", async () => {
    const { id } = await created(call);
    const before = await shown(id);
    appliance.ports.clock.advance(1000);
    const { status, body } = await call("PATCH", `${id}/`, { is_active: true });
    expect(status).toBe(200);
    expect(body).toEqual(before);
    expect(await shown(id)).toEqual(before);
  });

  test("to is_active true keeps the pending retries of an active webhook", async () => {
    const { id } = await created(call);
    appliance.ports.network.answer = () => ({ status: 500 });
    await deliverPost(appliance, 1);
    appliance.ports.network.answer = () => ({ status: 204 });
    await call("PATCH", `${id}/`, { is_active: true });
    await pass(appliance, MINUTE_MS, MINUTE_MS);
    const { body } = await call("GET", `${id}/deliveries/`);
    expect(body.results.map(({ state }: { state: string }) => state)).toEqual(["delivered"]);
  });

  test("may have other fields beside is_active, and applies all of them", async () => {
    const { id } = await created(call);
    const url = "https://other.example.com/";
    const off = await call("PATCH", `${id}/`, { is_active: false, url });
    expect([off.body.is_active, off.body.url]).toEqual([false, url]);
    const on = await call("PATCH", `${id}/`, { is_active: true, channels: [3] });
    expect([on.body.is_active, on.body.channels]).toEqual([true, [3]]);
  });
});

describe("a webhook that staff disabled", () => {
  const enabling = [true, "true", 1] as const;

  test("cannot be enabled: a 409 says to contact support, and nothing is changed", async () => {
    const { id } = await created(call);
    await staff().disable(id, "", COMMAND_LINE);
    const before = await shown(id);
    expect([before.is_active, before.disabled_reason]).toEqual([false, "staff"]);
    appliance.ports.clock.advance(1000);
    for (const fields of [
      {},
      { url: "https://other.example.com/" },
      { channels: [2, 3] },
      { url: "https://other.example.com/", channels: [2] },
    ]) {
      const answer = await call("PATCH", `${id}/`, { is_active: true, ...fields });
      expectRefused(answer, 409, "conflict");
      expect(answer.body.detail).toMatch(/support/i);
      expect(await shown(id)).toEqual(before);
    }
  });

  test("may be changed in other ways, and stays disabled by staff", async () => {
    const { id } = await created(call);
    await staff().disable(id, "", COMMAND_LINE);
    const url = "https://other.example.com/";
    const { status, body } = await call("PATCH", `${id}/`, { url, channels: [2] });
    expect([status, body.url, body.channels]).toEqual([200, url, [2]]);
    expect([body.is_active, body.disabled_reason]).toEqual([false, "staff"]);
  });

  test("stays disabled through every sequence of changes, whoever disabled it before", async () => {
    const body = fc.record(
      {
        is_active: fc.constantFrom<unknown>(...enabling, false, "false", 0),
        url: fc.constantFrom(RECEIVER, "https://other.example.com/"),
        channels: fc.constantFrom([1], [2, 3]),
      },
      { requiredKeys: [] },
    );
    const ids: number[] = [];
    for (const first of [true, false]) {
      const { id } = await created(call);
      if (first) await call("PATCH", `${id}/`, { is_active: false });
      await staff().disable(id, "", COMMAND_LINE);
      ids.push(id);
    }
    const admin = await keyOf(appliance, customer.organizationId, "administrator", "read_write");
    const callers = [call, callsWith(appliance, admin)];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(body, fc.nat({ max: 1 })), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(...ids),
        async (changes, id) => {
          for (const [change, who] of changes) {
            const before = await shown(id);
            appliance.ports.clock.advance(1000);
            const answer = await callers[who]?.("PATCH", `${id}/`, change);
            const after = await shown(id);
            expect([after.is_active, after.disabled_reason]).toEqual([false, "staff"]);
            if (!enabling.some((value) => value === change.is_active)) continue;
            expect(answer?.status).toBe(409);
            expect(after).toEqual(before);
          }
        },
      ),
      { numRuns: 20 },
    );
    await deliverPost(appliance, 1);
    expect(appliance.ports.network.posts).toEqual([]);
  });

  test("while a change is in progress is not enabled by it", async () => {
    const ports = fakePorts();
    const { resolve } = ports.network;
    const resolving = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<string[]>();
    ports.network.resolve = (name, timeoutMs) => {
      if (name !== "other.example.com") return resolve(name, timeoutMs);
      resolving.resolve();
      return answer.promise;
    };
    await appliance.close();
    await start(ports);
    const { id } = await created(call);
    await call("PATCH", `${id}/`, { is_active: false });
    const url = "https://other.example.com/";
    const change = call("PATCH", `${id}/`, { is_active: true, url });
    await resolving.promise;
    await staff().disable(id, "", COMMAND_LINE);
    const before = await shown(id);
    answer.resolve(["93.184.215.14"]);
    expectRefused(await change, 409, "conflict");
    expect(await shown(id)).toEqual(before);
    expect(before.disabled_reason).toBe("staff");
  });

  test("is active again once staff enable it", async () => {
    const { id } = await created(call);
    await staff().disable(id, "", COMMAND_LINE);
    await staff().enable(id, COMMAND_LINE);
    const { is_active, disabled_reason } = await shown(id);
    expect([is_active, disabled_reason]).toEqual([true, ""]);
    expect((await call("PATCH", `${id}/`, { is_active: true })).status).toBe(200);
  });

  test("is not replaced by another one with its number once it is deleted", async () => {
    const { id } = await created(call);
    await staff().disable(id, "", COMMAND_LINE);
    expect((await call("DELETE", `${id}/`)).status).toBe(204);
    const anew = await created(call);
    expect(anew.id).not.toBe(id);
    expect((await appliance.request(`${WEBHOOKS}${id}/`, { key: customer.key })).status).toBe(404);
  });
});
