import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import { imported } from "../support/expectations.ts";
import { createMachine, type Machine } from "../support/machine.ts";

/**
 * Caches in memory are never older than the file. Tested on a file, because only there does serving have a
 * connection of its own.
 */

let machine: Machine;
let appliance: Appliance;
beforeEach(async () => {
  machine = createMachine();
  appliance = await startAppliance({ KANALOG_DB: machine.database });
  await imported(appliance, "channels", [
    { id: "1", handle: "first", title: "Первый", subscribers: "10" },
    { id: "2", handle: "second", title: "Второй", subscribers: "10" },
  ]);
});
afterEach(async () => {
  await appliance.close();
  await machine.leave();
});

const card = async (channel: string, key?: string) =>
  appliance.get(`/v1/msgr/channels/${channel}/`, key);

test("a cached card shows each change in the next answer", async () => {
  for (const title of ["Новый", "Новее"]) {
    await card("1");
    await card("first");
    await imported(appliance, "channels", [{ id: "1", title }]);
    expect((await card("1")).body.title).toBe(title);
    expect((await card("FIRST")).body.title).toBe(title);
    expect((await card("first")).body.title).toBe(title);
  }
});

test("a handle that moved to another channel leads there at once", async () => {
  expect((await card("first")).body.id).toBe(1);
  await imported(appliance, "channels", [{ id: "1", handle: "former" }]);
  await imported(appliance, "channels", [{ id: "2", handle: "first" }]);
  expect((await card("first")).body.id).toBe(2);
  // Its previous handle still finds it.
  expect((await card("second")).body.id).toBe(2);
});

test("a channel that is no longer public disappears at once, and returns at once", async () => {
  const statuses = async () => [(await card("1")).status, (await card("first")).status];
  expect(await statuses()).toEqual([200, 200]);
  await imported(appliance, "channels", [{ id: "1", is_public: "false" }]);
  expect(await statuses()).toEqual([404, 404]);
  await imported(appliance, "channels", [{ id: "1", is_public: "true" }]);
  expect(await statuses()).toEqual([200, 200]);
});

test("a post updates the card's last post at once", async () => {
  await card("1");
  const publishedAt = "2026-01-02T03:04:05+03:00";
  const post = {
    id: 7,
    channel: 1,
    published_at: publishedAt,
    text: "Пост",
    views: 1,
    is_ad: false,
  };
  await imported(appliance, "posts", [post]);
  expect((await card("1")).body.last_post_at).toBe(publishedAt);
});

test("changes of a key, and of a plan's limits, take effect with the next request", async () => {
  const { accounts, keys } = appliance.app.domains;
  const { key, keyId, memberId, organizationId } = await appliance.customer();
  const status = async () => (await card("1", key)).status;
  expect(await status()).toBe(200);
  await accounts.suspendMember(memberId, COMMAND_LINE);
  expect(await status()).toBe(401);
  await accounts.reinstateMember(memberId, COMMAND_LINE);
  expect(await status()).toBe(200);
  await accounts.changePlan("profi", { requestsPerPeriod: 2 }, COMMAND_LINE);
  expect(await status()).toBe(429);
  await accounts.changePlan("profi", { requestsPerPeriod: 3 }, COMMAND_LINE);
  expect(await status()).toBe(200);
  await accounts.changePlan("profi", { requestsPerPeriod: 100 }, COMMAND_LINE);
  await accounts.archiveOrganization(organizationId, COMMAND_LINE);
  expect(await status()).toBe(401);
  await accounts.restoreOrganization(organizationId, COMMAND_LINE);
  expect(await status()).toBe(200);
  await keys.revokeKey(keyId, COMMAND_LINE);
  expect(await status()).toBe(401);
});
