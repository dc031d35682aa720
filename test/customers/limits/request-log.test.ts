import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import type { LoggedOfKey } from "../../../src/customers/limits/request-log.store.ts";
import { createRequestLog } from "../../../src/customers/limits/request-log.ts";
import type { Log } from "../../../src/ports/log.ts";
import { startAppliance } from "../../support/appliance.ts";

test("with many busy keys, each write takes those that have waited longest", async () => {
  const appliance = await startAppliance();
  const { db } = appliance.app.domains;
  const customers = await Promise.all(Array.from({ length: 25 }, () => appliance.customer()));
  const useAll = async (path: string) => {
    for (const { key } of customers) {
      for (let at = 0; at < 100; at++) await appliance.get(path, key);
    }
  };
  const stored = () =>
    db.prepare("SELECT key_id AS key, path FROM request_log ORDER BY id").all() as {
      key: number;
      path: string;
    }[];
  await useAll("/v1/me/");
  await appliance.app.flushRequests();
  expect(stored()).toHaveLength(2_000);
  const written = new Set(stored().map(({ key }) => key));
  expect(written.size).toBe(20);
  await useAll("/v1/msgr/categories/");
  await appliance.app.flushRequests();
  // Five keys were waiting already; now their latest requests are written.
  const later = new Set(stored().map(({ key }) => key));
  expect(later.size).toBe(25);
  const ofLate = stored().filter(({ key }) => !written.has(key));
  expect(ofLate).toHaveLength(500);
  expect(new Set(ofLate.map(({ path }) => path))).toEqual(new Set(["/v1/msgr/categories/"]));
  await appliance.app.flushRequests();
  expect(stored()).toHaveLength(2_500);
  expect(new Set(stored().map(({ path }) => path))).toEqual(new Set(["/v1/msgr/categories/"]));
  await appliance.close();
});

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const request = (at: number, url = "http://x/v1/me/") => ({
  ...{ at, verb: "GET", url, status: 200, durationMs: 1, units: 0, reason: null },
});

test("only one write runs at a time, however many are requested", async () => {
  let [underWay, most, writes] = [0, 0, 0];
  const log = createRequestLog(async () => {
    underWay += 1;
    writes += 1;
    most = Math.max(most, underWay);
    // A request arrives during the write.
    if (writes < 10) log.note(writes, request(writes));
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    underWay -= 1;
  }, silent);
  log.note(0, request(0));
  await Promise.all([log.flush(), log.flush(), log.flush(), log.settled()]);
  expect([writes, most]).toEqual([10, 1]);
});

test("the more keys are waiting, the fewer of each one's latest requests are held", async () => {
  const written: LoggedOfKey[] = [];
  const log = createRequestLog(async (batch) => void written.push(...batch), silent);
  for (let at = 0; at < 100; at++) for (let key = 0; key < 2_000; key++) log.note(key, request(at));
  await log.settled();
  expect(written).toHaveLength(2_000);
  expect(Math.max(...written.map(({ requests }) => requests.length))).toBeLessThanOrEqual(50);
  for (const { requests } of written) expect(requests.at(-1)?.at).toBe(99);
});

test("a long URL takes no more memory than the part that is stored", async () => {
  const written: LoggedOfKey[] = [];
  const log = createRequestLog(async (batch) => void written.push(...batch), silent);
  const before = heapBytes();
  for (let at = 0; at < 5_000; at++) {
    log.note(at % 50, request(at, `http://x/?q=${at}${"x".repeat(16_000)}`));
  }
  Bun.gc(true);
  expect(heapBytes() - before).toBeLessThan(20_000_000);
  await log.settled();
  for (const { requests } of written)
    for (const { path } of requests) expect(path).toHaveLength(500);
});

function heapBytes(): number {
  const { heapSize, extraMemorySize } = heapStats();
  return heapSize + extraMemorySize;
}
