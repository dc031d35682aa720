import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  type Call,
  callsWith,
  created,
  deliverPost,
  endManaging,
  expectFieldFaults,
  expectRefused,
  importChannels,
  MINUTE_MS,
  RECEIVER,
} from "../../support/webhook-calls.ts";

/** Which webhooks each plan allows, and what remains of them when it changes or ends. */

let appliance: Appliance;
const accounts = () => appliance.app.domains.accounts;

beforeEach(async () => {
  appliance = await startAppliance();
  await importChannels(appliance, 3);
});
afterEach(() => endManaging(appliance));

async function customerOf(plan: "test" | "start" | "growth" | "profi") {
  const customer = await appliance.customer({ plan, access: "read_write" });
  return { ...customer, call: callsWith(appliance, customer.key) };
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function makeWebhooks(call: Call, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let made = 0; made < count; made++) ids.push((await created(call)).id);
  return ids;
}

describe("the plan", () => {
  for (const plan of ["test", "start"] as const) {
    test(`${plan} includes none of the methods`, async () => {
      const { call } = await customerOf(plan);
      for (const [verb, path, body] of [
        ["GET", "", undefined],
        ["POST", "", { url: RECEIVER, channels: [1] }],
        ["GET", "1/", undefined],
        ["PATCH", "1/", { is_active: true }],
        ["DELETE", "1/", undefined],
        ["POST", "1/rotate-secret/", undefined],
        ["POST", "1/test/", undefined],
        ["GET", "1/deliveries/", undefined],
        ["POST", "1/deliveries/1/resend/", undefined],
      ] as const) {
        const answer = await call(verb, path, body);
        expectRefused(answer, 403, "tariff_required", `${verb} ${path}`);
      }
    });
  }

  for (const [plan, webhooks, channels] of [
    ["growth", 1, 500],
    ["profi", 5, 5_000],
  ] as const) {
    test(`${plan} includes ${webhooks} of up to ${channels} channels`, async () => {
      await importChannels(appliance, channels + 1);
      const { call } = await customerOf(plan);
      const tooMany = await call("POST", "", {
        url: RECEIVER,
        channels: numbersTo(channels + 1),
      });
      expectFieldFaults(tooMany, { channels: new RegExp(`\\b${channels + 1}\\b`) });
      const { id } = await created(call, { channels: numbersTo(channels) });
      const { body } = await call("GET", `${id}/`);
      expect(body.channels).toEqual(numbersTo(channels));
      const more = await call("PATCH", `${id}/`, { channels: numbersTo(channels + 1) });
      expectFieldFaults(more, { channels: /./ });

      await makeWebhooks(call, webhooks - 1);
      const answer = await call("POST", "", { url: RECEIVER, channels: [1] });
      expectRefused(answer, 403, "tariff_required");
      expect((await call("GET", "")).body.results.length).toBe(webhooks);
    });
  }

  test("counts disabled webhooks, for whatever reason, but no deleted ones", async () => {
    const { call } = await customerOf("growth");
    const { id } = await created(call);
    const more = { url: RECEIVER, channels: [1] };
    await call("PATCH", `${id}/`, { is_active: false });
    expectRefused(await call("POST", "", more), 403, "tariff_required");
    await appliance.app.domains.webhooks.disable(id, "", COMMAND_LINE);
    expectRefused(await call("POST", "", more), 403, "tariff_required");
    await call("DELETE", `${id}/`);
    await created(call);
    expectRefused(await call("POST", "", more), 403, "tariff_required");
  });

  test("counts the webhooks of one organization, whichever member created them", async () => {
    const [one, other] = [await customerOf("growth"), await customerOf("growth")];
    await created(one.call);
    await created(other.call);
    const { organizationId } = one;
    const { accounts: members, keys } = appliance.app.domains;
    const member = await members.addMember(
      {
        ...{
          organizationId,
          email: "bob@example.com",
          name: "Bob",
          role: "administrator" as const,
        },
      },
      COMMAND_LINE,
    );
    const { token } = await keys.createKey(
      {
        ...{ memberId: member.id, name: "", access: "read_write" as const, expiresAt: null },
      },
      COMMAND_LINE,
    );
    const answer = await callsWith(appliance, token)("POST", "", { url: RECEIVER, channels: [1] });
    expectRefused(answer, 403, "tariff_required");
  });

  test("is not exceeded by webhooks that are created at the same time", async () => {
    const { call } = await customerOf("profi");
    const answers = await Promise.all(
      numbersTo(12).map(() => call("POST", "", { url: RECEIVER, channels: [1] })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(7).fill(403)]);
    expect((await call("GET", "")).body.results.length).toBe(5);
  });

  test("changed by the operator applies from the next call on", async () => {
    const { call } = await customerOf("start");
    expectRefused(await call("GET", ""), 403, "tariff_required");
    await accounts().changePlan("start", { webhooks: 2, webhookChannels: 1 }, COMMAND_LINE);
    const { id } = await created(call);
    const answer = await call("PATCH", `${id}/`, { channels: [1, 2] });
    expectFieldFaults(answer, { channels: /\b2\b/ });
    await created(call);
    const third = await call("POST", "", { url: RECEIVER, channels: [1] });
    expectRefused(third, 403, "tariff_required");
    await accounts().changePlan("start", { webhookChannels: 0 }, COMMAND_LINE);
    expectFieldFaults(await call("PATCH", `${id}/`, { channels: [1] }), { channels: /\b1\b/ });
  });
});

