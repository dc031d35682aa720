import { afterEach, beforeEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openExisting } from "../../src/db/open-database.ts";
import { SCHEMA_VERSION } from "../../src/db/schema-version.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { contentOf, faultsOf } from "../support/cluster.ts";
import { type ClusterCampaign, startClusterCampaign } from "../support/cluster-campaign.ts";
import { callOnce, newCalls } from "../support/cluster-load.ts";
import { createMachine, type Machine, PROGRAM, type Serving } from "../support/machine.ts";
import {
  makeNamespace,
  missingForNamespaces,
  type Namespace,
} from "../support/network-namespace.ts";
import { nextProgram } from "../support/next-program.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { elapsed, posts, writePosts } from "../support/webhook-journey.ts";

/**
 * Faults of one of two nodes: its connection to PostgreSQL, its disk, a day of absence, a restored
 * PostgreSQL, another version of the program. Run by `bun run campaign cluster`.
 */
const IS_CAMPAIGN = process.env["KANALOG_TEST_PATRONI"] === "1";
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Date.now() % 1_000_000);
const SECRET = "the secret of both nodes of this journey";
const CUT_MS = 20_000;
const FULL_MS = 15_000;

const noNamespaces = IS_CAMPAIGN ? missingForNamespaces() : "";
if (noNamespaces !== null && noNamespaces !== "") {
  console.warn(`The cut line and the full disk are skipped: ${noNamespaces} is not here.`);
}
const LAG_MAX_S = 10;

/** Statuses of a free method after so long without a copy; the last copy may be seconds older. */
function statusesAfter(ms: number): number[] {
  if (ms < (LAG_MAX_S - 3) * 1000) return [200];
  return ms < (LAG_MAX_S + 1) * 1000 ? [200, 503] : [503];
}

const withPostgres = test.skipIf(!hasPostgres || !IS_CAMPAIGN);
const asRoot = test.skipIf(!hasPostgres || noNamespaces !== null);

let machine: Machine;
let postgres: PostgresServer;
let campaign: ClusterCampaign | null;
let namespace: Namespace | null;
beforeEach(async () => {
  [campaign, namespace] = [null, null];
  if (!hasPostgres || !IS_CAMPAIGN) return;
  machine = createMachine();
  postgres = await startPostgres({ isFlushed: true });
}, 60_000);
afterEach(async () => {
  await campaign?.close();
  await machine?.leave();
  namespace?.remove();
  await postgres?.stop();
}, 60_000);

asRoot(
  "a node whose connection to PostgreSQL is cut bills nothing, answers from its copy, and then catches up",
  async () => {
    const separate = makeNamespace();
    namespace = separate;
    await separate.lead(postgres.port);
    campaign = await startClusterCampaign({
      ...{ machine, url: postgres.url, seed: SEED },
      settingsOf: (name) =>
        name === "a"
          ? {}
          : {
              program: [...separate.within, ...PROGRAM],
              environment: {
                KANALOG_CLUSTER: postgres.url.replace("127.0.0.1", separate.gateway),
                KANALOG_HOST: separate.address,
                KANALOG_LAG_MAX: `${LAG_MAX_S}s`,
              },
            },
    });
    const { calls, nodes, key } = campaign;
    const [a, b] = nodes;
    const serving = b.serving as Serving;
    const isReady = async () => (await serving.get("/readyz")).status === 200;
    await until(isReady, "the first copy");

    separate.cut();
    const cutMs = performance.now();
    const before = { ...calls };
    // Requests that had reached PostgreSQL before may still be answered.
    await elapsed(500);
    const quietMs = performance.now();
    let longestMs = 0;
    while (performance.now() < cutMs + CUT_MS) {
      for (const path of ["/v1/me/", "/v1/msgr/categories/", "/docs/"]) {
        const beganMs = performance.now();
        const { status } = await serving.get(path, key);
        longestMs = Math.max(longestMs, performance.now() - beganMs);
        expect(statusesAfter(path === "/docs/" ? 0 : beganMs - cutMs), path).toContain(status);
      }
      await elapsed(200);
    }
    const ready = await serving.get("/readyz");
    expect(ready.status).toBe(503);
    const { checks } = (await ready.json()) as { checks: Record<string, string> };
    expect(checks["cluster"]).toBe("This node's copy of the cluster's rows is out of date.");
    expect(b.answeredAtMs).toBeLessThan(quietMs);
    expect(a.answeredAtMs).toBeGreaterThan(cutMs + CUT_MS / 2);
    // At least one request got that answer; others may still be waiting.
    await until(() => calls.unavailable > before.unavailable, "an answer that it is unavailable");
    console.info({
      ...{ checks, longestFreeMs: Math.round(longestMs) },
      ...{ answered: calls.answered - before.answered },
      unavailable: calls.unavailable - before.unavailable,
    });

    separate.mend();
    const mendedMs = performance.now();
    await campaign.answersAgain();
    console.info(`b answers ${Math.round(b.answeredAtMs - mendedMs)} ms after its line was mended`);
    await until(async () => (await serving.get("/readyz")).status === 200, "ready again");
    console.info(`and is ready after ${Math.round(performance.now() - mendedMs)} ms`);
    await campaign.expectNothingLost();
  },
);

