import { afterEach, beforeEach, expect, test } from "bun:test";
import { SCHEMA_VERSION } from "../../src/db/migrate.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { createMachine, type Machine } from "../support/machine.ts";

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

test("where all is well, each thing that was looked at is ok", async () => {
  const { status, body } = await appliance.request("/readyz");
  expect(status).toBe(200);
  expect(body).toEqual({
    status: "ok",
    checks: { database: "ok", migrations: "ok", disk: "ok" },
  });
});

test("a volume that is nearly full is told before it is, and no longer once there is room", async () => {
  appliance.ports.system.free = 63 * 1024 ** 2;
  const { status, body, headers } = await appliance.request("/readyz");
  const fault = "Less than 64 MiB are free on the database's volume.";
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toBe("1");
  expect(body).toEqual({
    code: "unavailable",
    detail: fault,
    checks: { database: "ok", migrations: "ok", disk: fault },
  });
  appliance.ports.system.free = 65 * 1024 ** 2;
  expect((await appliance.request("/readyz")).status).toBe(200);
});

test("a file that a newer program has migrated meanwhile is told with both versions", async () => {
  const db = machine.open();
  db.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
  db.close();
  const { status, body } = await appliance.request("/readyz");
  expect(status).toBe(503);
  expect(body.checks.database).toBe("ok");
  expect(body.checks.migrations).toContain(`version ${SCHEMA_VERSION + 1}`);
  expect(body.checks.migrations).toContain(`needs ${SCHEMA_VERSION}`);
});

test("a system that does not say how much is free is no reason to be unready", async () => {
  const ports = fakePorts();
  ports.system.freeBytes = () => Promise.reject(new Error("not here"));
  const other = await startAppliance({ KANALOG_DB: machine.path("other.db") }, ports);
  expect((await other.request("/readyz")).status).toBe(200);
  await other.close();
});

test("it is asked no key, and told to nobody what lies where", async () => {
  appliance.ports.system.free = 0;
  const { body } = await appliance.request("/readyz");
  expect(JSON.stringify(body)).not.toContain(machine.folder);
});