describe("after a downgrade", () => {
  async function downgraded() {
    const customer = await customerOf("profi");
    const ids = await makeWebhooks(customer.call, 3);
    const wide = await created(customer.call, { channels: [1, 2, 3] });
    await accounts().changePlan("growth", { webhookChannels: 2 }, COMMAND_LINE);
    await accounts().givePlan(customer.organizationId, "growth", null, COMMAND_LINE);
    return { ...customer, id: ids[0] as number, wide: wide.id as number };
  }

  test("existing webhooks stay active", async () => {
    const { call, id, wide } = await downgraded();
    const { body } = await call("GET", "");
    expect(body.results.map((each: { is_active: boolean }) => each.is_active)).toEqual([
      ...Array(4).fill(true),
    ]);
    await deliverPost(appliance, 1);
    expect(appliance.ports.network.posts.length).toBe(4);
    for (const each of [id, wide]) {
      expect((await call("POST", `${each}/test/`)).body.delivered).toBe(true);
      expect((await call("POST", `${each}/rotate-secret/`)).status).toBe(200);
      const url = "https://other.example.com/";
      expect((await call("PATCH", `${each}/`, { url })).status).toBe(200);
      expect((await call("PATCH", `${each}/`, { is_active: true })).status).toBe(200);
    }
  });

  test("none can be created until there is room again", async () => {
    const { call } = await downgraded();
    const more = { url: RECEIVER, channels: [1] };
    expectRefused(await call("POST", "", more), 403, "tariff_required");
    for (const { id } of (await call("GET", "")).body.results) {
      expectRefused(await call("POST", "", more), 403, "tariff_required");
      expect((await call("DELETE", `${id}/`)).status).toBe(204);
    }
    await created(call);
  });

  test("a disabled one cannot be enabled while the others fill the plan", async () => {
    const { call, id } = await downgraded();
    await call("PATCH", `${id}/`, { is_active: false });
    const before = (await call("GET", `${id}/`)).body;
    const url = "https://other.example.com/";
    for (const body of [{ is_active: true }, { is_active: true, url, channels: [2] }]) {
      expectRefused(await call("PATCH", `${id}/`, body), 403, "tariff_required");
      expect((await call("GET", `${id}/`)).body).toEqual(before);
    }
    for (const other of (await call("GET", "")).body.results) {
      if (other.id !== id) await call("DELETE", `${other.id}/`);
    }
    expect((await call("PATCH", `${id}/`, { is_active: true })).body.is_active).toBe(true);
  });

  test("a disabled one with too many channels can only be enabled with fewer", async () => {
    const { call, wide } = await downgraded();
    for (const { id } of (await call("GET", "")).body.results) {
      if (id !== wide) await call("DELETE", `${id}/`);
    }
    await call("PATCH", `${wide}/`, { is_active: false });
    const answer = await call("PATCH", `${wide}/`, { is_active: true });
    expectRefused(answer, 403, "tariff_required");
    expect((await call("GET", `${wide}/`)).body.is_active).toBe(false);
    const { body } = await call("PATCH", `${wide}/`, { is_active: true, channels: [1, 2] });
    expect([body.is_active, body.channels]).toEqual([true, [1, 2]]);
  });

  test("a change of channels must keep to the new limit, and a refused one leaves the channels as they were", async () => {
    const { call, wide } = await downgraded();
    for (const channels of [
      [1, 2, 3],
      [3, 2, 1],
    ]) {
      expectFieldFaults(await call("PATCH", `${wide}/`, { channels }), { channels: /./ });
    }
    expect((await call("GET", `${wide}/`)).body.channels).toEqual([1, 2, 3]);
    expect((await call("PATCH", `${wide}/`, { channels: [2, 3] })).status).toBe(200);
  });
});

