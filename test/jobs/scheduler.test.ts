import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { claimJob, endJob } from "../../src/jobs/jobs.store.ts";
import { createScheduler, type Job, latestDue, type Scheduler } from "../../src/jobs/scheduler.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";

let appliance: Appliance;
let ran: string[];
beforeEach(async () => {
  appliance = await startAppliance();
  ran = [];
});
afterEach(() => appliance.close());

const NIGHTLY: Job = {
  name: "nightly",
  pattern: "10 0 * * *",
  run: async (dueAt) => {
    ran.push(new Date(dueAt).toISOString());
  },
};

/** A scheduler as another process on the same database has it. */
function scheduler(jobs: readonly Job[] = [NIGHTLY]): Scheduler {
  const { db } = appliance.app.domains;
  const { clock, log } = appliance.ports;
  const ledger = {
    claim: (claim: { name: string; dueAt: number }) => claimJob(db, clock, claim),
    end: (end: { name: string; dueAt: number; failure: string | null }) => endJob(db, clock, end),
  };
  return createScheduler(jobs, ledger, clock, log);
}

const noted = () =>
  appliance.app.domains.db.$client.prepare("SELECT * FROM jobs WHERE name = 'nightly'").get() as {
    due_at: number;
    started_at: number | null;
    finished_at: number | null;
    failure: string | null;
  };

const DAY = Date.parse("2026-11-20T00:10:00+03:00");

test("a due time is the last one at or before an instant, in Moscow", () => {
  const due = (instant: string) => latestDue("10 0 * * *", Date.parse(instant));
  expect(due("2026-11-20T12:00:00+03:00")).toBe(DAY);
  expect(due("2026-11-20T00:10:01+03:00")).toBe(DAY);
  expect(due("2026-11-21T00:09:59.999+03:00")).toBe(DAY);
  expect(due("2026-11-21T00:00:00+03:00")).toBe(DAY);
  expect(due("2026-11-20T21:09:59Z")).toBe(DAY);
  expect(due("2026-11-20T23:00:00Z")).toBe(DAY + 86_400_000);
});

test("the due instant itself is due, to the millisecond", () => {
  for (const instant of ["00:10:00.000", "00:10:00.001", "00:10:00.999"]) {
    const dueAt = latestDue("10 0 * * *", Date.parse(`2026-11-20T${instant}+03:00`));
    expect(dueAt, instant).toBe(DAY);
  }
});

test("a brand-new database has nothing to catch up with", async () => {
  await scheduler().runDue();
  expect(ran).toEqual([]);
  appliance.ports.clock.set("2026-11-21T00:09:59.999+03:00");
  await scheduler().runDue();
  expect(ran).toEqual([]);
});

test("a job runs when its time has come, and once", async () => {
  const one = scheduler();
  await one.runDue();
  appliance.ports.clock.set("2026-11-21T00:10:05+03:00");
  await one.runDue();
  await one.runDue();
  appliance.ports.clock.set("2026-11-21T23:59:59+03:00");
  await one.runDue();
  expect(ran).toEqual(["2026-11-20T21:10:00.000Z"]);
  expect(noted()).toEqual({
    name: "nightly",
    due_at: DAY + 86_400_000,
    started_at: Date.parse("2026-11-21T00:10:05+03:00"),
    finished_at: Date.parse("2026-11-21T00:10:05+03:00"),
    failure: null,
  } as ReturnType<typeof noted>);
});

test("a job runs exactly at 00:10:00.000 Moscow time, when its timer wakes it", async () => {
  await scheduler().runDue();
  appliance.ports.clock.set("2026-11-21T00:10:00.000+03:00");
  await scheduler().runDue();
  expect(ran).toEqual(["2026-11-20T21:10:00.000Z"]);
});

test("of two processes on one database, one runs a due time", async () => {
  const [one, two] = [scheduler(), scheduler()];
  await Promise.all([one.runDue(), two.runDue()]);
  for (const night of ["2026-11-21", "2026-11-22", "2026-11-23"]) {
    appliance.ports.clock.set(`${night}T00:10:07+03:00`);
    await Promise.all([one.runDue(), two.runDue(), one.runDue()]);
  }
  expect(ran).toEqual([
    "2026-11-20T21:10:00.000Z",
    "2026-11-21T21:10:00.000Z",
    "2026-11-22T21:10:00.000Z",
  ]);
});

test("of schedulers on connections of their own to one file, one runs a due time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-jobs-"));
  const { clock, log } = appliance.ports;
  const dbs = [1, 2, 3].map(() => openDatabase(join(folder, "a.db"), clock));
  try {
    for (const db of dbs) await migrate(db, clock);
    const schedulers = dbs.map((db) =>
      createScheduler(
        [NIGHTLY],
        { claim: (of) => claimJob(db, clock, of), end: (of) => endJob(db, clock, of) },
        clock,
        log,
      ),
    );
    await Promise.all(schedulers.map((one) => one.runDue()));
    clock.set("2026-11-21T00:10:07+03:00");
    await Promise.all(schedulers.map((one) => one.runDue()));
    expect(ran).toEqual(["2026-11-20T21:10:00.000Z"]);
    expect(log.errors).toEqual([]);
  } finally {
    for (const db of dbs) closeDatabase(db);
    rmSync(folder, { recursive: true });
  }
});

test("after a downtime of several days a job is caught up once, for the latest due time", async () => {
  await scheduler().runDue();
  appliance.ports.clock.set("2026-11-25T15:00:00+03:00");
  const restarted = scheduler();
  await restarted.runDue();
  await restarted.runDue();
  expect(ran).toEqual(["2026-11-24T21:10:00.000Z"]);
});

test("a clock that jumps back runs nothing again", async () => {
  const one = scheduler();
  await one.runDue();
  appliance.ports.clock.set("2026-11-22T00:20:00+03:00");
  await one.runDue();
  for (const instant of ["2026-11-21T00:20:00+03:00", "2026-11-20T12:00:00+03:00"]) {
    appliance.ports.clock.set(instant);
    await one.runDue();
  }
  appliance.ports.clock.set("2026-11-22T00:21:00+03:00");
  await one.runDue();
  expect(ran).toEqual(["2026-11-21T21:10:00.000Z"]);
});

test("a job that fails is noted with its reason, is not tried again, and stops no other", async () => {
  const failing: Job = { ...NIGHTLY, run: () => Promise.reject(new Error("disk on fire")) };
  const jobs = [failing, { ...NIGHTLY, name: "other" }];
  await scheduler(jobs).runDue();
  appliance.ports.clock.set("2026-11-21T00:11:00+03:00");
  await scheduler(jobs).runDue();
  await scheduler(jobs).runDue();
  expect(ran).toHaveLength(1);
  expect(noted().failure).toBe("disk on fire");
  expect(appliance.ports.log.errors).toHaveLength(1);

  appliance.ports.clock.set("2026-11-22T00:11:00+03:00");
  await scheduler().runDue();
  expect(noted().failure).toBeNull();
});
