import { afterEach, beforeEach, expect, test } from "bun:test";
import { SCHEMA_VERSION } from "../../../src/db/schema-version.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel } from "../../support/expectations.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import { createMachine, type Machine } from "../../support/machine.ts";

let machine: Machine;
let appliance: Appliance;
beforeEach(async () => {
  machine = createMachine();
  appliance = await startAppliance({ KANALOG_DB: machine.database });
});
afterEach(async () => {
  await appliance.close();
  await machine.leave();
});

test("if everything is well, each check is ok", async () => {
  const { status, body } = await appliance.request("/readyz");
  expect(status).toBe(200);
  expect(body).toEqual({
    status: "ok",
    checks: {
      ...{ database: "ok", migrations: "ok", disk: "ok", usage: "ok", clock: "ok", queues: "ok" },
    },
  });
});

test("a nearly full volume is unready with its reason, until there is room again", async () => {
  appliance.ports.system.free = 63 * 1024 ** 2;
  const { status, body, headers } = await appliance.request("/readyz");
  const fault = "Less than 64 MiB are free on the database's volume.";
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toBe("1");
  expect(body).toEqual({
    code: "unavailable",
    detail: fault,
    checks: {
      ...{ database: "ok", migrations: "ok", disk: fault, usage: "ok", clock: "ok", queues: "ok" },
    },
  });
  appliance.ports.system.free = 65 * 1024 ** 2;
  expect((await appliance.request("/readyz")).status).toBe(200);
});

test("the checks run once for all who ask meanwhile, and not again for twenty times as long as they took", async () => {
  let checks = 0;
  const { clock, system } = appliance.ports;
  system.freeBytes = async () => {
    checks += 1;
    clock.advance(5);
    return 63 * 1024 ** 2;
  };
  const ask = async () => (await appliance.request("/readyz")).status;
  expect(await Promise.all(Array.from({ length: 50 }, ask))).toEqual(Array(50).fill(503));
  clock.advance(99);
  expect([await ask(), checks]).toEqual([503, 1]);
  clock.advance(1);
  expect([await ask(), checks]).toEqual([503, 2]);
});

test("a file that a newer program has migrated is unready, naming both versions", async () => {
  const db = machine.open();
  db.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
  db.close();
  const { status, body } = await appliance.request("/readyz");
  expect(status).toBe(503);
  expect(body.checks.database).toBe("ok");
  expect(body.checks.migrations).toContain(`version ${SCHEMA_VERSION + 1}`);
  expect(body.checks.migrations).toContain(`needs ${SCHEMA_VERSION}`);
});

test("unknown free space does not make the appliance unready", async () => {
  const ports = fakePorts();
  ports.system.freeBytes = () => Promise.reject(new Error("not here"));
  const other = await startAppliance({ KANALOG_DB: machine.path("other.db") }, ports);
  expect((await other.request("/readyz")).status).toBe(200);
  await other.close();
});

test("readiness needs no key, and reveals no paths", async () => {
  appliance.ports.system.free = 0;
  const { body } = await appliance.request("/readyz");
  expect(JSON.stringify(body)).not.toContain(machine.folder);
});

test("a transaction that held the write lock too long is a warning for ten minutes", async () => {
  const { clock, log } = appliance.ports;
  const hold = (work: string, heldMs: number) =>
    inTransaction(appliance.app.domains.db, clock, work, () => clock.advance(heldMs));
  await hold("recount", 50);
  expect((await appliance.request("/readyz")).body.checks).not.toHaveProperty("write_lock");
  await hold("recount", 80);
  await hold("close-day", 51);
  const { status, body } = await appliance.request("/readyz");
  expect(status).toBe(200);
  expect(body.checks.write_lock).toStartWith(
    'The work "recount" held the write lock for 80 ms at ',
  );
  expect(log.warnings.map(({ fields }) => fields)).toEqual([
    { work: "recount", heldMs: 80 },
    { work: "close-day", heldMs: 51 },
  ]);
  clock.advance(11 * 60_000);
  expect((await appliance.request("/readyz")).body.checks).not.toHaveProperty("write_lock");
});

