import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openCurrent } from "../../src/app/domains.ts";
import { sourceChanges } from "../../src/catalog/sources/source-changes.ts";
import { selectSources } from "../../src/catalog/sources/sources.store.ts";
import type { Source } from "../../src/catalog/sources/sources.table.ts";
import { copyFromCluster } from "../../src/cluster/cluster-transaction.ts";
import { readConfig } from "../../src/config.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import type { Database } from "../../src/db/database.ts";
import { openExisting } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { systemLog } from "../../src/ports/log.ts";
import { faultsOf } from "../support/file-faults.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { hasPostgres, newPostgresDatabase } from "../support/postgres.ts";
import {
  isAllRead,
  SOURCE_ENVIRONMENT,
  type SourceWorld,
  storedPosts,
} from "../support/source-worlds/source-world.ts";
import { SOURCE_WORLDS } from "../support/source-worlds/source-worlds.ts";
import { until } from "../support/until.ts";
import { seededRandom } from "../support/webhook-journey.ts";

/** Sources of a cluster of two nodes, in separate processes that are killed (sources, sections 1 and 5). */

/** Number of kills; `bun run campaign sources` makes more. */
const KILLS = Number(process.env["KANALOG_TEST_KILLS"] ?? 1);
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Math.floor(Math.random() * 1e9));
const NODES = ["a", "b"] as const;
type Name = (typeof NODES)[number];
/** A copy that serves nothing, through which the shared rows are read and written. */
const WATCH = "watch";

let machine: Machine;
let url: string;
let world: SourceWorld;
let watch: Database;
const serving = new Map<Name, Serving>();
beforeEach(async () => {
  if (!hasPostgres) return;
  machine = createMachine();
  url = await newPostgresDatabase();
});
afterEach(async () => {
  await world?.server.stop();
  await machine?.leave();
  watch?.close();
  serving.clear();
});

const environmentOf = (name: Name | typeof WATCH): Record<string, string> => ({
  ...SOURCE_ENVIRONMENT,
  KANALOG_CLUSTER: url,
  KANALOG_NODE: name,
  KANALOG_SECRET: "the secret of both nodes of the sources",
  KANALOG_DB: pathOf(name),
});

const pathOf = (name: string): string =>
  name === "a" ? machine.database : machine.path(`${name}.db`);

/** The machine with all commands run as the first node. */
function firstNode(): Machine {
  const run: Machine["run"] = (words, options) =>
    machine.run(words, {
      ...options,
      environment: { ...options?.environment, ...environmentOf("a") },
    });
  return { ...machine, run };
}

async function ok(words: string[], name: Name | typeof WATCH): Promise<void> {
  const { exitCode, notes } = await machine.run(words, { environment: environmentOf(name) });
  expect(exitCode, `${words.join(" ")}: ${notes}`).toBe(0);
}

/** Creates the cluster, and adds the source on its first node. */
async function begin(createWorld: () => SourceWorld): Promise<void> {
  world = createWorld();
  expect(await machine.run(["plan", "list"])).toMatchObject({ exitCode: 0 });
  await ok(["cluster", "init", "--from", machine.database], "a");
  for (const name of ["b", WATCH] as const) await ok(["cluster", "join"], name);
  await world.add(firstNode());
  const config = readConfig(environmentOf(WATCH));
  watch = await openCurrent(config, { clock: systemClock, log: systemLog("silent", null) });
}

async function serve(): Promise<void> {
  for (const name of NODES) {
    if (serving.has(name)) continue;
    serving.set(name, await machine.serve(["serve"], { environment: environmentOf(name) }));
  }
}

async function source(): Promise<Source> {
  await copyFromCluster(watch, systemClock);
  const [found] = await selectSources(watch);
  return found as Source;
}

const isDone = () =>
  isAllRead(
    world,
    storedPosts((sql) => watch.prepare<never>(sql).all()),
  );

/** Requests a run of the source at once: after some kills it would wait. */
async function ask(): Promise<void> {
  const { id } = await source();
  await sourceChanges.requestRun(watch, systemClock, id, COMMAND_LINE);
}

