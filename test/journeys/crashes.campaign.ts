import { afterEach, expect, test } from "bun:test";
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
import {
  addSource,
  expectRead,
  happenOnAndOn,
  postsRead,
  SOURCE_POSTS_FROM,
} from "../support/crash-source.ts";
import { faultsOf } from "../support/file-faults.ts";
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverAnswer,
  startReceiver,
} from "../support/https-receiver.ts";
import { createMachine, type Finished, type Machine, type Serving } from "../support/machine.ts";
import { SOURCE_ENVIRONMENT, type SourceWorld } from "../support/source-worlds/source-world.ts";
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

/** Number of kills: one in CI, 1,000 by `bun run campaign crash`, which also kills a single process. */
const KILLS = Number(process.env["KANALOG_TEST_KILLS"] ?? 1);
/** Kills of one file, which is then checked in full; the next one's seed is one more. */
const KILLS_OF_FILE = 50;
/** A command's look into the whole file costs as much as the rest of a life. */
const CHECKED_EVERY = 10;
const IS_CAMPAIGN = process.env["KANALOG_TEST_KILLS"] !== undefined;
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Date.now() % 1_000_000);
const WEBHOOKS = 3;
/**
 * A life ends after this time at the latest; before, after a random number of answers or of deliveries, in
 * turn.
 */
const LIFE_MAX_MS = 1_000;
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
let world: SourceWorld | null = null;
afterEach(leave);

async function leave(): Promise<void> {
  await machine.leave();
  await receiver?.close();
  await world?.server.stop();
}

const IS_LINUX = process.platform === "linux";

test.if(IS_CAMPAIGN || !IS_LINUX)(
  "when everything is killed at random moments, nothing that was acknowledged is lost",
  () => killFiles(1, Math.ceil(KILLS / 10)),
  300_000 + 2_000 * KILLS,
);

test.if(IS_LINUX)(
  "with three workers, one of which is killed in the middle of each run, nothing that was acknowledged is lost",
  () => killFiles(3, KILLS),
  300_000 + 20_000 * KILLS,
);

/** What a campaign did, summed over its files. */
type Tally = Record<string, number>;

/** Kills the processes of one file after another; the last line counts all of them. */
async function killFiles(workers: number, kills: number): Promise<void> {
  const startedAtMs = performance.now();
  const sums: Tally = {};
  for (let done = 0; done < kills; done += KILLS_OF_FILE) {
    const seed = SEED + done / KILLS_OF_FILE;
    const count = Math.min(KILLS_OF_FILE, kills - done);
    console.info(
      `${workers} workers, ${count} kills (KANALOG_TEST_KILLS), seed ${seed} (KANALOG_TEST_SEED)`,
    );
    if (done > 0) await leave();
    const tally = await killOnAndOn(workers, count, seed);
    for (const [name, number] of Object.entries(tally)) sums[name] = (sums[name] ?? 0) + number;
  }
  const { requests = 0, units = 0, ...others } = sums;
  const counts = Object.entries(others).map(([name, number]) => `${number} ${name}`);
  const seconds = (performance.now() - startedAtMs) / 1000;
  console.info(
    `${kills} kills: ${requests} requests, ${units} units, 0 lost; ${counts.join(", ")}; ` +
      `${seconds.toFixed(0)} seconds, ${(seconds / kills).toFixed(1)} a kill`,
  );
}

