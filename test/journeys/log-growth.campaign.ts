import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { formatDay } from "../../src/values/moscow-time.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { usedUnits } from "../support/used-units.ts";

let machine: Machine;
let key: string;
beforeEach(async () => {
  machine = createMachine();
  await machine.run(["plan", "set", "profi", "--rate", "1000000", "--quota", "1000000000"]);
  ({ key } = await machine.customer("profi"));
});
afterEach(() => machine.leave());

/** Number of times the log was restarted after a complete checkpoint, which its header counts. */
const timesLogBegan = (): number =>
  readFileSync(`${machine.database}-wal`).subarray(0, 16).readUInt32BE(12);

test("the write-ahead log stops growing while two servers count usage and a process imports", async () => {
  const ids = Array.from({ length: 1000 }, (_, at) => at + 1);
  const channels = ids.map((id) => `${id},Канал ${id},10`);
  machine.write("channels.csv", `id,title,subscribers\n${channels.join("\n")}\n`);
  await machine.run(["import", "channels", "channels.csv"]);
  // Day by day, so that each transaction changes most pages of the table: 100 MB of log per import.
  const days = Array.from({ length: 200 }, (_, at) => formatDay(20_000 + at));
  const servings = [await machine.serve(), await machine.serve()];
  let importing = true;
  const importDays = async (views: number): Promise<void> => {
    const rows = days.flatMap((day) => ids.map((id) => `${id},${day},10,${views},2`));
    machine.write("stats.csv", `channel,day,subscribers,views,posts\n${rows.join("\n")}\n`);
    expect((await machine.runProgram(["import", "stats", "stats.csv"])).exitCode).toBe(0);
  };
  let billed = 0;
  const askOnce = async (index: number): Promise<void> => {
    const answer = await servings[index % 2]?.get("/v1/msgr/channels/1/", key);
    if (answer?.status === 200) billed += 1;
  };
  // The log has no header before its first commit.
  await askOnce(0);
  const begunBefore = timesLogBegan();
  const imported = (async () => {
    // Usually the log restarts several times during one import; on a busy machine the servers may get fewer
    // chances for that.
    for (let views = 1; timesLogBegan() === begunBefore; views++) {
      expect(views).toBeLessThan(10);
      await importDays(views);
    }
  })().finally(() => {
    importing = false;
  });
  const ask = async (index: number): Promise<void> => {
    while (importing) await askOnce(index);
  };
  await Promise.all([imported, ...Array.from({ length: 8 }, (_, index) => ask(index))]);
  expect(usedUnits(machine)).toBe(billed);
});
