import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const me = async (key: string) => (await appliance.request("/v1/me/", { key })).body;
const END = Date.parse("2026-12-01T00:00:00+03:00");

test("a plan is in force through the last second of its last day; then test is, in a new period", async () => {
  const { key, organizationId } = await appliance.customer({ plan: "growth" });
  await appliance.app.domains.accounts.givePlan(organizationId, "growth", END, COMMAND_LINE);
  await appliance.request("/v1/msgr/channels/", { key });
  appliance.ports.clock.set("2026-11-30T23:59:59.999+03:00");
  expect(await me(key)).toMatchObject({
    api_tariff: "growth",
    tariff_ends_at: "2026-12-01T00:00:00+03:00",
    usage: { period_started_at: "2026-11-20T12:00:00+03:00", used: 1 },
  });
  appliance.ports.clock.set("2026-12-01T00:00:00+03:00");
  expect(await me(key)).toMatchObject({
    api_tariff: "test",
    tariff_ends_at: "2026-12-01T00:00:00+03:00",
    usage: {
      period_started_at: "2026-12-01T00:00:00+03:00",
      period_ends_at: "2026-12-31T00:00:00+03:00",
      used: 0,
    },
    remaining_period: 1000,
  });
});

test("each period's usage starts at 0, and that of earlier periods is kept", async () => {
  const { key } = await appliance.customer();
  for (let at = 0; at < 3; at++) await appliance.request("/v1/msgr/channels/", { key });
  appliance.ports.clock.set("2026-12-20T11:59:59.999+03:00");
  expect((await me(key)).usage).toEqual({
    period_started_at: "2026-11-20T12:00:00+03:00",
    period_ends_at: "2026-12-20T12:00:00+03:00",
    used: 3,
  });
  appliance.ports.clock.advance(1);
  expect((await me(key)).usage.used).toBe(0);
  await appliance.request("/v1/msgr/channels/", { key });
  expect((await me(key)).usage.used).toBe(1);
  appliance.ports.clock.set("2026-12-20T11:00:00+03:00");
  expect((await me(key)).usage.used).toBe(3);
});

test("a plan cannot end in the past", async () => {
  const { organizationId } = await appliance.customer({ plan: "start" });
  const { accounts } = appliance.app.domains;
  const now = appliance.ports.clock.now();
  await expect(
    accounts.givePlan(organizationId, "growth", now, COMMAND_LINE),
  ).rejects.toMatchObject({
    code: "invalid",
    fields: { ends: ["The day is over already."] },
  });
  expect((await accounts.organization(organizationId)).plan).toBe("start");
  const term = await accounts.givePlan(organizationId, "growth", now + 1, COMMAND_LINE);
  expect(term).toMatchObject({ plan: "growth", planEndsAt: now + 1 });
});

test("an organization has only one member with an e-mail address, ignoring case", async () => {
  const { organizationId } = await appliance.customer();
  const other = await appliance.customer();
  const { accounts } = appliance.app.domains;
  const add = async (organization: number, email: string) =>
    accounts.addMember(
      { organizationId: organization, email, name: "", role: "member" },
      COMMAND_LINE,
    );
  await expect(add(organizationId, "ADA@example.com")).rejects.toMatchObject({ code: "invalid" });
  await expect(add(organizationId, "no address")).rejects.toMatchObject({ code: "invalid" });
  await expect(add(99, "bob@example.com")).rejects.toMatchObject({ code: "not_found" });
  expect((await add(other.organizationId, "bob@example.com")).id).toBeGreaterThan(0);
  expect(await accounts.members(organizationId)).toHaveLength(1);
});

test("archiving again keeps the original time, and restoring removes it", async () => {
  const { organizationId } = await appliance.customer();
  const { accounts } = appliance.app.domains;
  const first = await accounts.archiveOrganization(organizationId, COMMAND_LINE);
  appliance.ports.clock.advance(1000);
  expect((await accounts.archiveOrganization(organizationId, COMMAND_LINE)).archivedAt).toBe(
    first.archivedAt,
  );
  expect((await accounts.restoreOrganization(organizationId, COMMAND_LINE)).archivedAt).toBeNull();
});
