import { afterEach, beforeEach, expect, test } from "bun:test";
import { faultsOf } from "../support/file-faults.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { until } from "../support/until.ts";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const channels = (length: number) =>
  Array.from({ length }, (_, at) => {
    const id = at + 1;
    return `{"id":${id},"handle":"channel_${id}","title":"Канал № ${id}","subscribers":${id},"category":"auto"}`;
  }).join("\n");

test("while another process imports, the server answers, counts exactly, and shows the rows", async () => {
  machine.write("channels.ndjson", channels(200));
  await machine.run(["import", "channels", "channels.ndjson"]);
  const rows = Array.from({ length: 20_000 }, (_, at) => {
    const day = new Date(Date.UTC(2026, 0, 1 + Math.floor(at / 200))).toISOString().slice(0, 10);
    return `${(at % 200) + 1},${day},${at},1,2`;
  });
  machine.write("stats.csv", `channel,day,subscribers,views,posts\n${rows.join("\n")}\n`);
  const { key } = await machine.customer();
  const server = await machine.serve();
  await server.get("/v1/msgr/channels/1/", key);

  const importing = machine.runProgram(["import", "stats", "stats.csv", "--json"]);
  let running = true;
  void importing.finally(() => {
    running = false;
  });
  let billed = 1;
  const statuses = new Set<number>();
  const ask = async (worker: number): Promise<void> => {
    for (let at = worker; running; at += 3) {
      const answer = await server.get(`/v1/msgr/channels/${(at % 200) + 1}/`, key);
      await answer.text();
      statuses.add(answer.status);
      billed += Number(answer.headers.get("x-request-cost"));
    }
  };
  await Promise.all([ask(0), ask(1), ask(2)]);
  const { exitCode, out } = await importing;
  expect(exitCode).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ read: 20_000, inserted: 20_000, rejected: 0 });
  expect([...statuses]).toEqual([200]);
  expect(billed).toBeGreaterThan(50);

  const me = (await (await server.get("/v1/me/", key)).json()) as { usage: { used: number } };
  expect(me.usage.used).toBe(billed);
  const days = await server.get(
    "/v1/msgr/stats/daily/?channels=200&from=2026-01-01&to=2026-04-10",
    key,
  );
  const { results } = (await days.json()) as { results: object[] };
  expect(results).toHaveLength(100);
  expect(results.at(-1)).toEqual({
    ...{ channel: 200, day: "2026-04-10", subscribers: 19_999, views: 1, posts: 2 },
  });
  expect(await server.stop()).toBe(0);
  const stored = machine.query<{ used: number }>("SELECT used FROM usage_periods");
  expect(stored).toEqual([{ used: billed + Number(days.headers.get("x-request-cost")) }]);
});

test("a killed import leaves a consistent database, and can be repeated to the end", async () => {
  machine.write("channels.ndjson", channels(10_000));
  await machine.run(["plan", "list"]);
  const db = machine.open();
  try {
    const stored = db.prepare("SELECT count(*) FROM channels").pluck();
    for (const share of [0.1, 0.5]) {
      const child = machine.spawn(["import", "channels", "channels.ndjson"]);
      await until(() => child.exitCode !== null || Number(stored.get()) > 10_000 * share);
      child.kill("SIGKILL");
      await child.exited;
      expect(Number(stored.get())).toBeWithin(10_000 * share, 10_000);
      expect(faultsOf(machine.database)).toEqual([]);
      const halves = db.prepare(
        "SELECT count(*) FROM channels LEFT JOIN channel_cards USING (id) WHERE title IS NULL",
      );
      expect(halves.pluck().get()).toBe(0);
    }
    const before = Number(stored.get());
    const { exitCode, out } = await machine.runProgram([
      "import",
      "channels",
      "channels.ndjson",
      "--json",
    ]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ...{ read: 10_000, inserted: 10_000 - before, updated: 0, unchanged: before, rejected: 0 },
    });
    expect(faultsOf(machine.database)).toEqual([]);
  } finally {
    db.close();
  }
});