describe("an organization whose plan no longer includes webhooks", () => {
  async function expectOnlyOldOnes(call: Call, id: number, delivery: number): Promise<void> {
    for (const [verb, path, body] of [
      ["POST", "", { url: RECEIVER, channels: [1] }],
      ["PATCH", `${id}/`, { is_active: true }],
      ["PATCH", `${id}/`, { is_active: false }],
      ["PATCH", `${id}/`, { channels: [2] }],
      ["POST", `${id}/rotate-secret/`, undefined],
      ["POST", `${id}/test/`, undefined],
      ["GET", `${id}/deliveries/`, undefined],
      ["POST", `${id}/deliveries/${delivery}/resend/`, undefined],
    ] as const) {
      const answer = await call(verb, path, body);
      expectRefused(answer, 403, "tariff_required", `${verb} ${path}`);
    }
    const { status, body } = await call("GET", "");
    expect(status).toBe(200);
    expect(body.results.map((each: { id: number }) => each.id)).toContain(id);
    expect((await call("GET", `${id}/`)).body).toEqual(
      body.results.find((each: { id: number }) => each.id === id),
    );
    expectRefused(await call("GET", "999999/"), 404, "not_found");
  }

  test("may list, get and delete its webhooks, and nothing else", async () => {
    for (const plan of ["start", "test"] as const) {
      const { call, organizationId } = await customerOf("profi");
      const [id = 0, other = 0] = await makeWebhooks(call, 2);
      await deliverPost(appliance, plan === "start" ? 1 : 2);
      const [{ delivery }] = (await call("GET", `${id}/deliveries/`)).body.results;
      const before = (await call("GET", `${id}/`)).body;
      await accounts().givePlan(organizationId, plan, null, COMMAND_LINE);
      const posts = appliance.ports.network.posts.length;
      await expectOnlyOldOnes(call, id, delivery);
      expect((await call("GET", `${id}/`)).body).toEqual(before);
      expect(appliance.ports.network.posts.length).toBe(posts);

      expect((await call("DELETE", `${other}/`)).status).toBe(204);
      await expectOnlyOldOnes(call, id, delivery);
      expect((await call("DELETE", `${id}/`)).status).toBe(204);
      for (const [verb, path] of [
        ["GET", ""],
        ["GET", `${id}/`],
        ["DELETE", `${id}/`],
      ] as const) {
        expectRefused(await call(verb, path), 403, "tariff_required", `${verb} ${path}`);
      }
    }
  });

  test("has no access from the instant its plan ends to the instant it is renewed", async () => {
    const { call, organizationId } = await customerOf("growth");
    const { id } = await created(call);
    await deliverPost(appliance, 1);
    const [{ delivery }] = (await call("GET", `${id}/deliveries/`)).body.results;
    const end = Date.parse("2026-11-21T00:00:00+03:00");
    await accounts().givePlan(organizationId, "growth", end, COMMAND_LINE);
    appliance.ports.clock.set("2026-11-20T23:59:59.999+03:00");
    expect((await call("PATCH", `${id}/`, { channels: [2] })).status).toBe(200);
    appliance.ports.clock.advance(1);
    await expectOnlyOldOnes(call, id, delivery);
    expect((await call("GET", `${id}/`)).body.is_active).toBe(true);

    appliance.ports.clock.advance(MINUTE_MS);
    await accounts().givePlan(organizationId, "growth", null, COMMAND_LINE);
    expect((await call("PATCH", `${id}/`, { channels: [1] })).status).toBe(200);
    expect((await call("POST", `${id}/test/`)).body.delivered).toBe(true);
    expect((await call("GET", `${id}/deliveries/`)).status).toBe(200);
  });

  test("is still refused for the key's access and the role first", async () => {
    const { call, organizationId, memberId } = await customerOf("profi");
    const { id } = await created(call);
    await accounts().givePlan(organizationId, "start", null, COMMAND_LINE);
    await accounts().changeRole(memberId, "member", COMMAND_LINE);
    expectRefused(await call("DELETE", `${id}/`), 403, "manager_required");
    expect((await call("GET", `${id}/`)).status).toBe(200);
  });
});
