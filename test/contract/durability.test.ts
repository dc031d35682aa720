import { afterEach, beforeEach, expect, test } from "bun:test";
import { servingConnection } from "../../src/app/database-threads.ts";
import { lanes } from "../../src/app/operations.ts";
import { readConfig } from "../../src/config.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import type { Operations } from "../../src/db/operations.ts";
import type { ToThread } from "../../src/db/threads/thread-pool.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import { channel } from "../support/expectations.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { createMachine, type Machine } from "../support/machine.ts";

/**
 * Surviving a power failure (see the guide Operating) is tested by how far each connection waits for the
 * disk.
 */

const NORMAL = 1;
const FULL = 2;

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

test("a writer flushes each commit to the disk, a counter leaves it to the next flush", () => {
  for (const [access, flushes] of [
    ["writer", true],
    ["counter", false],
  ] as const) {
    const db = openDatabase(machine.database, systemClock, access);
    expect(db.flushes, access).toBe(flushes);
    expect(db.pragmaValue("synchronous"), access).toBe(NORMAL);
    expect(db.pragmaValue("journal_mode")).toBe("wal");
    db.close();
  }
});

test("with KANALOG_DURABLE=full the counting connection flushes each commit too", () => {
  for (const [durable, synchronous] of [
    ["usual", NORMAL],
    ["full", FULL],
  ] as const) {
    const config = readConfig({ KANALOG_DB: machine.database, KANALOG_DURABLE: durable });
    const domains = openDatabase(machine.database, systemClock);
    const db = servingConnection(config, systemClock, domains);
    expect(db.pragmaValue("synchronous"), durable).toBe(synchronous);
    db.close();
    domains.close();
  }
});

test("only usage, the request log and hourly figures are written to a file without a flush", async () => {
  const SystemWorker = globalThis.Worker;
  /** Operations by the access of the connection on which they ran. */
  const ran = { writer: new Set<string>(), counter: new Set<string>(), reader: new Set<string>() };
  globalThis.Worker = class extends SystemWorker {
    operations: Operations = {};
    override postMessage(message: ToThread): void {
      if ("open" in message) {
        this.operations = lanes[message.open.lane as keyof typeof lanes].operations;
      } else if ("name" in message) {
        const access = this.operations[message.name]?.rule.access;
        if (access !== undefined) ran[access].add(message.name);
      }
      super.postMessage(message);
    }
  } as typeof Worker;
  let appliance: Appliance | null = null;
  try {
    const ports = { ...fakePorts(), clock: { ...fakePorts().clock, sleep: systemClock.sleep } };
    appliance = await startAppliance({ KANALOG_DB: machine.database }, ports);
    const { app } = appliance;
    expect(app.domains.db.flushes).toBe(true);
    await appliance.importRows("channels", [channel(1)]);
    const { key } = await appliance.customer({ access: "read_write" });
    await appliance.get("/v1/msgr/channels/1/", key);
    expect(app.domains.usage.used(1, Date.parse("2026-11-20T12:00:00+03:00"))).toBe(1);
    const made = await appliance.request("/v1/msgr/webhooks/", {
      key,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: "https://example.com/", channels: [1] }),
    });
    expect(made.status).toBe(201);
    await app.push.tick();
    await app.scheduler.runNow("recount", COMMAND_LINE);
    await app.scheduler.stop();
  } finally {
    await appliance?.close();
    globalThis.Worker = SystemWorker;
  }
  // Usage is counted by the serving connection, which is not on a thread. The request log and the hourly
  // figures may lose their last seconds, with a flush or without.
  expect([...ran.counter]).toEqual(["writeRequestLog", "writeHour"]);
  for (const name of ["addWebhook", "startDueWork", "runJob"]) {
    expect([...ran.writer], name).toContain(name);
  }
});
