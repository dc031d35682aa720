import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { until } from "../support/until.ts";
import { usedUnits } from "../support/used-units.ts";
import { csrfIn, PASSWORD, remoteVisitor } from "../support/visitor.ts";
import { logged, pidsOf } from "../support/worker-logs.ts";

/** Several worker processes that serve one appliance: real processes over a real file. */

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const LOGGED = { KANALOG_LOG_LEVEL: "info" };

async function withOwner(serving: Serving): Promise<number> {
  await until(() => logged(serving, "this worker does the upkeep").length > 0, "the upkeep");
  return logged(serving, "this worker does the upkeep").at(-1)?.worker ?? 0;
}

const leaseOwner = (): string | null =>
  machine.query<{ owner: string | null }>("SELECT owner FROM leases")[0]?.owner ?? null;

/** Sends a request on a connection of its own, which any worker may accept. */
async function answered(serving: Serving, path: string, key?: string): Promise<Response> {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return fetch(serving.address + path, { headers: authorization, keepalive: false });
}

const used = (): number => usedUnits(machine);

const isGone = (pid: number): boolean => {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
};

/** Processes that a process has started. */
function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const listed = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/children`, "utf8"));
  return listed.flatMap((text) => text.split(" ").filter(Boolean).map(Number));
}

/** False for a child that still is a copy of its parent. */
const isWorker = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/cmdline`, "utf8").endsWith("worker\0");

const CARD = "/v1/msgr/channels/1/";

async function withCatalog(): Promise<{ organization: number; member: number; key: string }> {
  machine.write("channels.csv", "id,handle,title,subscribers\n1,first,Первый,10\n");
  expect((await machine.run(["import", "channels", machine.path("channels.csv")])).exitCode).toBe(
    0,
  );
  return machine.customer();
}

/** Another process changes a card and revokes a key. */
async function expectChangesAtOnce(
  serving: Serving,
  key: string,
  other: { id: number; key: string },
): Promise<void> {
  const titles = async (): Promise<Set<string>> => {
    const found = new Set<string>();
    for (let at = 0; at < 15; at++) {
      const card = (await (await answered(serving, CARD, key)).json()) as { title: string };
      found.add(card.title);
    }
    return found;
  };
  const statuses = async (): Promise<Set<number>> => {
    const found = new Set<number>();
    for (let at = 0; at < 15; at++) found.add((await answered(serving, CARD, other.key)).status);
    return found;
  };
  expect(await titles()).toEqual(new Set(["Первый"]));
  expect(await statuses()).toEqual(new Set([200]));
  machine.write("channels.csv", "id,title\n1,Другой\n");
  await machine.run(["import", "channels", machine.path("channels.csv")]);
  expect(await titles()).toEqual(new Set(["Другой"]));
  await machine.run(["key", "revoke", String(other.id)]);
  expect(await statuses()).toEqual(new Set([401]));
}

