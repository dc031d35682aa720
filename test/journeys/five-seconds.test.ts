import { afterEach, beforeEach, expect, test } from "bun:test";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { HANGS_AFTER_MS, until } from "../support/until.ts";
import { elapsed } from "../support/webhook-journey.ts";

const TIMEOUT_MS = 1500;
/** Without advertising, because a page that an index returns in order is read without a thread. */
const SLOW = "/v1/msgr/channels/1/posts/?is_ad=false";
const QUICK = [
  ...["/v1/msgr/channels/7/", "/v1/msgr/channels/h9x/", "/v1/msgr/channels/?limit=20"],
  ...["/v1/msgr/channels/?q=канал 1", "/v1/msgr/categories/"],
  "/v1/msgr/stats/daily/?channels=1,2,3&from=2026-11-01&to=2026-11-02",
];

let machine: Machine;
let key: string;
beforeEach(async () => {
  machine = createMachine();
  const rows = Array.from(
    { length: 200 },
    (_, at) => `{"id":${at + 1},"handle":"h${at + 1}x","title":"Канал ${at}","subscribers":${at}}`,
  );
  machine.write("channels.ndjson", rows.join("\n"));
  await machine.run(["import", "channels", "channels.ndjson"]);
  const days = Array.from({ length: 200 }, (_, at) => `${at + 1},2026-11-01,5,6,7`);
  machine.write("stats.csv", `channel,day,subscribers,views,posts\n${days.join("\n")}\n`);
  await machine.run(["import", "stats", "stats.csv"]);
  ({ key } = await machine.customer());
});
afterEach(() => machine.leave());

/** Starts a server on which the slow query, after one normal run, never ends. */
async function serveEndless(queryTimeoutMs: number): Promise<Serving> {
  const server = await machine.serve(["serve"], {
    environment: { KANALOG_QUERY_TIMEOUT_MS: String(queryTimeoutMs) },
  });
  // The first run of each query starts its thread and prepares its statement.
  for (const path of [...QUICK, SLOW]) expect((await server.get(path, key)).status).toBe(200);
  // Replaces the table by a view that never ends; open connections see the change at once.
  const db = machine.open();
  db.exec(`
    ALTER TABLE posts RENAME TO posts_before;
    CREATE VIEW posts AS
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
      SELECT i AS id, 1 AS channel_id, i AS msgr_post_id, i AS published_at, 0 AS is_ad,
        0 AS views, 0 AS read_at, NULL AS link, '' AS text, NULL AS edited_at, NULL AS views_at,
        NULL AS media, NULL AS forwards, NULL AS reactions, NULL AS comments,
        NULL AS forwarded_from, NULL AS forwarded_from_name, NULL AS album FROM n;`);
  db.close();
  return server;
}

test("a slow query delays nobody, and many of them do not delay monitoring", async () => {
  const server = await serveEndless(HANGS_AFTER_MS);
  const { key: another } = await machine.customer();
  let slowEnded = 0;
  const askSlow = (by = key) =>
    void server.get(SLOW, by).then(
      () => slowEnded++,
      () => {},
    );
  askSlow();
  // Anything that waited for the query, on its thread or for a thread, would be answered after it.
  for (const path of [...QUICK, ...QUICK]) {
    expect((await server.get(path, key)).status).toBe(200);
    expect(slowEnded).toBe(0);
  }
  // One customer uses at most half of the threads. With every thread busy, monitoring is answered at once.
  for (let more = 0; more < 2; more++) askSlow();
  for (let more = 0; more < 3; more++) askSlow(another);
  const readers = async (): Promise<string> => {
    const text = await (await server.get("/metrics")).text();
    const figures = text.matchAll(/^kanalog_threads_(?:busy|waiting)\{lane="read"\} (\d+)$/gm);
    return [...figures].map(([, figure]) => figure).join();
  };
  await until(async () => (await readers()) === "4,2", "four threads at work, two tasks waiting");
  expect((await server.get("/readyz")).status).toBe(200);
  expect(await readers()).toBe("4,2");
  expect(slowEnded).toBe(0);
});

test("a query that exceeds the time limit gets a 503 and costs nothing, and its thread continues", async () => {
  const server = await serveEndless(TIMEOUT_MS);
  const used = async (): Promise<number> =>
    ((await (await server.get("/v1/me/", key)).json()) as { usage: { used: number } }).usage.used;
  const usedBefore = await used();
  const startedAtMs = performance.now();
  const answer = await server.get(SLOW, key);
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(TIMEOUT_MS);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ code: "timeout" });
  expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  expect(answer.headers.get("x-request-cost")).toBe("0");
  expect(await used()).toBe(usedBefore);

  const before = server.processorMs();
  await elapsed(500);
  // A statement that kept running would have used the whole half second.
  expect(server.processorMs() - before).toBeLessThan(200);
  // The thread that was stopped still works, and more slow queries than there are threads end too.
  const answers = await Promise.all(Array.from({ length: 6 }, () => server.get(SLOW, key)));
  // Those that would wait behind the organization's own are refused for that.
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503, 429]));
  expect(await used()).toBe(usedBefore);
  expect((await server.get("/v1/msgr/channels/?limit=20", key)).status).toBe(200);
  expect(await server.stop()).toBe(0);
});
