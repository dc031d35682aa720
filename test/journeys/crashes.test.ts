import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { ALERT_POSTS_A_DAY } from "../../src/push/webhooks/alerts/loaded-alerts.ts";
import { changeCatalogOnAndOn, expectChanges, POSTS_REMOVED } from "../support/crash-catalog.ts";
import {
  backUpOnAndOn,
  type Calls,
  type Campaign,
  CHANNELS,
  callOnAndOn,
  changeKeysOnAndOn,
  importOnAndOn,
  type Keys,
  titleOf,
} from "../support/crash-load.ts";
import { faultsOf } from "../support/file-faults.ts";
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverAnswer,
  startReceiver,
} from "../support/https-receiver.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { HANGS_AFTER_MS, until } from "../support/until.ts";
import {
  call,
  createWebhook,
  elapsed,
  isSignedWith,
  pushing,
  readEvent,
  seededRandom,
  unfinished,
  withCustomers,
} from "../support/webhook-journey.ts";

/** Number of kills: one in the check, 200 by `bun run test:crash`, which also kills a single process. */
const KILLS = Number(process.env["KANALOG_TEST_KILLS"] ?? 1);
const IS_CAMPAIGN = process.env["KANALOG_TEST_KILLS"] !== undefined;
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Date.now() % 1_000_000);
const WEBHOOKS = 3;
/**
 * A life ends after this time at the latest; before, after a random number of answers or of deliveries, in
 * turn.
 */
const LIFE_MAX_MS = 2_000;
const ANSWERS_MAX = 600;
const REQUESTS_MAX = 30;
const AFTER_REQUEST_MAX_MS = 10;
/** Every fifth life ends during the start. */
const START_MAX_MS = 500;
/** Limit for the processor time until ready. Elapsed time is printed too, but depends on what else runs. */
const READY_PROCESSOR_MAX_MS = 1_000;

const FAILURES: readonly ReceiverAnswer[] = [
  ...[{ status: 500 }, { status: 500 }, { status: 503 }, { status: 404 }],
  ...(["close", "close", "half", "garbage", "redirect"] as const),
];

let machine: Machine;
let receiver: Receiver | null = null;
beforeEach(() => {
  machine = createMachine();
});
afterEach(async () => {
  await machine.leave();
  await receiver?.close();
});

const IS_LINUX = process.platform === "linux";

test.if(IS_CAMPAIGN || !IS_LINUX)(
  "when everything is killed at random moments, nothing that was acknowledged is lost",
  () => killOnAndOn(1),
  300_000 + 15_000 * KILLS,
);

test.if(IS_LINUX)(
  "with three workers, one of which is killed in the middle of each run, nothing that was acknowledged is lost",
  () => killOnAndOn(3),
  300_000 + 20_000 * KILLS,
);

