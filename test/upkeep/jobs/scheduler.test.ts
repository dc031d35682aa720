import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lanes } from "../../../src/app/operations.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import type { Database } from "../../../src/db/database.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { openDatabase } from "../../../src/db/open-database.ts";
import { ruled } from "../../../src/db/operations.ts";
import { inlineThreads } from "../../../src/db/threads/threads.ts";
import { JOB_MAX_MS, STOPPING_MAX_MS } from "../../../src/ports/own-work.ts";
import type { Job, JobClaims } from "../../../src/upkeep/jobs/job-run.ts";
import { createScheduler, type Scheduler } from "../../../src/upkeep/jobs/scheduler.ts";
import { latestDue } from "../../../src/values/cron-times.ts";
import { DAY_MS } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { until } from "../../support/until.ts";

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
  isOwn: () => true,
  run: async (dueAt) => {
    ran.push(new Date(dueAt).toISOString());
  },
};

function claims(db: Database): JobClaims {
  return inlineThreads(lanes.bulk, db, appliance.ports.clock).calls;
}

/** A scheduler like that of another process on the same database. */
function scheduler(jobs: readonly Job[] = [NIGHTLY]): Scheduler {
  const { db } = appliance.app.domains;
  return createScheduler(db, jobs, claims(db), appliance.ports);
}

const noted = () =>
  appliance.app.domains.db.prepare("SELECT * FROM jobs WHERE name = 'nightly'").get() as {
    due_at: number;
    started_at: number | null;
    finished_at: number | null;
    failure: string | null;
  };

test("a job that hangs is given up at its deadline, in the log and on staff's page, and the others run", async () => {
  const { clock, log } = appliance.ports;
  const { db } = appliance.app.domains;
  const hang = { hang: () => new Promise<never>(() => {}) };
  const operations = ruled(lanes.bulk.operations.runJob.rule, hang);
  const { calls } = inlineThreads({ operations }, db, clock);
  const hanging = { ...NIGHTLY, name: "close-day", run: calls.hang };
  const jobs = scheduler([hanging, NIGHTLY]);
  await jobs.runDue();
  clock.advance(DAY_MS);
  const running = jobs.runDue();
  await until(async () => (await jobs.list())[0]?.finishedAt === null);
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(JOB_MAX_MS);
  clock.advance(STOPPING_MAX_MS);
  await running;
  const failure = "It had not ended after 45 minutes, and was given up.";
  expect((await jobs.list())[0]).toMatchObject({ failure });
  expect(log.errors).toHaveLength(1);
  expect(log.errors[0]).toMatchObject({ fields: { job: "close-day" }, message: "a job failed" });
  expect(ran).toHaveLength(1);
});

const DAY = Date.parse("2026-11-20T00:10:00+03:00");