async function killOnAndOn(workers: number, kills: number, seed: number): Promise<Tally> {
  machine = createMachine();
  const environment = { ...pushing().environment, ...SOURCE_ENVIRONMENT };
  const serve = (): Promise<Serving> => machine.serve(words, { environment });
  const words = ["serve", "--workers", String(workers)];
  const chances = (stream: number) => seededRandom(seed + 1_000_000 * stream);
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
  const source = await addSource(machine, seed);
  world = source;
  const first = await serve();
  for (let at = 0; at < WEBHOOKS; at++) {
    const webhook = await createWebhook(first, customer, receiver, `/hook/${at}`, [1]);
    secrets.set(webhook.id, webhook.secret);
  }
  const [hook] = secrets.keys();
  const alert = { name: "Posts", q: "строка", webhook: hook, channel: 1 };
  for (const more of [{}, { name: "Together", digest: "hourly" }]) {
    const given = { ...alert, ...more };
    const made = await call(first, customer.key, "POST", "/v1/msgr/alerts/", given);
    expect(made.status).toBe(201);
  }
  await first.stop();

  const { calls, ended: called } = callOnAndOn(campaign, customer, () => onEvent("answer"));
  const { imports, ended: imported } = importOnAndOn(campaign, chances(2));
  const { keys, ended: changed } = changeKeysOnAndOn(campaign, chances(3));
  const { backups, ended: backedUp } = backUpOnAndOn(campaign, calls, chances(4));
  const { changes, ended: went } = changeCatalogOnAndOn(campaign, imports, chances(5));
  const read = happenOnAndOn(campaign, source, chances(6));
  const loads = Promise.all([called, imported, changed, backedUp, went, read]);
  // Rejects when a load fails, which ends the campaign at any point.
  const failed = loads.then(() => new Promise<never>(() => {}));

  /** Loads that have not made any progress. */
  const idle = (): string[] => {
    const progress = {
      ...{ answers: calls.answered, titles: imports.titles, posts: imports.posts },
      ...{ keys: keys.good.size + keys.revoked.size, backups: backups.finished },
      ...{
        refreshes: changes.refreshes,
        exports: changes.exports,
        merges: changes.merged,
        rebuilds: changes.rebuilds,
      },
      "posts of bots": postsRead(machine),
    };
    return Object.entries(progress).flatMap(([name, count]) => (count > 0 ? [] : name));
  };
  for (let kill = 1; kill <= kills; kill++) {
    await Promise.race([failed, kill % 5 === 0 ? startAndKill() : liveAndKill(kill)]);
    hourPasses();
    expectUsage(calls);
  }
  campaign.goesOn = false;
  await loads;

  async function startAndKill(): Promise<void> {
    const life = machine.spawn(words, { environment });
    await elapsed(moment() * START_MAX_MS);
    killAll(life.pid);
    await life.exited;
  }

  async function liveAndKill(kill: number): Promise<void> {
    const serving = await serve();
    await until(async () => (await serving.get("/readyz")).status === 200, "ready");
    expect(serving.processorMs()).toBeLessThan(READY_PROCESSOR_MAX_MS);
    await expectKeys(keys, serving.get);
    campaign.serving = serving;
    const checked = kill % CHECKED_EVERY === 1 ? machine.runProgram(["check"]) : null;
    const kind = kill % 2 === 0 ? "request" : "answer";
    let left = Math.ceil(moment() * (kind === "request" ? REQUESTS_MAX : ANSWERS_MAX));
    const enough = new Promise<void>((resolve) => {
      onEvent = (happened) => {
        if (happened === kind && --left <= 0) resolve();
      };
    });
    await Promise.race([enough, elapsed(LIFE_MAX_MS)]);
    // If a load made no progress, kills would prove nothing about it.
    if (kill === 1)
      await until(
        () => idle().length === 0,
        () => `progress of ${idle().join(", ")}`,
      );
    if (checked !== null) expectSound(await checked);
    await elapsed(moment() * AFTER_REQUEST_MAX_MS);
    if (workers > 1) await killWorker(serving, workers, moment, kill % 2 === 1);
    campaign.serving = null;
    killAll(serving.pid);
  }

  const readBetweenKills = postsRead(machine);
  leasesRunOut();
  const last = await serve();
  await expectKeys(keys, last.get);
  await drain(received);
  await expectRead(machine, source, last);
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
  const posts = machine.query(`SELECT id FROM posts WHERE id < ${SOURCE_POSTS_FROM}`);
  expect(posts).toHaveLength(imports.posts + removedPosts);
  const { deliveries, takenAgain } = expectDelivered(received, secrets, imports.posts);

  expect(deliveries).toBeGreaterThan(0);
  return {
    ...{ requests: calls.sent, answered: calls.answered, units: unitsOf("used", "usage_periods") },
    ...{ "imported posts": imports.posts, "times all titles": imports.titles },
    ...{ keys: keys.good.size + keys.revoked.size, "of them revoked": keys.revoked.size },
    ...{ backups: backups.finished, refreshes: changes.refreshes, exports: changes.exports },
    "rebuilt indexes of posts": changes.rebuilds,
    ...{ "channels merged": changes.merged, "channels deleted": changes.deleted },
    ...{ "posts of bots": source.wanted().size, "of them read between kills": readBetweenKills },
    ...{ deliveries, attempts: received.length },
    "deliveries again after a 200": takenAgain,
    "commands killed": imports.killed + keys.killed + backups.killed + changes.killed,
  };
}

