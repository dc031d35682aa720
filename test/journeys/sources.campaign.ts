import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { TELEGRAM_TOKEN } from "../support/fake-telegram.ts";
import { faultsOf } from "../support/file-faults.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import {
  isAllRead,
  SOURCE_ENVIRONMENT,
  type SourceWorld,
  storedPosts,
} from "../support/source-worlds/source-world.ts";
import { SOURCE_WORLDS } from "../support/source-worlds/source-worlds.ts";
import { until } from "../support/until.ts";
import { seededRandom } from "../support/webhook-journey.ts";

/**
 * Sources read by real processes, which are killed and stopped at any moment (sources, sections 1 and 5).
 */

/** Number of kills; `bun run campaign sources` makes more. */
const KILLS = Number(process.env["KANALOG_TEST_KILLS"] ?? 1);
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Math.floor(Math.random() * 1e9));
const ONE_WORD = ["serve"];
const WORKERS_WORDS = ["serve", "--workers", "2"];
const environment = SOURCE_ENVIRONMENT;

let machine: Machine;
let world: SourceWorld;
beforeEach(() => {
  machine = createMachine();
});
afterEach(async () => {
  await world.server.stop();
  await machine.leave();
});

/** Requests a run of the source at once: after some kills it would wait. */
function ask(): void {
  const db = machine.open();
  db.exec("UPDATE sources SET is_asked = 1");
  db.close();
}

const source = () =>
  machine.query<{ owner: string | null; failures: number }>(
    "SELECT owner, failures FROM sources",
  )[0];

const stored = () => storedPosts(machine.query);
const isDone = () => isAllRead(world, stored());

async function waitForAll(): Promise<void> {
  await until(() => {
    ask();
    return isDone();
  }, "all posts");
}

const serve = (words = ONE_WORD): Promise<Serving> => machine.serve(words, { environment });

function kill(processId: number): void {
  try {
    process.kill(processId, "SIGKILL");
  } catch (error) {
    // It was killed before, or has ended with its parent process.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Kills the process that reads the source; another one continues. @returns whether there was one */
function killOwner(): boolean {
  const [, processId = ""] = source()?.owner?.split(" ") ?? [];
  if (processId === "") return false;
  kill(Number(processId));
  return true;
}

describe.each(Object.entries(SOURCE_WORLDS))("a source of %s", (kind, createWorld) => {
  test(
    "has each post once, with its last text, when its reader is killed at any moment",
    async () => {
      console.info(
        `${kind}: ${KILLS} kills (KANALOG_TEST_KILLS), seed ${SEED} (KANALOG_TEST_SEED)`,
      );
      const random = seededRandom(SEED);
      const chance = (below: number): number => Math.floor(random() * below);
      const happen = (below: number): void => {
        for (let count = chance(below); count > 0; count--) world.happen(chance);
      };
      world = createWorld();
      await world.add(machine);

      /** Kills all these processes at a random moment. */
      async function killAmid(servings: readonly Serving[]): Promise<void> {
        const isAmid = world.isAmid(chance, machine);
        ask();
        happen(120);
        const from = world.server.requests;
        await until(() => isAmid() || (world.server.requests > from && source()?.owner === null));
        happen(10);
        const [first] = servings;
        const sleeping = Bun.sleep(chance(40));
        if (first !== undefined) await Promise.race([world.deliver?.(first, chance), sleeping]);
        await sleeping;
      }

      let kills = 0;
      for (let round = 0; kills < KILLS; round++) {
        if (round === Math.floor(KILLS / 4)) await world.turn?.(machine);
        // One process, two of them, and two workers of one, in turn.
        const words = round % 3 === 2 ? WORKERS_WORDS : ONE_WORD;
        const servings = [await serve(words)];
        if (round % 3 === 1) servings.push(await serve());
        if (round % 3 > 0) {
          await killAmid(servings);
          if (killOwner()) kills += 1;
        }
        await killAmid(servings);
        for (const { pid } of servings) kill(pid);
        kills += 1;
        for (const serving of servings) await serving.stop();
      }

      world.calm();
      const serving = await serve();
      await world.deliver?.(serving, () => 1);
      await waitForAll();
      expect(await serving.stop()).toBe(0);
      expect(stored()).toEqual(world.wanted());
      expect(source()?.owner).toBeNull();
      expect(faultsOf(machine.database)).toEqual([]);
      const left = readdirSync(machine.folder).filter((name) => name.includes(".upload-"));
      expect(left).toEqual([]);
      console.info(`${kind}: ${world.wanted().size} posts, each once, over ${kills} kills`);
    },
    120_000 + 15_000 * KILLS,
  );

  test("is read by one of two processes on one database, and a command reports that it is being read", async () => {
    world = createWorld();
    await world.add(machine);
    const letGo = world.server.hold();
    const servings = [await serve(), await serve()];
    await until(() => source()?.owner !== null);
    const { name = "" } = machine.query<{ name: string }>("SELECT name FROM sources")[0] ?? {};
    const command = await machine.run(["source", "run", name], { environment });
    expect(command).toMatchObject({ exitCode: 1, notes: `The source ${name} is running.\n` });
    letGo();
    for (let count = 0; count < 60; count++) world.happen((below) => count % Math.min(below, 57));
    await waitForAll();
    for (const serving of servings) expect(await serving.stop()).toBe(0);
    expect(world.server.overlaps).toBe(0);
  });

  test("that waits for the other side ends at once when the process stops, and is read by the next one", async () => {
    world = createWorld();
    await world.add(machine);
    const letGo = world.server.hold();
    const from = world.server.requests;
    const first = await serve();
    await until(() => world.server.requests > from);
    expect(await first.stop()).toBe(0);
    expect(source()).toEqual({ owner: null, failures: 0 });
    letGo();
    for (let count = 0; count < 20; count++) world.happen((below) => count % Math.min(below, 57));
    const second = await serve();
    await waitForAll();
    expect(await second.stop()).toBe(0);
  });
});

test("pushes are accepted by either of two processes", async () => {
  world = SOURCE_WORLDS.max();
  await world.add(machine);
  await world.turn?.(machine);
  const servings = [await serve(), await serve()];
  await until(() => source()?.owner === null && isDone());
  for (const serving of servings) {
    world.happen(() => 0);
    await until(async () => {
      await world.deliver?.(serving, () => 1);
      return isDone();
    });
  }
  for (const serving of servings) expect(await serving.stop()).toBe(0);
});

test("a wrong token, or one among the command's arguments, is refused in one line, and nothing is created", async () => {
  world = SOURCE_WORLDS.telegram();
  const words = ["source", "add", "telegram", "--api", world.server.url, "--token"];
  const wrong = await machine.run([...words, "-"], { environment, stdin: "110201543:AAwrong\n" });
  expect(wrong).toMatchObject({
    ...{ exitCode: 2, out: "" },
    notes: expect.stringMatching(/\ntoken: The messenger does not know this token\..*\n$/),
  });
  const shown = await machine.run([...words, TELEGRAM_TOKEN], { environment });
  expect(shown).toMatchObject({ exitCode: 2, out: "" });
  expect(shown.notes).not.toContain(TELEGRAM_TOKEN.slice(-20));
  expect(machine.query("SELECT * FROM sources")).toEqual([]);
});