async function killOnAndOn(workers: number): Promise<void> {
  const serve = ["serve", "--workers", String(workers)];
  console.info(
    `${workers} workers, ${KILLS} kills (KANALOG_TEST_KILLS), seed ${SEED} (KANALOG_TEST_SEED)`,
  );
  const startedAtMs = performance.now();
  const chances = (stream: number) => seededRandom(SEED + stream);
  const [chance, moment] = [chances(0), chances(1)];
  const campaign: Campaign = { machine, serving: null, goesOn: true };
  /** Called for every event at which a life may end. */
  let onEvent = (_kind: "answer" | "request") => {};

  const received: { request: ReceivedRequest; isTaken: boolean }[] = [];
  receiver = await startReceiver((request) => {
    const failure = campaign.goesOn ? failureOf(chance) : undefined;
    received.push({ request, isTaken: failure === undefined });
    onEvent("request");
    return failure ?? { status: 200 };
  });
  const [customer] = await withCustomers(machine, { customers: 1, channels: CHANNELS });
  const secrets = new Map<number, string>();
  const first = await machine.serve(serve, pushing());
  for (let at = 0; at < WEBHOOKS; at++) {
    const webhook = await createWebhook(first, customer, receiver, `/hook/${at}`, [1]);
    secrets.set(webhook.id, webhook.secret);
  }
  const [hook] = secrets.keys();
  const alert = { name: "Posts", q: "строка", webhook: hook, channel: 1 };
  const made = await call(first, customer.key, "POST", "/v1/msgr/alerts/", alert);
  expect(made.status).toBe(201);
  await first.stop();

  const { calls, ended: called } = callOnAndOn(campaign, customer, () => onEvent("answer"));
  const { imports, ended: imported } = importOnAndOn(campaign, chances(2));
  const { keys, ended: changed } = changeKeysOnAndOn(campaign, chances(3));
  const { backups, ended: backedUp } = backUpOnAndOn(campaign, calls, chances(4));
  const { changes, ended: went } = changeCatalogOnAndOn(campaign, imports, chances(5));
  const loads = Promise.all([called, imported, changed, backedUp, went]);
  // Rejects when a load fails, which ends the campaign at any point.
  const failed = loads.then(() => new Promise<never>(() => {}));

  /** Smallest progress of all loads. */
  const least = (): number =>
    Math.min(
      ...[calls.answered, imports.titles, imports.posts, keys.good.size + keys.revoked.size],
      ...[backups.finished, changes.refreshes, changes.exports, changes.merged],
    );
  const readyMs: number[] = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    await Promise.race([failed, kill % 5 === 0 ? startAndKill() : liveAndKill(kill)]);
    expectUsage(calls);
  }
  campaign.goesOn = false;
  await loads;

  async function startAndKill(): Promise<void> {
    const life = machine.spawn(serve, pushing());
    await elapsed(moment() * START_MAX_MS);
    killAll(life.pid);
    await life.exited;
  }

  async function liveAndKill(kill: number): Promise<void> {
    const spawnedAtMs = performance.now();
    const serving = await machine.serve(serve, pushing());
    await until(async () => (await serving.get("/readyz")).status === 200, "ready");
    readyMs.push(performance.now() - spawnedAtMs);
    expect(serving.processorMs()).toBeLessThan(READY_PROCESSOR_MAX_MS);
    await expectKeys(keys, serving.get);
    campaign.serving = serving;
    const checked = machine.runProgram(["check"]);
    const kind = kill % 2 === 0 ? "request" : "answer";
    let left = Math.ceil(moment() * (kind === "request" ? REQUESTS_MAX : ANSWERS_MAX));
    const enough = new Promise<void>((resolve) => {
      onEvent = (happened) => {
        if (happened === kind && --left <= 0) resolve();
      };
    });
    await Promise.race([enough, elapsed(LIFE_MAX_MS)]);
    // If a load made no progress, kills would prove nothing about it.
    if (kill === 1) await until(() => least() > 0, "something of each load");
    const { out, notes } = await checked;
    expect(notes).toBe("");
    expect(out.split("\n").filter((line) => line !== "" && !line.startsWith("ok "))).toEqual([]);
    await elapsed(moment() * AFTER_REQUEST_MAX_MS);
    if (workers > 1) await killWorker(serving, workers, moment);
    campaign.serving = null;
    killAll(serving.pid);
  }

  leasesRunOut();
  const last = await machine.serve(serve, pushing());
  const drainedFromMs = performance.now();
  await expectKeys(keys, last.get);
  await drain(received);
  expect(await last.stop()).toBe(0);

  expectUsage(calls);
  expect([...calls.others].filter((status) => status !== 503)).toEqual([]);
  expect(faultsOf(machine.database)).toEqual([]);
  const rows = machine.query<{ id: number; title: string }>(
    `SELECT id, title FROM channel_cards WHERE id <= ${CHANNELS}`,
  );
  expect(rows).toHaveLength(CHANNELS);
  for (const { id, title } of rows) expect(title).toBe(titleOf(id, imports.titles));
  expectChanges(machine, changes);
  const removedPosts = POSTS_REMOVED * changes.merged;
  expect(machine.query("SELECT id FROM posts")).toHaveLength(imports.posts + removedPosts);
  const { deliveries, takenAgain } = expectDelivered(received, secrets, imports.posts);

  expect(deliveries).toBeGreaterThan(0);
  const worst = Math.max(...readyMs);
  console.info(
    `${KILLS} kills, and ${imports.killed} of imports, ${keys.killed} of key changes, ` +
      `${backups.killed} of backups, ${changes.killed} of refreshes, exports and removals; ready after ${median(readyMs)} ms, at most ` +
      `${worst.toFixed(0)}; ${calls.sent} calls, ${calls.answered} answered; ${imports.posts} ` +
      `posts, ${imports.titles} times all titles; ${keys.good.size + keys.revoked.size} keys, ` +
      `${keys.revoked.size} revoked; ${backups.finished} backups; ${changes.refreshes} refreshes, ` +
      `${changes.exports} exports, ${changes.merged} channels merged, ${changes.deleted} deleted; ${deliveries} deliveries in ` +
      `${received.length} attempts, ${takenAgain} again after a 200; ` +
      `${((performance.now() - startedAtMs) / 1000).toFixed(0)} seconds, the last ` +
      `${((performance.now() - drainedFromMs) / 1000).toFixed(0)} after the last kill`,
  );
}

