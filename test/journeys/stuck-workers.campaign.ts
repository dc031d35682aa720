import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import { type Receiver, startReceiver } from "../support/https-receiver.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { until } from "../support/until.ts";
import {
  call,
  createWebhook,
  importPosts,
  posts,
  pushing,
  readEvent,
  unfinished,
  withCustomers,
} from "../support/webhook-journey.ts";
import { logged, pidsOf } from "../support/worker-logs.ts";

/** Workers that are stopped or dead while the others serve: real processes over a real file. */

let machine: Machine;
let receiver: Receiver | null = null;
const stopped = new Set<number>();
beforeEach(() => {
  machine = createMachine();
});
afterEach(async () => {
  for (const pid of stopped) resume(pid);
  await machine.leave();
  await receiver?.close();
});

/** Suspends a process: it answers nothing, and keeps what it holds. */
function stop(pid: number): void {
  process.kill(pid, "SIGSTOP");
  stopped.add(pid);
}

function resume(pid: number): void {
  stopped.delete(pid);
  try {
    process.kill(pid, "SIGCONT");
  } catch {
    // It has ended meanwhile.
  }
}

/** Process id of the holder of the upkeep lease; 0 if nobody holds it. */
function ownerPid(): number {
  const [lease] = machine.query<{ owner: string | null }>("SELECT owner FROM leases");
  return Number(lease?.owner?.split(" ")[1] ?? 0);
}

/** Whether another process can write: a process may be stopped in the middle of a commit. */
function canWrite(): boolean {
  const db = new BetterSqlite3(machine.database, { timeout: 100 });
  try {
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
    return true;
  } catch {
    return false;
  } finally {
    db.close();
  }
}

/** SQLite's write lock is this byte of the `-shm` file (`WAL_WRITE_LOCK`). */
const WRITE_LOCK = /^\d+: POSIX +ADVISORY +WRITE (\d+) \S+ 120 12[0-9]$/gm;

/** Whether this process holds the write lock: Linux lists each lock with its process. */
const isWriting = (pid: number): boolean =>
  [...readFileSync("/proc/locks", "utf8").matchAll(WRITE_LOCK)].some(
    ([, holder]) => Number(holder) === pid,
  );

/** The first answer of many connections, some of which reach the stopped worker. */
async function firstAnswer(
  { address }: Serving,
  path: string,
  key?: string,
): Promise<{ status: number; text: string }> {
  const over = new AbortController();
  const headers: Record<string, string> =
    key === undefined ? {} : { authorization: `Bearer ${key}` };
  const ask = async () => {
    const options = { headers, keepalive: false, signal: over.signal };
    const response = await fetch(address + path, options);
    return { status: response.status, text: await response.text() };
  };
  try {
    return await Promise.any(Array.from({ length: 12 }, ask));
  } finally {
    over.abort();
  }
}

const CARD = "/v1/msgr/channels/1/";