describe.if(process.platform === "linux")("with several workers", () => {
  test("all of them answer on one port, and one holds the upkeep lease", async () => {
    const { key } = await withCatalog();
    const serving = await machine.serve(["serve", "--workers", "3"], { environment: LOGGED });
    const owner = await withOwner(serving);
    for (let at = 0; at < 60; at++) {
      expect((await answered(serving, CARD, key)).status).toBe(200);
    }
    expect(used()).toBe(60);
    const pids = [...pidsOf(serving).values()];
    expect(new Set(pids).size).toBe(3);
    expect(leaseOwner()?.split(" ")[1]).toBe(String(pidsOf(serving).get(owner)));
    // Whichever worker answers, the sum includes what all of them counted.
    const text = await (await answered(serving, "/metrics")).text();
    const cards = /^kanalog_requests_total\{.*msgr_channels_retrieve.*\} (\d+)$/m;
    expect(Number(cards.exec(text)?.[1])).toBe(60);
    // Two reader threads each, where a single process has four.
    expect(text).toMatch(/^kanalog_threads\{lane="read"\} 6$/m);
    // Counts of a worker that died are kept.
    const killed = pidsOf(serving).get(1) ?? 0;
    process.kill(killed, "SIGKILL");
    await until(() => pidsOf(serving).get(1) !== killed, "the worker's restart");
    const after = await (await answered(serving, "/metrics")).text();
    expect(Number(cards.exec(after)?.[1])).toBe(60);
    expect(await serving.stop()).toBe(0);
    expect(logged(serving, "stopped")).toHaveLength(3);
    expect(pids.every(isGone)).toBe(true);
    expect(leaseOwner()).toBeNull();
  });

  test("a killed worker is restarted, another takes its lease within seconds, and nothing is lost", async () => {
    const { key } = await withCatalog();
    const serving = await machine.serve(["serve", "--workers", "3"], { environment: LOGGED });
    const owner = await withOwner(serving);
    const pid = pidsOf(serving).get(owner) ?? 0;
    let [sent, good] = [0, 0];
    let goesOn = true;
    const load = Array.from({ length: 4 }, async () => {
      while (goesOn) {
        sent += 1;
        const response = await answered(serving, CARD, key).catch(() => null);
        if ((await response?.text().catch(() => "")) && response?.status === 200) good += 1;
      }
    });
    await until(() => good > 50, "answers");
    const killedMs = performance.now();
    process.kill(pid, "SIGKILL");
    await until(() => !(leaseOwner()?.includes(` ${pid} `) ?? true), "another owner");
    const takenAfterMs = performance.now() - killedMs;
    await until(() => pidsOf(serving).get(owner) !== pid, "the worker's restart");
    goesOn = false;
    await Promise.all(load);
    expect(takenAfterMs).toBeLessThan(10_000);
    expect(used()).toBeGreaterThanOrEqual(good);
    expect(used()).toBeLessThanOrEqual(sent);
    await until(
      async () => !(await (await answered(serving, "/readyz")).text()).includes("workers"),
    );
    expect(await serving.stop()).toBe(0);
  });

  test("a change, a revoked key and the rate limit apply at once in every worker, and its port stays taken", async () => {
    const { key, member } = await withCatalog();
    const other = await machine.json<{ id: number; key: string }>([
      ...["key", "create", "--member", String(member)],
    ]);
    const serving = await machine.serve(["serve", "--workers", "2"], { environment: LOGGED });
    await expectChangesAtOnce(serving, key, other);

    await machine.json(["plan", "set", "profi", "--rate", "5"]);
    const begunMs = performance.now();
    const statuses: number[] = [];
    for (let at = 0; at < 60; at++) {
      statuses.push((await answered(serving, "/v1/me/", key)).status);
    }
    const tookS = (performance.now() - begunMs) / 1000;
    const allowed = statuses.filter((status) => status === 200).length;
    expect(statuses.every((status) => [200, 429].includes(status))).toBe(true);
    expect(allowed).toBeGreaterThanOrEqual(5);
    // The allowance of one second at once, and what was refilled meanwhile.
    expect(allowed).toBeLessThanOrEqual(5 + Math.ceil(5 * tookS));

    // Its port is taken, though its owner would share it.
    const port = new URL(serving.address).port;
    const words = ["serve", "--workers", "2", "--port", port];
    const { exitCode, notes } = await machine.runProgram(words);
    expect(exitCode).toBe(1);
    expect(notes).toContain(port);
    expect(await serving.stop()).toBe(0);
  });

  test("a worker that is told to stop while it is restarted begins nothing", async () => {
    await withCatalog();
    const serving = await machine.serve(["serve", "--workers", "2"], { environment: LOGGED });
    const owner = await withOwner(serving);
    const known = new Set(pidsOf(serving).values());
    process.kill(pidsOf(serving).get(owner) ?? 0, "SIGKILL");
    const restarted = () => childrenOf(serving.pid).find((pid) => !known.has(pid) && isWorker(pid));
    await until(() => restarted() !== undefined, "the worker's restart");
    const starting = restarted() ?? 0;
    process.kill(starting, "SIGSTOP");
    const stopped = serving.stop();
    await until(() => logged(serving, "stopping").length > 0, "the other worker's stop");
    process.kill(starting, "SIGCONT");
    expect(await stopped).toBe(0);
    for (const begun of ["a worker is serving", "this worker does the upkeep"]) {
      expect(logged(serving, begun).filter(({ worker }) => worker === owner)).toHaveLength(1);
    }
  });

  test("a killed supervisor takes its workers along, even busy ones, and the next one serves", async () => {
    const { key } = await withCatalog();
    const serving = await machine.serve(["serve", "--workers", "3"], { environment: LOGGED });
    const pids = [...pidsOf(serving).values()];
    // A stopped worker stands for one whose thread is busy: it runs no code of ours.
    process.kill(pids[0] as number, "SIGSTOP");
    const load = Array.from({ length: 24 }, () => answered(serving, CARD, key).catch(() => null));
    process.kill(serving.pid, "SIGKILL");
    const killedMs = performance.now();
    await until(() => pids.every(isGone), "the workers' end");
    expect(performance.now() - killedMs).toBeLessThan(5_000);
    await Promise.all(load);
    const port = new URL(serving.address).port;
    const next = await machine.serve(["serve", "--workers", "2", "--port", port]);
    expect(next.address).toBe(serving.address);
    expect((await answered(next, CARD, key)).status).toBe(200);
    expect(await next.stop()).toBe(0);
  });

  test("a database that cannot be opened is reported once, and the command ends", async () => {
    machine.write("kanalog.db", "This is no database.");
    const { exitCode, notes } = await machine.run(["serve", "--workers", "2"]);
    expect(notes).toMatch(/^Cannot open the database .*\n$/);
    expect(exitCode).toBe(1);
  });

  test("the set-up address, pages, forms and uploads work at whichever worker the next connection reaches", async () => {
    const serving = await machine.serve(["serve", "--workers", "2"], { environment: LOGGED });
    await until(() => serving.printed().includes("set-up"), "the address");
    const path = /\/account\/set-up\/\?token=[\w-]+/.exec(serving.printed())?.[0] ?? "";
    for (let at = 0; at < 12; at++) expect((await answered(serving, path)).status).toBe(200);
    const staff = remoteVisitor(serving.address, false);
    const done = await staff.post(path, {
      ...{ action: "set-up", token: path.split("=")[1] ?? "", name: "Ada", organization: "Acme" },
      ...{ email: "ada@example.com", password: PASSWORD },
    });
    expect(done.location).toBe("/staff/start/");
    const file = new File(["id,title,subscribers\n1,Первый,10\n"], "rows.csv");
    const fields = { action: "import", look: "yes", kind: "channels", file };
    const shown = (await staff.post("/staff/imports/", fields)).location ?? "";
    const token = new URL(shown, serving.address).searchParams.get("file") ?? "";
    for (let at = 0; at < 9; at++) {
      const preview = await staff.get(shown);
      expect([preview.status, preview.html.includes("Первый")]).toEqual([200, true]);
    }
    const started = await staff.post(shown, { action: "start", file: token });
    expect(started.location).toBe("/staff/imports/1/");
    const state = () => machine.query<{ state: string }>("SELECT state FROM import_runs")[0]?.state;
    await until(() => state() === "done", "the import");
    // It can be started only once.
    expect((await staff.post("/staff/imports/", { action: "start", file: token })).status).toBe(
      404,
    );

    // All workers know a form that was submitted: reloading the answer creates no other key.
    const page = await staff.get("/account/keys/");
    const once = /name="once" value="([^"]+)"/.exec(page.html)?.[1] ?? "";
    expect(once).not.toBe("");
    const csrf = csrfIn(page.html);
    const form = { action: "create", name: "one", access: "read_only", once, csrf };
    for (let at = 0; at < 8; at++) await staff.post("/account/keys/", form);
    expect(machine.query("SELECT id FROM keys WHERE name = 'one'")).toHaveLength(1);

    // Attempts are counted across all workers.
    const stranger = remoteVisitor(serving.address, false);
    const begunMs = performance.now();
    const statuses: number[] = [];
    for (let at = 0; at < 14; at++) {
      statuses.push((await stranger.signIn(`nobody${at}@example.com`)).status);
    }
    const backSince = Math.ceil((performance.now() - begunMs) / 30_000);
    const allowed = statuses.filter((status) => status !== 429).length;
    expect(allowed).toBeGreaterThanOrEqual(10);
    expect(allowed).toBeLessThanOrEqual(10 + backSince);
    expect(await serving.stop()).toBe(0);
  });
});