/** Process ids of a serving process's workers. Linux only. */
function workersOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return children.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Kills a process and its workers, as a power cut would. */
function killAll(pid: number): void {
  const workers = IS_LINUX ? workersOf(pid) : [];
  for (const one of [pid, ...workers]) {
    try {
      process.kill(one, "SIGKILL");
    } catch {
      // It has already ended by itself.
    }
  }
}

/** Kills a worker, half of the time the one with the lease, and waits until it has been restarted. */
async function killWorker(serving: Serving, workers: number, chance: () => number): Promise<void> {
  const all = workersOf(serving.pid);
  const [lease] = machine.query<{ owner: string | null }>("SELECT owner FROM leases");
  const owner = Number(lease?.owner?.split(" ")[1]);
  const any = all[Math.floor(chance() * all.length)] ?? 0;
  const killed = chance() < 0.5 && all.includes(owner) ? owner : any;
  process.kill(killed, "SIGKILL");
  const isBack = (): boolean => {
    const now = workersOf(serving.pid);
    return now.length === workers && !now.includes(killed);
  };
  await until(isBack, "the worker's restart");
  const ready = async () => await (await serving.get("/readyz")).json();
  await until(
    async () => !JSON.stringify(await ready().catch(() => "workers")).includes("workers"),
  );
}

/** Stored units are at least those answered and at most those requested, by day and by period. */
function expectUsage({ answered, sent }: Calls): void {
  const sum = (of: string, table: string): number =>
    machine.query<{ units: number }>(`SELECT coalesce(sum(${of}), 0) AS units FROM ${table}`)[0]
      ?.units ?? 0;
  const units = sum("used", "usage_periods");
  expect(units).toBeGreaterThanOrEqual(answered);
  expect(units).toBeLessThanOrEqual(sent);
  expect(sum("units", "usage_days")).toBe(units);
}

/** Keys that were created work, and revoked ones do not; only the last few are checked. */
async function expectKeys({ good, revoked }: Keys, get: Serving["get"]): Promise<void> {
  const statusOf = async (key: string) => (await get("/v1/me/", key)).status;
  for (const key of [...good.values()].slice(-10)) expect(await statusOf(key)).toBe(200);
  for (const key of [...revoked.values()].slice(-10)) expect(await statusOf(key)).toBe(401);
}