asRoot(
  "a node whose disk is full loses nothing, bills nothing twice, and continues once there is room",
  async () => {
    const disk = machine.path("disk");
    mkdirSync(disk);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256m", "tmpfs", disk]);
    expect(mounted.status).toBe(0);
    try {
      campaign = await startClusterCampaign({
        ...{ machine, url: postgres.url, seed: SEED },
        settingsOf: (name) =>
          name === "a"
            ? {}
            : { environment: { KANALOG_DB: join(disk, "b.db"), KANALOG_LAG_MAX: `${LAG_MAX_S}s` } },
      });
      const { nodes, calls, key } = campaign;
      const [a, b] = nodes;
      const serving = b.serving as Serving;
      const filler = join(disk, "filler");
      fill(filler);
      const fullMs = performance.now();
      const before = { ...calls };
      const ofFull = newCalls();
      while (performance.now() < fullMs + FULL_MS) {
        await callOnce(campaign, b, key, ofFull);
        // From when on it cannot copy depends on what its file still has room for.
        expect([200, 503]).toContain((await serving.get("/v1/me/", key)).status);
        await elapsed(100);
      }
      calls.sent += ofFull.sent;
      calls.answered += ofFull.answered;
      const ready = await serving.get("/readyz");
      expect(ready.status).toBe(503);
      console.info({ ofFull, checks: ((await ready.json()) as { checks: unknown }).checks });
      expect(a.answeredAtMs).toBeGreaterThan(fullMs + FULL_MS / 2);
      expect(calls.answered).toBeGreaterThan(before.answered);

      rmSync(filler);
      const roomMs = performance.now();
      await campaign.answersAgain();
      await until(async () => (await serving.get("/readyz")).status === 200, "ready again");
      console.info(`ready ${Math.round(performance.now() - roomMs)} ms after there was room`);
      await campaign.expectNothingLost();
    } finally {
      // Processes that still use it keep it until they end.
      spawnSync("umount", ["--lazy", disk]);
    }
  },
);

/** Fills a file until there is no room for another byte. */
function fill(path: string): void {
  const file = openSync(path, "w");
  for (const size of [1 << 20, 4096, 1]) {
    try {
      for (;;) writeSync(file, new Uint8Array(size));
    } catch {
      // There is no room for so many bytes; fewer may still fit.
    }
  }
  closeSync(file);
}

withPostgres("a node that was stopped while much was changed and removed catches up", async () => {
  const { key } = await cluster();
  const a = await serve("a");
  const rows = (from: number, to: number, title: string): string =>
    Array.from(
      { length: to - from + 1 },
      (_, at) => `${from + at},${title} ${from + at},1000\n`,
    ).join("");
  const import_ = (kind: string, file: string) => ok(["import", kind, file], "a");
  await import_(
    "channels",
    machine.write("new.csv", `id,title,subscribers\n${rows(100, 3_099, "Новый")}`),
  );
  await import_("posts", machine.path(writePosts(machine, posts(1, 2_000))));
  await import_(
    "channels",
    machine.write("other.csv", `id,title,subscribers\n${rows(100, 1_099, "Иной")}`),
  );
  for (const id of [100, 101, 102]) await ok(["channel", "delete", String(id), "--yes"], "a");
  await ok(["channel", "merge", "103", "104", "--yes"], "a");
  await ok(["channel", "hide", "105"], "a");
  await ok(["key", "revoke", "1"], "a");
  expect((await a.get("/v1/msgr/channels/1/", key)).status).toBe(401);

  const beganMs = performance.now();
  const b = await serve("b");
  expect((await b.get("/v1/msgr/channels/1/", key)).status).toBe(401);
  await until(() => areSame(), "equal copies");
  console.info(`caught up ${Math.round(performance.now() - beganMs)} ms after its start`);
  for (const one of [a, b]) expect(await one.stop()).toBe(0);
  for (const name of ["a", "b"]) {
    await ok(["check"], name);
    const db = openExisting(pathOf(name), systemClock);
    expect(faultsOf(db)).toEqual([]);
    db.close();
  }
});