test("work that always holds the lock too long is logged once a minute", async () => {
  const { clock, log } = appliance.ports;
  for (let held = 0; held < 30; held++) {
    await inTransaction(appliance.app.domains.db, clock, "recount", () => clock.advance(60));
    clock.advance(5_000);
  }
  expect(log.warnings).toHaveLength(3);
});

test("a main thread that was late by more than 250 ms is a warning, with its wait for a processor", async () => {
  const { system, clock } = appliance.ports;
  const warning = async () => (await appliance.request("/readyz")).body.checks.main_thread;
  system.lateness = { lateMs: 250, waitedMs: 10, at: clock.now() };
  expect(await warning()).toBeUndefined();
  system.lateness.lateMs = 1_234.5;
  expect(await warning()).toBe(
    "The main thread was late by 1235 ms at 2026-11-20T12:00:00+03:00, 10 ms of it for want of a processor.",
  );
  system.lateness.waitedMs = null;
  expect(await warning()).toBe("The main thread was late by 1235 ms at 2026-11-20T12:00:00+03:00.");
  expect((await appliance.request("/readyz")).status).toBe(200);
});

test("posts waiting to be put into events are a warning after three minutes, if a webhook watches their channel", async () => {
  const { clock } = appliance.ports;
  const warning = async () => (await appliance.request("/readyz")).body.checks.read_posts;
  await appliance.importRows("channels", [channel(1)]);
  const { key } = await appliance.customer({ access: "read_write" });
  const made = await appliance.request("/v1/msgr/webhooks/", {
    key,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: "https://a.example.com/", channels: [1] }),
  });
  expect(made.status).toBe(201);
  const published_at = new Date(clock.now()).toISOString();
  await appliance.importRows("posts", [{ id: 1, channel: 1, text: "a", published_at }]);
  clock.advance(3 * 60_000);
  expect(await warning()).toBeUndefined();
  clock.advance(1);
  expect(await warning()).toBe(
    "Posts read at 2026-11-20T12:00:00+03:00 are not cut into events yet.",
  );
  await appliance.app.push.runDue();
  expect(await warning()).toBeUndefined();
});

test("posts waiting to be matched with alerts are a warning after three minutes, if there is an alert", async () => {
  const { clock } = appliance.ports;
  const warning = async () => (await appliance.request("/readyz")).body.checks.alert_posts;
  await appliance.importRows("channels", [channel(1), channel(2)]);
  const { key } = await appliance.customer({ access: "read_write" });
  const call = (method: string, path: string, body: object) =>
    appliance.request(path, {
      ...{ key, method, headers: { "content-type": "application/json" } },
      body: JSON.stringify(body),
    });
  const webhook = { url: "https://a.example.com/", channels: [1] };
  expect((await call("POST", "/v1/msgr/webhooks/", webhook)).status).toBe(201);
  const alert = { name: "A", q: "слово", webhook: 1 };
  expect((await call("POST", "/v1/msgr/alerts/", alert)).status).toBe(201);
  const published_at = new Date(clock.now()).toISOString();
  await appliance.importRows("posts", [{ id: 1, channel: 2, text: "a", published_at }]);
  clock.advance(3 * 60_000);
  expect(await warning()).toBeUndefined();
  clock.advance(1);
  expect(await warning()).toBe(
    "Posts read at 2026-11-20T12:00:00+03:00 are not matched with alerts yet.",
  );
  await appliance.request("/v1/msgr/alerts/1/", { key, method: "DELETE" });
  expect(await warning()).toBeUndefined();
  expect((await call("POST", "/v1/msgr/alerts/", alert)).status).toBe(201);
  expect(await warning()).toBeDefined();
  await appliance.app.push.runDue();
  expect(await warning()).toBeUndefined();
});