/** Half of the attempts fail, every fortieth by hanging, which occupies a slot for 10 seconds. */
function failureOf(chance: () => number): ReceiverAnswer | undefined {
  if (chance() < 1 / 40) return "hang";
  return chance() < 0.5 ? FAILURES[Math.floor(chance() * FAILURES.length)] : undefined;
}

/**
 * Ages the leases by 25 of their 30 seconds: attempts that were in progress at a kill are repeated once
 * their lease has expired.
 */
function leasesRunOut(): void {
  const db = machine.open();
  db.exec("UPDATE webhook_deliveries SET claimed_until = claimed_until - 25000");
  db.close();
}

/** Waits until no delivery is pending, while attempts are made. */
async function drain(received: readonly unknown[]): Promise<void> {
  let [seen, lastSeenAtMs] = [received.length, performance.now()];
  for (;;) {
    const { read, pending, claimed } = unfinished(machine);
    if (read + pending + claimed === 0) break;
    if (received.length > seen) [seen, lastSeenAtMs] = [received.length, performance.now()];
    if (performance.now() - lastSeenAtMs > HANGS_AFTER_MS) {
      throw new Error(`stuck: ${JSON.stringify(waiting(machine))}`);
    }
    await elapsed(20);
  }
  expect(unfinished(machine)).toEqual({ read: 0, pending: 0, claimed: 0, lost: 0 });
}

/**
 * Every post reached every webhook in one delivery, with the same bytes at each attempt; and in one more
 * delivery for the alert, up to the number that it sends in a day.
 */
function expectDelivered(
  received: readonly { request: ReceivedRequest; isTaken: boolean }[],
  secrets: ReadonlyMap<number, string>,
  imported: number,
): { deliveries: number; takenAgain: number } {
  const bodies = new Map<number, string>();
  const deliveryOf = new Map<string, number>();
  const takenPosts = new Set<string>();
  const takenDeliveries = new Set<number>();
  let takenAgain = 0;
  for (const { request, isTaken } of received) {
    const { event, webhook, delivery, posts } = readEvent(request);
    const of = event === "post.matched" ? "alert" : `webhook ${webhook}`;
    if (of !== "alert") expect(event).toBe("post.created");
    expect(isSignedWith(request, secrets.get(webhook) ?? "")).toBe(true);
    const body = Bun.SHA256.hash(request.body, "hex");
    expect(bodies.get(delivery) ?? body).toBe(body);
    bodies.set(delivery, body);
    for (const post of posts) {
      const key = `post ${post} of ${of}`;
      expect([key, deliveryOf.get(key) ?? delivery]).toEqual([key, delivery]);
      deliveryOf.set(key, delivery);
      if (isTaken) takenPosts.add(key);
    }
    if (isTaken && takenDeliveries.has(delivery)) takenAgain += 1;
    if (isTaken) takenDeliveries.add(delivery);
  }
  const ofAlert = [...takenPosts].filter((key) => key.endsWith("alert")).length;
  expect(ofAlert).toBeGreaterThanOrEqual(Math.min(imported, ALERT_POSTS_A_DAY));
  expect(takenPosts.size - ofAlert).toBe(imported * secrets.size);
  expect(deliveryOf.size).toBe(takenPosts.size);
  return { deliveries: bodies.size, takenAgain };
}

/** Rows that are still unfinished, for the message of a failed test. */
function waiting(on: Machine): unknown {
  const rows = on.query(
    `SELECT webhook_id AS webhook, state, count(*) AS deliveries, sum(claim IS NOT NULL) AS claimed,
       max(failures) AS failures, min(next_attempt_at) - @nowMs AS dueInMs,
       min(claimed_until) - @nowMs AS claimedForMs
     FROM webhook_deliveries WHERE state = 'pending' OR claim IS NOT NULL GROUP BY 1, 2`,
    { nowMs: Date.now() },
  );
  return { ...unfinished(on), rows };
}

function median(numbers: readonly number[]): string {
  return (numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0).toFixed(0);
}