async function waitForAll(): Promise<void> {
  await until(async () => {
    // If no running node reads it, a run is requested: after failures it waits, though its row may name a
    // node that is gone.
    if ((await reader()) === null && !(await source()).isRequested) await ask();
    return isDone();
  }, "all posts");
}

/** The node whose process runs the source; null if none does. */
async function reader(): Promise<Name | null> {
  const pid = Number((await source()).owner?.split(" ")[1]);
  return NODES.find((name) => serving.get(name)?.pid === pid) ?? null;
}

async function kill(name: Name): Promise<void> {
  const node = serving.get(name);
  if (node === undefined) return;
  serving.delete(name);
  process.kill(node.pid, "SIGKILL");
  await node.stop();
}

/** Stops both nodes. Both must then have what the messenger has, and their files must be sound. */
async function expectSame(): Promise<void> {
  for (const node of serving.values()) expect(await node.stop()).toBe(0);
  for (const name of NODES) {
    // A command brings the node's copy up to date.
    await ok(["plan", "list"], name);
    const db = openExisting(pathOf(name), systemClock);
    expect(storedPosts((sql) => db.prepare<never>(sql).all())).toEqual(world.wanted());
    db.close();
    expect(faultsOf(pathOf(name))).toEqual([]);
  }
  expect((await source()).owner).toBeNull();
}

const KINDS = Object.entries(SOURCE_WORLDS);

describe.skipIf(!hasPostgres).each(KINDS)("a source of %s", (kind, createWorld) => {
  test(
    "is read by one node at a time, by the other if that one is killed, and each post exists once on both",
    async () => {
      console.info(`${kind}: ${KILLS} kills of nodes (KANALOG_TEST_KILLS), seed ${SEED}`);
      const random = seededRandom(SEED);
      const chance = (below: number): number => Math.floor(random() * below);
      const happen = (): void => {
        for (let count = 20 + chance(60); count > 0; count--) world.happen(chance);
      };
      await begin(createWorld);
      await serve();
      await waitForAll();
      let moves = 0;
      for (let kills = 0; kills < KILLS; ) {
        if (kills === Math.ceil(KILLS / 2)) await world.turn?.(firstNode());
        await serve();
        happen();
        const from = world.server.requests;
        await ask();
        const isAmid = world.isAmid(chance, machine);
        await until(
          async () => isAmid() || (world.server.requests > from && (await reader()) === null),
        );
        happen();
        await Bun.sleep(chance(40));
        const first = (await reader()) ?? (NODES[chance(2)] as Name);
        await kill(first);
        kills += 1;
        const left = first === "a" ? "b" : "a";
        if (chance(4) === 0) {
          await kill(left);
          kills += 1;
          continue;
        }
        world.calm();
        const node = serving.get(left);
        if (node !== undefined) await world.deliver?.(node, () => 1);
        await waitForAll();
        moves += 1;
      }
      await serve();
      world.calm();
      await world.deliver?.(serving.get("b") as Serving, () => 1);
      await waitForAll();
      await expectSame();
      console.info(
        `${kind}: ${world.wanted().size} posts, each once on both nodes, the rest read by the other ${moves} times`,
      );
    },
    180_000 + 30_000 * KILLS,
  );

  test("is read once while both nodes serve, and a command on either reports that it is being read", async () => {
    await begin(createWorld);
    const letGo = world.server.hold();
    await serve();
    const { name: added } = await source();
    await until(async () => (await reader()) !== null);
    for (const at of NODES) {
      const environment = environmentOf(at);
      const command = await machine.run(["source", "run", added], { environment });
      expect(command).toMatchObject({ exitCode: 1, notes: `The source ${added} is running.\n` });
    }
    letGo();
    for (let count = 0; count < 60; count++) world.happen((below) => count % Math.min(below, 57));
    await waitForAll();
    await expectSame();
    expect(world.server.overlaps).toBe(0);
  });
});