describe.if(process.platform === "linux")("of several workers", () => {
  test("if the one with the lease is stopped, another takes over within ten seconds, and once woken it does nothing twice", async () => {
    receiver = await startReceiver(() => ({ status: 200 }));
    const [customer] = await withCustomers(machine, { customers: 1, channels: 1 });
    const environment = { ...pushing().environment, KANALOG_LOG_LEVEL: "info" };
    const serving = await machine.serve(["serve", "--workers", "3"], { environment });
    const webhook = await createWebhook(serving, customer, receiver, "/hook", [1]);
    const alert = { name: "All", q: "пост", webhook: webhook.id };
    expect((await call(serving, customer.key, "POST", "/v1/msgr/alerts/", alert)).status).toBe(201);
    await until(() => ownerPid() > 0, "an owner of the lease");

    const finished = () => {
      const { read, pending, claimed } = unfinished(machine);
      return read + pending + claimed === 0;
    };
    const taken: number[] = [];
    let last = 0;
    for (let round = 0; round < 3; round++) {
      const owner = ownerPid();
      // Otherwise the supervisor would kill the worker before it is woken.
      stop(serving.pid);
      // In the middle of its work: posts are waiting, or being sent.
      await importPosts(machine, posts(last + 1, 150));
      for (stop(owner); !canWrite(); stop(owner)) resume(owner);
      const stoppedAtMs = performance.now();
      await importPosts(machine, posts(last + 151, 150));
      last += 300;
      await until(() => ownerPid() !== owner && ownerPid() > 0, "another owner");
      taken.push(performance.now() - stoppedAtMs);
      await until(() => unfinished(machine).read === 0, "posts that are cut by the other");
      const lost = logged(serving, "another worker has taken over the upkeep").length;
      const next = ownerPid();
      resume(owner);
      resume(serving.pid);
      await until(
        () => logged(serving, "another worker has taken over the upkeep").length > lost,
        "the woken one to see that it has lost the lease",
      );
      expect(ownerPid()).toBe(next);
      // What it was sending is sent again once its claim has expired.
      const db = machine.open();
      db.exec("UPDATE webhook_deliveries SET claimed_until = 0 WHERE claimed_until IS NOT NULL");
      db.close();
      await until(finished, "the end of all deliveries");
    }
    expect(Math.max(...taken)).toBeLessThan(10_000);
    expect(await serving.stop()).toBe(0);

    // Each post is in one event of each kind, whichever process cut it.
    for (const kind of ["post.created", "post.matched"]) {
      const cut = machine.query<{ id: number; events: number }>(
        `SELECT p.value AS id, count(*) AS events FROM webhook_deliveries d, json_each(d.posts) p
         WHERE d.event = ? GROUP BY p.value`,
        kind,
      );
      expect(cut, kind).toHaveLength(last);
      expect(
        cut.filter(({ events }) => events > 1),
        kind,
      ).toEqual([]);
    }
    const bodies = new Map<number, string>();
    for (const request of receiver.requests) {
      const { delivery } = readEvent(request);
      const body = new TextDecoder().decode(request.body);
      expect(bodies.get(delivery) ?? body).toBe(body);
      bodies.set(delivery, body);
    }
  });

  test("if one is stopped, /readyz, health and metrics of the others report it until it is replaced", async () => {
    machine.write("channels.csv", "id,title,subscribers\n1,Первый,10\n");
    await machine.run(["import", "channels", machine.path("channels.csv")]);
    const { key } = await machine.customer();
    const environment = { KANALOG_LOG_LEVEL: "info", KANALOG_METRICS_ALLOW: "127.0.0.0/8" };
    const serving = await machine.serve(["serve", "--workers", "3"], { environment });
    for (let at = 0; at < 30; at++) {
      const options = { headers: { authorization: `Bearer ${key}` }, keepalive: false };
      expect((await fetch(serving.address + CARD, options)).status).toBe(200);
    }
    const cards = async (): Promise<number> => {
      const { text } = await firstAnswer(serving, "/metrics");
      const found = /^kanalog_requests_total\{.*msgr_channels_retrieve.*\} (\d+)$/m.exec(text);
      return Number(found?.[1]);
    };
    expect(await cards()).toBe(30);
    const warning = async (): Promise<string | undefined> => {
      const { status, text } = await firstAnswer(serving, "/readyz");
      expect(status).toBe(200);
      return JSON.parse(text).checks.workers;
    };
    expect(await warning()).toBeUndefined();

    const pid = pidsOf(serving).get(2) ?? 0;
    for (stop(pid); !canWrite(); stop(pid)) resume(pid);
    const silent = "Workers that do not answer or are still starting: 1 of 3.";
    // Readiness is kept for a quarter of a second.
    await until(async () => (await warning()) === silent, "a word of the stopped one");
    const port = new URL(serving.address).port;
    // Each worker reports for all, without waiting for the stopped one.
    const health = () => machine.runProgram(["health", "--port", port]);
    for (const { exitCode, out } of await Promise.all([health(), health(), health()])) {
      expect([exitCode, out]).toEqual([0, expect.stringContaining(`Warning: ${silent}`)]);
    }
    // The sum includes what it had counted.
    expect(await cards()).toBe(30);
    expect((await firstAnswer(serving, CARD, key)).status).toBe(200);

    await until(async () => (await warning()) === undefined, "an answer of all of them");
    expect(logged(serving, "a worker does not respond and is killed")).toEqual([
      expect.objectContaining({ worker: 2, pid }),
    ]);
    expect(pidsOf(serving).get(2)).not.toBe(pid);
    // The sum still includes what it had counted.
    expect(await cards()).toBeGreaterThanOrEqual(31);
    // On a busy machine a worker may answer late once more.
    await until(async () => {
      const { exitCode, out } = await health();
      return exitCode === 0 && !out.includes("workers");
    }, "health without a word of workers");
    expect(await serving.stop()).toBe(0);
  });

  test("if one is stopped within a commit, billed requests get a 503 and cost nothing until it is replaced", async () => {
    machine.write("channels.csv", "id,title,subscribers\n1,Первый,10\n");
    await machine.run(["import", "channels", machine.path("channels.csv")]);
    const { key } = await machine.customer();
    const environment = { KANALOG_LOG_LEVEL: "info" };
    const serving = await machine.serve(["serve", "--workers", "2"], { environment });
    let [sent, good, goesOn] = [0, 0, true];
    const others = new Map<number, string | null>();
    // So many that some wait at a worker that is not stopped, however the connections are distributed.
    const load = Array.from({ length: 24 }, async () => {
      while (goesOn) {
        sent += 1;
        const options = { headers: { authorization: `Bearer ${key}` }, keepalive: false };
        // Connections of the stopped worker break when it is killed.
        const response = await fetch(serving.address + CARD, options).catch(() => null);
        await response?.text();
        if (response?.status === 200) good += 1;
        else if (response) others.set(response.status, response.headers.get("retry-after"));
      }
    });
    const pid = pidsOf(serving).get(2) ?? 0;
    await until(() => good > 100, "answers");
    for (stop(pid); canWrite() || !isWriting(pid); stop(pid)) {
      resume(pid);
      // Lets it run for a while, or it would be stopped at the same point again.
      const answered = good;
      await until(() => good > answered + 20, "more answers");
    }
    const stoppedAtMs = performance.now();
    await until(() => others.size > 0, "a refusal");
    expect((await firstAnswer(serving, "/v1/me/", key)).status).toBe(200);
    await until(() => pidsOf(serving).get(2) !== pid, "its replacement");
    const before = good;
    await until(() => good > before + 100, "answers again");
    console.info(`answers again after ${Math.round(performance.now() - stoppedAtMs)} ms`);
    goesOn = false;
    await Promise.all(load);
    expect(await serving.stop()).toBe(0);
    expect([...others]).toEqual([[503, expect.stringMatching(/^\d+$/)]]);
    const [stored] = machine.query<{ used: number }>("SELECT used FROM usage_periods");
    expect(stored?.used).toBeGreaterThanOrEqual(good);
    expect(stored?.used).toBeLessThanOrEqual(sent);
  });

  test("if one is dead, the others serve, and report it until it is back", async () => {
    machine.write("channels.csv", "id,title,subscribers\n1,Первый,10\n");
    await machine.run(["import", "channels", machine.path("channels.csv")]);
    const { key } = await machine.customer();
    const environment = { KANALOG_LOG_LEVEL: "info", KANALOG_METRICS_ALLOW: "127.0.0.0/8" };
    const serving = await machine.serve(["serve", "--workers", "2"], { environment });
    const warned = async (): Promise<boolean> =>
      (await firstAnswer(serving, "/readyz")).text.includes(
        "do not answer or are still starting: 1 of 2",
      );
    // Each restart waits longer than the one before: half a second, a second, two.
    for (let times = 0; times < 4; times++) {
      const pid = pidsOf(serving).get(2) ?? 0;
      process.kill(pid, "SIGKILL");
      if (times < 3) await until(() => pidsOf(serving).get(2) !== pid, "its restart");
    }
    await until(warned, "the warning");
    expect((await firstAnswer(serving, CARD, key)).status).toBe(200);
    expect((await firstAnswer(serving, "/metrics")).text).toContain("kanalog_database_up 1");
    const health = await machine.runProgram([
      ...["health", "--port", new URL(serving.address).port],
    ]);
    expect(health.exitCode).toBe(0);
    await until(async () => !(await warned()), "its restart");
    expect(
      logged(serving, "a worker is serving").filter(({ worker }) => worker === 2),
    ).toHaveLength(5);
    expect(await serving.stop()).toBe(0);
  });
});