/** Expects the output of `check` without any fault. */
function expectSound({ out, notes }: Finished): void {
  expect(notes).toBe("");
  expect(out.split("\n").filter((line) => line !== "" && !line.startsWith("ok "))).toEqual([]);
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

/** Kills a worker, half of the time the one with the lease; may wait until it has been restarted. */
async function killWorker(
  serving: Serving,
  workers: number,
  chance: () => number,
  waits: boolean,
): Promise<void> {
  const all = workersOf(serving.pid);
  const [lease] = machine.query<{ owner: string | null }>("SELECT owner FROM leases");
  const owner = Number(lease?.owner?.split(" ")[1]);
  const any = all[Math.floor(chance() * all.length)] ?? 0;
  const killed = chance() < 0.5 && all.includes(owner) ? owner : any;
  process.kill(killed, "SIGKILL");
  if (!waits) return;
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
  const units = unitsOf("used", "usage_periods");
  expect(units).toBeGreaterThanOrEqual(answered);
  expect(units).toBeLessThanOrEqual(sent);
  expect(unitsOf("units", "usage_days")).toBe(units);
}

function unitsOf(column: string, table: string): number {
  const sql = `SELECT coalesce(sum(${column}), 0) AS units FROM ${table}`;
  return machine.query<{ units: number }>(sql)[0]?.units ?? 0;
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

/** Makes digests due that wait for the full hour. */
function hourPasses(): void {
  const db = machine.open();
  const now = Date.now();
  db.prepare("UPDATE alert_waiting SET due_at = ? WHERE due_at > ?").run(now, now);
  db.close();
}

/** Waits until no delivery is pending, while attempts are made. */
async function drain(received: readonly unknown[]): Promise<void> {
  let [seen, lastSeenAtMs] = [received.length, performance.now()];
  for (;;) {
    const { read, pending, claimed } = unfinished(machine);
    const [waits] = machine.query<{ posts: number }>("SELECT count(*) AS posts FROM alert_waiting");
    if (waits?.posts) hourPasses();
    else if (read + pending + claimed === 0) break;
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
 * delivery for each alert, up to the number that it sends in a day.
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
    const { event, webhook, alert, delivery, posts } = readEvent(request);
    const of = event === "post.matched" ? `alert ${alert}` : `webhook ${webhook}`;
    if (alert === null) expect(event).toBe("post.created");
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
  const ofAlerts = [1, 2].map(
    (alert) => [...takenPosts].filter((key) => key.endsWith(`alert ${alert}`)).length,
  );
  const least = Math.min(imported, ALERT_POSTS_A_DAY);
  for (const posts of ofAlerts) expect(posts).toBeGreaterThanOrEqual(least);
  const [each = 0, together = 0] = ofAlerts;
  expect(takenPosts.size - each - together).toBe(imported * secrets.size);
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
