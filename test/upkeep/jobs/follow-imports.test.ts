import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCurrent } from "../../../src/app/domains.ts";
import { lanes } from "../../../src/app/operations.ts";
import type { Fields } from "../../../src/catalog/imports/reading/recognized.ts";
import { inlineThreads } from "../../../src/db/threads/threads.ts";
import { type Job, jobClaims } from "../../../src/upkeep/jobs/job-run.ts";
import { createScheduler, type Scheduler } from "../../../src/upkeep/jobs/scheduler.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import { addPerson, signedInVisitor, type Visitor } from "../../support/visitor.ts";

/** Growth and engagement are computed soon after an import, and not only at night. */

const SECOND = 1_000;
let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1), channel(2)]);
});
afterEach(() => appliance.close());

const days = (subscribers: number): Fields[] => [
  { channel: 1, day: "2026-10-20", subscribers: 1000 },
  { channel: 1, day: "2026-11-19", subscribers },
];

/** Does what the process does a moment later. */
async function look(later = 5 * SECOND): Promise<void> {
  appliance.ports.clock.advance(later);
  await appliance.app.scheduler.followImports();
}

async function growth(of = appliance): Promise<number | null> {
  const { body } = await of.get("/v1/msgr/channels/1/?include=metrics");
  return body.metrics.growth_30d;
}

test("growth and ERR are computed a moment after the first import of statistics and posts", async () => {
  await imported(appliance, "stats", days(1100));
  await look();
  expect(await growth()).toBe(100);
  const post = { channel: 1, msgr_post_id: 1, published_at: "2026-11-10T12:00:00Z", text: "a" };
  await imported(appliance, "posts", [{ ...post, views: 500 }]);
  await look();
  const { body } = await appliance.get("/v1/msgr/channels/1/?include=metrics");
  expect(body.metrics).toMatchObject({ growth_30d: 100, reach_30d: 500, err_30d: 50 });
});

test("pages say that they are being computed, until they are", async () => {
  const { organizationId } = await appliance.customer();
  await addPerson(appliance, { organizationId, email: "olga@example.com", name: "Olga" });
  const visitor: Visitor = await signedInVisitor(appliance, "olga@example.com");
  const areComputing = async () => {
    const pages = ["/account/channels/", "/account/channels/1/", "/account/trending/"];
    const shown = await Promise.all(pages.map((page) => visitor.get(page)));
    return shown.map(({ html }) => html.includes("are being computed"));
  };
  expect(await areComputing()).toEqual([false, false, false]);
  await imported(appliance, "stats", days(1100));
  expect(await areComputing()).toEqual([true, true, true]);
  await look();
  expect(await areComputing()).toEqual([false, false, false]);
});

test("an import that changes nothing causes no computation", async () => {
  await imported(appliance, "stats", days(1100));
  await look();
  await imported(appliance, "stats", days(1100));
  await imported(appliance, "channels", [channel(1, { subscribers: 5 })]);
  expect(await appliance.app.scheduler.dueAfterImport()).toEqual([]);
});

