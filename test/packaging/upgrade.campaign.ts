import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { FIRST_VERSION } from "../../src/db/schema-version.ts";
import { type Campaign, CHANNELS, callOnAndOn } from "../support/crash-load.ts";
import { type Receiver, startReceiver } from "../support/https-receiver.ts";
import { createMachine, type Machine, PROGRAM, type Serving } from "../support/machine.ts";
import { nextProgram } from "../support/next-program.ts";
import { until } from "../support/until.ts";
import {
  createWebhook,
  elapsed,
  importPosts,
  posts,
  pushing,
  readEvent,
  withCustomers,
} from "../support/webhook-journey.ts";

/** An upgrade to a program with another schema, and the way back, over real processes on one file. */

/** Kills of the new program while it migrates: 3 in CI. */
const KILLS = Number(process.env["KANALOG_TEST_KILLS"] ?? 3);
const POSTS = 20;
/** Adds a column, and then works for a second or more, so that kills meet it. */
const SLOW = [
  "ALTER TABLE organizations ADD COLUMN made_up TEXT NOT NULL DEFAULT 'new'",
  "CREATE TABLE numbers (number INTEGER) STRICT",
  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) INSERT INTO numbers SELECT i FROM n",
].join("; ");

let machine: Machine;
let receiver: Receiver;
let isTaken: boolean;
beforeEach(async () => {
  machine = createMachine();
  isTaken = false;
  receiver = await startReceiver(() => ({ status: isTaken ? 200 : 503 }));
});
afterEach(async () => {
  await machine.leave();
  await receiver.close();
});

const sumOf = (sql: string): number =>
  machine.query<{ n: number }>(`SELECT ${sql} AS n`)[0]?.n ?? 0;
const units = (): number => sumOf("(SELECT sum(used) FROM usage_periods)");
const version = (): number =>
  machine.query<{ user_version: number }>("PRAGMA user_version")[0]?.user_version ?? 0;
const snapshots = (): string[] =>
  readdirSync(machine.folder).filter((name) => name.startsWith("kanalog.db.before-schema-"));

test.each([1, 3])(
  "with %d workers, under load and killed half-way: no unit and no delivery is lost, and the way back leads to the moment before",
  async (workers) => {
    const next = nextProgram(machine, SLOW);
    const [customer] = await withCustomers(machine, { customers: 1, channels: CHANNELS });
    const { environment = {} } = pushing();
    const words = ["serve", "--workers", String(workers)];
    const serve = (program: readonly string[]): Promise<Serving> =>
      machine.serve(words, { environment, program });
    const campaign: Campaign = { machine, serving: null, goesOn: true };
    const { calls, ended } = callOnAndOn(campaign, customer, () => {});
    const expectUnits = (): void => {
      expect(units()).toBeGreaterThanOrEqual(calls.answered);
      expect(units()).toBeLessThanOrEqual(calls.sent);
    };

    const old = await serve(PROGRAM);
    const webhook = await createWebhook(old, customer, receiver, "/hook", [1]);
    campaign.serving = old;
    await importPosts(machine, posts(1, POSTS));
    await until(() => receiver.requests.length > 0 && calls.answered > 100, "load");
    campaign.serving = null;
    expect(await old.stop()).toBe(0);
    expectUnits();
    const before = { units: units(), version: version() };
    expect(before.version).toBe(FIRST_VERSION);

    for (let kill = 1; kill <= KILLS; kill++) {
      const life = machine.spawn(words, { environment, program: next });
      // The first dies while it copies or migrates, the others also while they start and serve.
      await until(() => snapshots().length > 0, "the copy of the file before");
      await elapsed((kill - 1) * 400);
      life.kill("SIGKILL");
      await life.exited;
      expect([FIRST_VERSION, FIRST_VERSION + 1]).toContain(version());
      expect(units()).toBe(before.units);
    }

    const upgraded = await serve(next);
    expect(version()).toBe(FIRST_VERSION + 1);
    expect(sumOf("(SELECT count(*) FROM numbers)")).toBe(3_000_000);
    const answered = calls.answered;
    campaign.serving = upgraded;
    isTaken = true;
    const delivered = () => new Set(receiver.requests.flatMap((each) => readEvent(each).posts));
    await until(() => delivered().size === POSTS, "all posts");
    await until(() => calls.answered > answered + 100, "load after the upgrade");
    campaign.goesOn = false;
    await ended;
    expect(receiver.requests.map((each) => readEvent(each).webhook)).toContain(webhook.id);
    expect(await upgraded.stop()).toBe(0);
    expectUnits();
    expect([...calls.others].filter((status) => status !== 503)).toEqual([]);
    expect((await machine.runProgram(["check"], { program: next })).exitCode).toBe(0);

    const refused = await machine.runProgram(["serve"], { environment, program: PROGRAM });
    expect(refused.exitCode).toBe(1);
    expect(refused.notes).toContain(String(FIRST_VERSION + 1));
    const [snapshot = ""] = snapshots().sort();
    const restored = await machine.runProgram(["restore", join(machine.folder, snapshot)]);
    expect(restored.exitCode, restored.notes).toBe(0);
    expect([version(), units()]).toEqual([before.version, before.units]);
    const again = await serve(PROGRAM);
    expect((await again.get("/v1/msgr/channels/1/", customer.key)).status).toBe(200);
    expect(await again.stop()).toBe(0);
  },
);