test("a due time is the last one at or before an instant, in Moscow time", () => {
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

test("a new database has nothing to catch up on", async () => {
  await scheduler().runDue();
  expect(ran).toEqual([]);
  appliance.ports.clock.set("2026-11-21T00:09:59.999+03:00");
  await scheduler().runDue();
  expect(ran).toEqual([]);
});

test("a job runs when it is due, and once", async () => {
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

test("a job runs exactly at 00:10:00.000 Moscow time, when its timer fires", async () => {
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

test("of schedulers on separate connections to one file, one runs a due time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-jobs-"));
  const { clock, log } = appliance.ports;
  const dbs = [1, 2, 3].map(() => openDatabase(join(folder, "a.db"), clock));
  try {
    for (const db of dbs) await migrate(db, clock);
    const schedulers = dbs.map((db) => createScheduler(db, [NIGHTLY], claims(db), appliance.ports));
    await Promise.all(schedulers.map((one) => one.runDue()));
    clock.set("2026-11-21T00:10:07+03:00");
    await Promise.all(schedulers.map((one) => one.runDue()));
    expect(ran).toEqual(["2026-11-20T21:10:00.000Z"]);
    expect(log.errors).toEqual([]);
  } finally {
    for (const db of dbs) db.close();
    rmSync(folder, { recursive: true });
  }
});

test("after a downtime of several days a job runs once, for the latest due time", async () => {
  await scheduler().runDue();
  appliance.ports.clock.set("2026-11-25T15:00:00+03:00");
  const restarted = scheduler();
  await restarted.runDue();
  await restarted.runDue();
  expect(ran).toEqual(["2026-11-24T21:10:00.000Z"]);
});

test("a clock that jumps back repeats nothing", async () => {
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

test("after a clock was 400 days ahead, jobs run once it is right", async () => {
  const one = scheduler();
  await one.runDue();
  appliance.ports.clock.set("2027-12-25T00:20:00+03:00");
  await one.runDue();
  appliance.ports.clock.set("2026-11-20T12:10:00+03:00");
  for (let times = 0; times < 2; times++) await one.runDue();
  appliance.ports.clock.set("2026-11-21T00:20:00+03:00");
  for (let times = 0; times < 2; times++) await one.runDue();
  expect(ran).toEqual([
    "2027-12-24T21:10:00.000Z",
    "2026-11-19T21:10:00.000Z",
    "2026-11-20T21:10:00.000Z",
  ]);
});

test("a run in progress when the clock was set back by 400 days does not block others", async () => {
  const slow = scheduler([slowJob().job]);
  appliance.ports.clock.set("2027-12-25T00:20:00+03:00");
  await slow.runDue();
  expect(await slow.runNow("nightly", COMMAND_LINE)).toBe(true);
  appliance.ports.clock.set("2026-11-20T12:10:00+03:00");
  const another = scheduler();
  await another.runDue();
  expect(ran).toEqual(["2026-11-19T21:10:00.000Z"]);
});

test("a failed job is recorded with its reason, is not retried, and does not stop others", async () => {
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

/** A job that runs until `end` is called. */
function slowJob(): { job: Job; end(): void; runs: number[] } {
  const runs: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    runs,
    end: resolve,
    job: {
      ...NIGHTLY,
      run: (dueAt) => {
        runs.push(dueAt);
        return promise;
      },
    },
  };
}

test("a job run on request does the work of its last due time, which then counts as run", async () => {
  const one = scheduler();
  await one.runDue();
  appliance.ports.clock.set("2026-11-21T00:11:00+03:00");
  expect(await one.runNow("nightly", COMMAND_LINE)).toBe(true);
  await one.stop();
  expect(ran).toEqual(["2026-11-20T21:10:00.000Z"]);
  expect(noted()).toMatchObject({
    started_at: Date.parse("2026-11-21T00:11:00+03:00"),
    finished_at: Date.parse("2026-11-21T00:11:00+03:00"),
    failure: null,
  });
  await scheduler().runDue();
  expect(ran).toHaveLength(1);
  appliance.ports.clock.set("2026-11-22T00:11:00+03:00");
  await scheduler().runDue();
  expect(ran).toHaveLength(2);
});

test("while a job runs, no process runs it again, and its due time waits", async () => {
  const slow = slowJob();
  const one = scheduler([slow.job]);
  await one.runDue();
  expect(await one.runNow("nightly", COMMAND_LINE)).toBe(true);
  const [state] = await one.list();
  expect(state).toMatchObject({ startedAt: appliance.ports.clock.now(), finishedAt: null });

  const another = scheduler();
  expect(await another.runNow("nightly", COMMAND_LINE)).toBe(false);
  expect(await one.runNow("nightly", COMMAND_LINE)).toBe(false);
  appliance.ports.clock.set("2026-11-20T12:59:59+03:00");
  expect(await another.runNow("nightly", COMMAND_LINE)).toBe(false);
  expect(slow.runs).toHaveLength(1);
  slow.end();
  await one.stop();
  expect(await another.runNow("nightly", COMMAND_LINE)).toBe(true);
  await another.stop();
  expect(ran).toHaveLength(1);
});

test("a stop waits for a run on request, and no due time is run after it", async () => {
  const slow = slowJob();
  const one = scheduler([slow.job]);
  await one.runDue();
  expect(await one.runNow("nightly", COMMAND_LINE)).toBe(true);
  let isStopped = false;
  const stopped = one.stop().then(() => {
    isStopped = true;
  });
  await new Promise((done) => setImmediate(done));
  expect(isStopped).toBe(false);
  slow.end();
  await stopped;
  expect(noted().finished_at).not.toBeNull();
  appliance.ports.clock.set("2026-11-21T00:11:00+03:00");
  await one.runDue();
  expect(slow.runs).toHaveLength(1);
});

test("a due time that comes during a run on request is run after it", async () => {
  const slow = slowJob();
  const one = scheduler([slow.job]);
  await one.runDue();
  appliance.ports.clock.set("2026-11-21T00:09:50+03:00");
  expect(await one.runNow("nightly", COMMAND_LINE)).toBe(true);
  appliance.ports.clock.set("2026-11-21T00:10:30+03:00");
  const another = scheduler();
  await another.runDue();
  expect(ran).toEqual([]);
  slow.end();
  await one.stop();
  await another.runDue();
  expect(ran).toEqual(["2026-11-20T21:10:00.000Z"]);
});

test("a crashed run is given up after an hour, and the job can run again", async () => {
  const crashed = scheduler([slowJob().job]);
  await crashed.runDue();
  expect(await crashed.runNow("nightly", COMMAND_LINE)).toBe(true);
  appliance.ports.clock.advance(60 * 60 * 1000);
  const another = scheduler();
  expect(await another.runNow("nightly", COMMAND_LINE)).toBe(true);
  await another.stop();
  expect(ran).toHaveLength(1);
});

test("jobs are listed with their last and next run", async () => {
  const failing: Job = { ...NIGHTLY, run: () => Promise.reject(new Error("disk on fire")) };
  const one = scheduler([failing]);
  const next = Date.parse("2026-11-21T00:10:00+03:00");
  const never = { startedAt: null, finishedAt: null, failure: null };
  const state = { name: "nightly", pattern: "10 0 * * *", nextDueAt: next };
  expect(await one.list()).toEqual([{ ...state, ...never }]);
  await one.runDue();
  expect(await one.list()).toEqual([{ ...state, ...never }]);
  await one.runNow("nightly", COMMAND_LINE);
  await one.stop();
  const now = appliance.ports.clock.now();
  const failed = { startedAt: now, finishedAt: now, failure: "disk on fire" };
  expect(await one.list()).toEqual([{ ...state, ...failed }]);
});

test("after the clock jumped back, a run on request is still recorded", async () => {
  const one = scheduler();
  await one.runDue();
  appliance.ports.clock.set("2026-11-10T12:00:00+03:00");
  expect(await one.runNow("nightly", COMMAND_LINE)).toBe(true);
  await one.stop();
  expect(noted()).toMatchObject({ finished_at: appliance.ports.clock.now() });
});

test("an unknown job is not found", async () => {
  await expect(scheduler().runNow("other", COMMAND_LINE)).rejects.toMatchObject({
    code: "not_found",
  });
});

test("stopping waits for a job whose claim on request is still in progress", async () => {
  const { db } = appliance.app.domains;
  const own = claims(db);
  const mayClaim = Promise.withResolvers<void>();
  const claimJobNow: JobClaims["claimJobNow"] = async (claim, by) => {
    await mayClaim.promise;
    return own.claimJobNow(claim, by);
  };
  const process = createScheduler(db, [NIGHTLY], { ...own, claimJobNow }, appliance.ports);
  const started = process.runNow("nightly", COMMAND_LINE);
  const stopped = process.stop();
  mayClaim.resolve();
  await stopped;
  expect(noted().finished_at).not.toBeNull();
  expect(await started).toBe(true);
});