test("imports made while nothing served are followed at the next start", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-follow-"));
  const environment = { KANALOG_DB: join(folder, "a.db") };
  try {
    // Threads of a file compute growth by the machine's own clock.
    const dayAgo = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();
    const before = await startAppliance(environment, fakePorts(dayAgo(1)), { open: openCurrent });
    await imported(before, "channels", [channel(1)]);
    const rows = [32, 2].map((ago) => ({ channel: 1, day: dayAgo(ago).slice(0, 10) }));
    const subscribers = [1000, 1100];
    await imported(
      before,
      "stats",
      rows.map((row, at) => ({ ...row, subscribers: subscribers[at] })),
    );
    await before.close();
    // The nightly due time passed meanwhile, while nothing was running.
    const ports = fakePorts(dayAgo(-1));
    const after = await startAppliance(environment, ports, { open: openCurrent });
    await after.app.scheduler.runDue();
    await after.app.scheduler.followImports();
    expect(await growth(after)).toBe(100);
    await after.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** The scheduler of a separate process, with a job that takes some time. */
function process(tookMs: number, ran: number[]): Scheduler {
  const { clock } = appliance.ports;
  const { db } = appliance.app.domains;
  const job: Job = {
    name: "long",
    pattern: "50 0 * * *",
    followsImports: true,
    isOwn: () => true,
    run: async () => {
      ran.push(clock.now());
      clock.advance(tookMs);
    },
  };
  return createScheduler(db, [job], inlineThreads(lanes.bulk, db, clock).calls, appliance.ports);
}

test("a run that was cut off is repeated after an hour, for the same import", async () => {
  const { clock } = appliance.ports;
  await imported(appliance, "stats", days(1100));
  clock.advance(5 * SECOND);
  const claim = { name: "long", dueAt: clock.now() };
  expect(
    await jobClaims.claimJobAfterImport(appliance.app.domains.db, clock, claim),
  ).not.toBeNull();
  const ran: number[] = [];
  const next = process(0, ran);
  clock.advance(60 * SECOND);
  await next.followImports();
  expect(ran).toEqual([]);
  clock.advance(3_600 * SECOND);
  await next.followImports();
  expect(ran).toHaveLength(1);
});

test("of several processes one follows an import", async () => {
  const ran: number[] = [];
  const processes = [1, 2, 3].map(() => process(0, ran));
  for (const subscribers of [1100, 1200]) {
    await imported(appliance, "stats", days(subscribers));
    appliance.ports.clock.advance(5 * SECOND);
    await Promise.all(processes.map((one) => one.followImports()));
    appliance.ports.clock.advance(5 * SECOND);
    await Promise.all(processes.map((one) => one.followImports()));
  }
  expect(ran).toHaveLength(2);
  expect(appliance.ports.log.errors).toEqual([]);
});

test("imports all day long cost a twentieth of the time, and the last one is followed too", async () => {
  const { clock } = appliance.ports;
  const ran: number[] = [];
  const one = process(30 * SECOND, ran);
  const begunAt = clock.now();
  for (let count = 1; clock.now() < begunAt + 3600 * SECOND; count++) {
    await imported(appliance, "stats", days(1000 + count));
    clock.advance(10 * SECOND);
    await one.followImports();
  }
  expect(ran).toHaveLength(6);
  expect(await one.dueAfterImport()).toEqual(["long"]);
  clock.advance(600 * SECOND);
  await one.followImports();
  expect(ran).toHaveLength(7);
  expect(await one.dueAfterImport()).toEqual([]);
});

/** Runs use one node's clock and imports another's, so only the order of their commits matters. */
test("an import is followed even if its clock, or that of the run before, is a minute ahead", async () => {
  const { clock } = appliance.ports;
  const set = (ms: number) => clock.set(new Date(ms).toISOString());
  const now = clock.now();
  for (const [at, aheadAtRun, aheadAtImport] of [
    [1, 0, 60 * SECOND],
    [2, 60 * SECOND, 0],
  ] as const) {
    await imported(appliance, "stats", days(1000 + 10 * at));
    set(now + at * 600 * SECOND + aheadAtRun);
    await look();
    expect(await growth()).toBe(10 * at);
    set(now + at * 600 * SECOND + aheadAtImport);
    await imported(appliance, "stats", days(1005 + 10 * at));
    set(now + at * 600 * SECOND + aheadAtRun);
    await look(10 * SECOND);
    expect(await growth()).toBe(5 + 10 * at);
    expect(await appliance.app.scheduler.dueAfterImport()).toEqual([]);
  }
});

test("an import by a clock 400 days ahead does not cause endless work", async () => {
  const { clock } = appliance.ports;
  const [now, ran] = [clock.now(), [] as number[]];
  clock.set("2027-12-25T12:00:00+03:00");
  await imported(appliance, "stats", days(1100));
  clock.set(new Date(now).toISOString());
  const one = process(0, ran);
  for (let times = 0; times < 3; times++) {
    clock.advance(5 * SECOND);
    await one.followImports();
  }
  expect(ran).toHaveLength(1);
  await imported(appliance, "stats", days(1200));
  clock.advance(5 * SECOND);
  await one.followImports();
  expect(ran).toHaveLength(2);
});