withPostgres(
  "a PostgreSQL restored from a backup is refused by nodes that are ahead of it, until they are rebuilt",
  async () => {
    const { key } = await cluster();
    await postgres.stop();
    const backup = machine.path("backup");
    spawnSync("cp", ["-a", postgres.data, backup]);
    await postgres.start();
    const a = await serve("a");
    for (const name of ["Later 1", "Later 2"]) {
      await ok(["org", "create", "--name", name, "--plan", "profi"], "a");
    }
    await postgres.kill();
    rmSync(postgres.data, { recursive: true });
    spawnSync("cp", ["-a", backup, postgres.data]);
    await postgres.start();

    // The serving node logs what to do, and bills nothing.
    await until(() => a.printed().includes("kanalog cluster rebuild"), "a line in the log");
    expect((await a.get("/v1/msgr/channels/1/", key)).status).toBe(503);
    await until(async () => (await a.get("/readyz")).status === 503, "unready");
    expect(await a.stop()).toBe(0);

    for (const words of [["serve"], ["org", "list"], ["key", "revoke", "1"]]) {
      const refused = await machine.runProgram(words, options("a"));
      expect(refused.exitCode, words.join(" ")).not.toBe(0);
      expect(refused.notes).toContain("kanalog cluster rebuild");
    }
    await ok(["cluster", "rebuild"], "a");
    const again = await serve("a");
    expect((await again.get("/v1/msgr/channels/1/", key)).status).toBe(200);
    const list = await ok(["org", "list"], "a");
    expect(list).not.toContain("Later");
    expect(await again.stop()).toBe(0);
    await ok(["check"], "a");
  },
);

withPostgres(
  "beside a node with a newer schema, a node with this one keeps answering and refuses changes",
  async () => {
    await cluster();
    const made = await ok(["key", "create", "--member", "1", "--write", "--json"], "a");
    const { key } = JSON.parse(made) as { key: string };
    const program = nextProgram(machine);
    const a = await serve("a");
    const newer = await machine.runProgram(
      ["org", "create", "--name", "Newer", "--plan", "profi"],
      {
        ...options("b"),
        program,
      },
    );
    expect(newer.exitCode, newer.notes).toBe(0);
    const b = await machine.serve(["serve"], { ...options("b"), program });

    for (const one of [a, b]) {
      expect((await one.get("/v1/msgr/channels/1/", key)).status).toBe(200);
      expect((await one.get("/v1/me/", key)).status).toBe(200);
    }
    // The previous program's copy gets what the newer one writes, without the columns that it does not
    // know.
    await until(() => organizations("a").includes("Newer"), "the newer node's organization");
    const body = JSON.stringify({ url: "https://93.184.215.14/hook", channels: [1] });
    const change = await fetch(`${a.address}/v1/msgr/webhooks/`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body,
    });
    expect(change.status).toBe(503);
    expect(change.headers.get("retry-after")).not.toBeNull();
    expect(await change.json()).toMatchObject({ code: "unavailable" });
    const refused = await machine.runProgram(["org", "list"], options("a"));
    expect(refused.exitCode).not.toBe(0);
    expect(refused.notes).toContain(`schema version ${SCHEMA_VERSION + 1}`);
    expect(await a.stop()).toBe(0);

    // After its upgrade it is a node as before.
    const upgraded = await machine.serve(["serve"], { ...options("a"), program });
    expect((await upgraded.get("/v1/msgr/channels/1/", key)).status).toBe(200);
    const later = await machine.runProgram(["org", "create", "--name", "Last", "--plan", "profi"], {
      ...options("a"),
      program,
    });
    expect(later.exitCode, later.notes).toBe(0);
    await until(() => areSame(), "equal copies");
    for (const one of [upgraded, b]) expect(await one.stop()).toBe(0);
  },
);

const pathOf = (name: string): string => (name === "a" ? machine.database : machine.path("b.db"));

const options = (name: string) => ({
  environment: {
    ...{ KANALOG_CLUSTER: postgres.url, KANALOG_NODE: name, KANALOG_SECRET: SECRET },
    ...{ KANALOG_DB: pathOf(name), KANALOG_LOG_LEVEL: "warn", KANALOG_LAG_MAX: "3s" },
  },
});

async function ok(words: string[], name: string): Promise<string> {
  const { exitCode, out, notes } = await machine.run(words, options(name));
  expect(exitCode, `${words.join(" ")}: ${notes}`).toBe(0);
  return out;
}

const serve = (name: string): Promise<Serving> => machine.serve(["serve"], options(name));

/** Creates a cluster of two nodes, none of which serves yet, with a key and a channel. */
async function cluster(): Promise<{ key: string }> {
  machine.write("channels.csv", "id,title,subscribers\n1,Птицы,1000\n");
  const imported = await machine.run(["import", "channels", machine.path("channels.csv")]);
  expect(imported.exitCode, imported.notes).toBe(0);
  const { key } = await machine.customer();
  await ok(["cluster", "init", "--from", machine.database], "a");
  await ok(["cluster", "join"], "b");
  return { key };
}

function areSame(): boolean {
  const texts = ["a", "b"].map((name) => {
    const db = openExisting(pathOf(name), systemClock);
    try {
      return JSON.stringify([...contentOf(db)]);
    } finally {
      db.close();
    }
  });
  return texts[0] === texts[1];
}

function organizations(name: string): string {
  const db = openExisting(pathOf(name), systemClock);
  try {
    return db
      .prepare<{ name: string }>("SELECT name FROM organizations")
      .all()
      .map((one) => one.name)
      .join();
  } finally {
    db.close();
  }
}
