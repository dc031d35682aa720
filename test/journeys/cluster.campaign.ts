import { afterEach, beforeEach, expect, test } from "bun:test";
import pg from "pg";
import { openExisting } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { checkDatabase } from "../../src/upkeep/checks/check.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { elapsed, seededRandom } from "../support/webhook-journey.ts";

/**
 * Two nodes in separate processes over a PostgreSQL that flushes its commits to disk; all of them are
 * killed or stopped under load. `bun run campaign cluster` does so more often.
 */
const KILLS = Number(process.env["KANALOG_TEST_KILLS"] ?? 1);
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Date.now() % 1_000_000);
const SECRET = "the secret of both nodes of the campaign";
const NODES = ["a", "b"] as const;
const VICTIMS = ["node", "stopped node", "postgres"] as const;
const CLIENTS = 4;
const CHANNELS = 40;
/** Longer than PostgreSQL waits for a node that is silent within its turn. */
const STOPPED_MS = 7_000;
const LIFE_MAX_MS = 2_000;
/** A stopped node takes the longest. */
const TIME_MAX_MS = 120_000 + KILLS * VICTIMS.length * 20_000;

type Name = (typeof NODES)[number];

let machine: Machine;
let postgres: PostgresServer;
let client: pg.Client;
beforeEach(async () => {
  if (!hasPostgres) return;
  machine = createMachine();
  postgres = await startPostgres({ isFlushed: true });
});
afterEach(async () => {
  await machine?.leave();
  await postgres?.stop();
});

const environmentOf = (name: Name): Record<string, string> => ({
  KANALOG_CLUSTER: postgres.url,
  KANALOG_NODE: name,
  KANALOG_SECRET: SECRET,
  KANALOG_DB: name === "a" ? machine.database : machine.path("b.db"),
});

async function ok(words: string[], name: Name, more: Record<string, string> = {}): Promise<string> {
  const environment = { ...environmentOf(name), ...more };
  const { exitCode, out, notes } = await machine.runProgram(words, { environment });
  expect(exitCode, `${words.join(" ")}: ${notes}`).toBe(0);
  return out;
}

test.skipIf(!hasPostgres)(
  "nothing that was answered is lost, and no unit is counted twice, whatever is killed",
  async () => {
    console.info(`KANALOG_TEST_SEED=${SEED}, ${KILLS} of each`);
    const random = seededRandom(SEED);
    const { key } = await machine.customer();
    await ok(["cluster", "init", "--from", machine.database], "a");
    await ok(["cluster", "join"], "b");
    const serving = new Map<Name, Serving>();
    const serve = async (name: Name): Promise<void> => {
      serving.set(name, await machine.serve(["serve"], { environment: environmentOf(name) }));
    };
    for (const name of NODES) await serve(name);
    let goesOn = true;
    const calls = { sent: 0, answered: 0, others: new Set<number>() };
    const ask = async (at: number): Promise<void> => {
      for (let turn = at; goesOn; turn++) {
        const node = serving.get(NODES[turn % 2] as Name);
        if (node === undefined) {
          await elapsed(10);
          continue;
        }
        calls.sent += 1;
        const response = await node.get("/v1/msgr/channels/?limit=1", key).catch(() => null);
        const body = await response?.text().catch(() => null);
        if (!response || !body) continue;
        if (response.status === 200) calls.answered += 1;
        else calls.others.add(response.status);
      }
    };
    const imported = { done: 0 };
    const importOn = async (): Promise<void> => {
      for (let edition = 1; goesOn; edition++) {
        const rows = Array.from(
          { length: CHANNELS },
          (_, at) => `${at + 1},channel${at + 1},Канал ${at + 1} ${edition},${edition}`,
        );
        const file = machine.write(
          "channels.csv",
          `id,handle,title,subscribers\n${rows.join("\n")}\n`,
        );
        const name = NODES[edition % 2] as Name;
        const done = await machine.runProgram(["import", "channels", file], {
          environment: environmentOf(name),
        });
        if (done.exitCode === 0) imported.done = edition;
      }
    };
    const load = Promise.all([importOn(), ...Array.from({ length: CLIENTS }, (_, at) => ask(at))]);

    for (let kill = 0; kill < KILLS * VICTIMS.length; kill++) {
      const answered = calls.answered;
      await until(() => calls.answered > answered + 20, "answers");
      await elapsed(random() * LIFE_MAX_MS);
      const name = NODES[Math.floor(random() * 2)] as Name;
      const victim = VICTIMS[kill % VICTIMS.length];
      const begunMs = performance.now();
      if (victim === "postgres") {
        await postgres.kill();
        await elapsed(200);
        await postgres.start();
      } else {
        const { pid } = serving.get(name) as Serving;
        process.kill(pid, victim === "node" ? "SIGKILL" : "SIGSTOP");
        if (victim === "node") {
          serving.delete(name);
          await serve(name);
        } else {
          await elapsed(STOPPED_MS);
          process.kill(pid, "SIGCONT");
        }
      }
      const before = calls.answered;
      await until(() => calls.answered > before + 20, "answers again");
      console.info(`${victim}: answers again after ${Math.round(performance.now() - begunMs)} ms`);
    }
    goesOn = false;
    await load;
    for (const node of serving.values()) expect(await node.stop()).toBe(0);
    await ok(["cluster", "status"], "a");

    client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query(
      "SELECT sum(requests)::int AS requests, sum(units)::int AS units FROM kanalog.usage_days WHERE status = 200",
    );
    const used = await client.query("SELECT sum(used)::int AS used FROM kanalog.usage_periods");
    await client.end();
    console.info({ ...calls, stored: rows[0], imports: imported.done });
    expect(rows[0].requests).toBeGreaterThanOrEqual(calls.answered);
    expect(rows[0].requests).toBeLessThanOrEqual(calls.sent);
    expect(used.rows[0].used).toBe(rows[0].units);
    expect([...calls.others].filter((status) => status !== 503)).toEqual([]);

    // Each node has all channels of the last import that reported success, or of a later one.
    for (const name of NODES) {
      await ok(["plan", "list"], name);
      const { KANALOG_DB: path } = environmentOf(name);
      const db = openExisting(path as string, systemClock);
      const stored = db
        .prepare<{ least: number; count: number }>(
          "SELECT min(subscribers) AS least, count(*) AS count FROM channels",
        )
        .get();
      expect(stored?.count).toBe(CHANNELS);
      expect(stored?.least).toBeGreaterThanOrEqual(imported.done);
      const faults: string[] = [];
      checkDatabase(db, (result) => faults.push(...result.faults));
      db.close();
      expect(faults).toEqual([]);
    }
  },
  TIME_MAX_MS,
);
