import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { createMachine, type Machine } from "../support/machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const TIMEOUT_MS = 1500;
/** Without advertising, since a page that an index has in order is read without a thread. */
const SLOW = "/v1/msgr/channels/1/posts/?is_ad=false";

/** Processor time of a process and its threads so far, in ticks of 10 ms; null where unknown. */
function processorTicks(pid: number): number | null {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return null;
  // Behind the name, which may have spaces: utime and stime are fields 14 and 15.
  const fields = readFileSync(path, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

const elapsed = (durationMs: number) => new Promise((resolve) => setTimeout(resolve, durationMs));

test("a query that runs into the time limit is a 503, costs nothing and delays nobody", async () => {
  const rows = Array.from(
    { length: 200 },
    (_, at) => `{"id":${at + 1},"handle":"h${at + 1}x","title":"Канал ${at}","subscribers":${at}}`,
  );
  machine.write("channels.ndjson", rows.join("\n"));
  await machine.run(["import", "channels", "channels.ndjson"]);
  const days = Array.from({ length: 200 }, (_, at) => `${at + 1},2026-11-01,5,6,7`);
  machine.write("stats.csv", `channel,day,subscribers,views,posts\n${days.join("\n")}\n`);
  await machine.run(["import", "stats", "stats.csv"]);
  const { key } = await machine.customer();
  const server = await machine.serve(["serve"], {
    environment: { KANALOG_QUERY_TIMEOUT_MS: String(TIMEOUT_MS) },
  });
  const asked = [
    ...["/v1/msgr/channels/7/", "/v1/msgr/channels/h9x/", "/v1/msgr/channels/?limit=20"],
    ...["/v1/msgr/channels/?q=канал 1", "/v1/msgr/categories/"],
    "/v1/msgr/stats/daily/?channels=1,2,3&from=2026-11-01&to=2026-11-02",
  ];
  // What is asked for the first time starts its thread and prepares its statement.
  for (const path of asked) expect((await server.get(path, key)).status).toBe(200);
  expect((await server.get(SLOW, key)).status).toBe(200);
  const used = async (): Promise<number> =>
    ((await (await server.get("/v1/me/", key)).json()) as { usage: { used: number } }).usage.used;
  /** What an answer takes while nothing else is asked, on this machine at this moment. */
  const quietMs: number[] = [];
  while (quietMs.length < 300) {
    const sentAtMs = performance.now();
    await (await server.get(asked[quietMs.length % asked.length] ?? "", key)).text();
    quietMs.push(performance.now() - sentAtMs);
  }
  const usedBefore = await used();

  // From here on the table is a view that never ends: open connections see the change at once.
  const db = machine.open();
  db.exec(`
    ALTER TABLE posts RENAME TO posts_before;
    CREATE VIEW posts AS
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
      SELECT i AS id, 1 AS channel_id, i AS msgr_post_id, i AS published_at, 0 AS is_ad,
        0 AS views, 0 AS read_at, NULL AS link, '' AS text FROM n;`);
  db.close();

  const startedAtMs = performance.now();
  let slowAnswer: Response | null = null;
  let slowMs = 0;
  const slow = server.get(SLOW, key).then((answer) => {
    slowMs = performance.now() - startedAtMs;
    slowAnswer = answer;
  });
  const durationsMs: number[] = [];
  let billed = 0;
  while (slowAnswer === null) {
    const path = asked[durationsMs.length % asked.length] ?? "";
    const sentAtMs = performance.now();
    const answer = await server.get(path, key);
    await answer.text();
    durationsMs.push(performance.now() - sentAtMs);
    expect(answer.status).toBe(200);
    billed += Number(answer.headers.get("x-request-cost"));
  }
  await slow;
  const answer = slowAnswer as Response;

  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ code: "timeout" });
  expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  expect(answer.headers.get("x-request-cost")).toBe("0");
  expect(slowMs).toBeWithin(TIMEOUT_MS, TIMEOUT_MS + 1000);

  expect(durationsMs.length).toBeGreaterThan(100);
  const slowest = (ms: number[]): number =>
    ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.99)] ?? 0;
  // Who waited for the query would wait for seconds; other tests on the same processors delay too.
  expect(slowest(durationsMs)).toBeLessThan(Math.max(250, 4 * slowest(quietMs)));
  expect(await used()).toBe(usedBefore + billed);

  const ticksBefore = processorTicks(server.pid);
  if (ticksBefore !== null) {
    await elapsed(500);
    // A statement that ran on would have taken all of the half second.
    expect((processorTicks(server.pid) ?? 0) - ticksBefore).toBeLessThan(20);
  }
  // The thread that was stopped is whole: it serves, and more slow queries than threads end too.
  const tooMany = Promise.all(Array.from({ length: 6 }, () => server.get(SLOW, key)));
  // With every thread busy, those who watch the appliance are answered at once.
  const readers = async (): Promise<number[]> => {
    const text = await (await server.get("/metrics")).text();
    const figures = text.matchAll(/^kanalog_threads_(?:busy|waiting)\{pool="readers"\} (\d+)$/gm);
    return [...figures].map(([, figure]) => Number(figure));
  };
  while ((await readers()).join() !== "4,2");
  expect((await server.get("/readyz")).status).toBe(200);
  expect(await readers()).toEqual([4, 2]);
  const answers = await tooMany;
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
  expect((await server.get("/v1/msgr/channels/?limit=20", key)).status).toBe(200);
  expect(await server.stop()).toBe(0);
}, 30_000);
