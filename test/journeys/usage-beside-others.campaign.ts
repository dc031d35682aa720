import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createMachine, type Machine } from "../support/machine.ts";
import { usedUnits } from "../support/used-units.ts";

/**
 * Counting usage while other processes use the same file; `crashes.campaign.ts` has the kills,
 * `log-growth.campaign.ts` the log beside an import.
 */

let machine: Machine;
let key: string;
beforeEach(async () => {
  machine = createMachine();
  machine.write("channels.csv", "id,title,subscribers\n1,Первый,10\n");
  await machine.run(["import", "channels", machine.path("channels.csv")]);
  await machine.run(["plan", "set", "profi", "--rate", "1000000", "--quota", "1000000000"]);
  ({ key } = await machine.customer("profi"));
});
afterEach(() => machine.leave());

const stored = (): number => usedUnits(machine);

/** Number of times the log was restarted after a complete checkpoint, which its header counts. */
const timesLogBegan = (): number =>
  readFileSync(`${machine.database}-wal`).subarray(0, 16).readUInt32BE(12);

test("two serving processes on one file together grant no unit more than the quota", async () => {
  await machine.run(["plan", "set", "profi", "--quota", "500"]);
  const servings = [await machine.serve(), await machine.serve()];
  const answers = await Promise.all(
    Array.from({ length: 1200 }, async (_, index) => {
      const response = await servings[index % 2]?.get("/v1/msgr/channels/1/", key);
      return response?.status;
    }),
  );
  expect(answers.filter((status) => status === 200)).toHaveLength(500);
  expect(answers.filter((status) => status === 429)).toHaveLength(700);
  expect(stored()).toBe(500);
});

test("the write-ahead log of a busy server stops growing", async () => {
  const serving = await machine.serve();
  let requests = 0;
  // One after the other, so that each is a commit of 8 KB.
  const ask = async (count: number): Promise<void> => {
    for (const end = requests + count; requests < end; requests++) {
      const { status } = await serving.get("/v1/msgr/channels/1/", key);
      if (status !== 200) throw new Error(`status ${status}`);
    }
  };
  await ask(1);
  const begunBefore = timesLogBegan();
  while (timesLogBegan() < begunBefore + 2) {
    expect(requests).toBeLessThan(20_000);
    await ask(500);
  }
  expect(stored()).toBe(requests);
});

test("a change of plan applies to the running server from the next request", async () => {
  const serving = await machine.serve();
  const policy = async () =>
    (await serving.get("/v1/me/", key)).headers.get("ratelimit-policy") ?? "";
  expect(await policy()).toContain('"quota";q=1000000000;');
  await machine.run(["plan", "set", "profi", "--quota", "7"]);
  expect(await policy()).toContain('"quota";q=7;');
  await machine.run(["org", "plan", "1", "test"]);
  expect(await policy()).toContain('"rate";q=2;w=1, "quota";q=1000;');
});

test("while another process holds the write lock, free answers are sent and billed ones wait", async () => {
  const serving = await machine.serve();
  expect((await serving.get("/v1/msgr/channels/1/", key)).status).toBe(200);
  const holder = machine.open();
  holder.exec("BEGIN IMMEDIATE");
  let billedAnswered = false;
  const billed = serving.get("/v1/msgr/channels/1/", key).then((response) => {
    billedAnswered = true;
    return response;
  });
  // If the commit waited on the serving thread, each of these would be answered after it.
  for (let count = 0; count < 10; count++) {
    expect((await serving.get("/v1/msgr/categories/", key)).status).toBe(200);
  }
  expect(billedAnswered).toBe(false);
  holder.exec("COMMIT");
  holder.close();
  expect((await billed).status).toBe(200);
  expect(stored()).toBe(2);
});

test("while the write lock is held too long, billed requests get a 503 in time, and none of them is counted later", async () => {
  const serving = await machine.serve();
  const holder = machine.open();
  holder.exec("BEGIN IMMEDIATE");
  // Were an answer too late, the server would have closed the connection instead.
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => serving.get("/v1/msgr/channels/1/", key)),
  );
  for (const { status, headers } of answers) {
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("1");
    expect(headers.get("x-request-cost")).toBe("0");
  }
  holder.exec("COMMIT");
  holder.close();
  expect((await serving.get("/v1/msgr/channels/1/", key)).status).toBe(200);
  expect(await serving.stop()).toBe(0);
  expect(stored()).toBe(1);
});
