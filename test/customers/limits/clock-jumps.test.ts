import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createClockWatch } from "../../../src/ports/clock.ts";
import { DAY_MS, dayOf, HOUR_MS, startOfDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { channel } from "../../support/expectations.ts";
import { fakeLog, fakePorts } from "../../support/fake-ports.ts";

/** What is billed is billed to the day and the period of the clock it was committed by. */

const CARD = "/v1/msgr/channels/1/";
const MINUTE_MS = 60_000;
const PERIOD_MS = 30 * DAY_MS;

let appliance: Appliance;
let customer: Customer;
beforeEach(async () => {
  appliance = await startAppliance();
  customer = await appliance.customer();
  await appliance.importRows("channels", [channel(1)]);
});
afterEach(() => appliance.close());

const clock = () => appliance.ports.clock;
const card = async (key = customer.key) => (await appliance.get(CARD, key)).status;
const rows = (sql: string) => appliance.app.domains.db.prepare(sql).raw().all() as number[][];
const unitsByPeriod = () => rows("SELECT started_at, used FROM usage_periods ORDER BY 1");
const unitsByDay = () => rows("SELECT day, sum(units) FROM usage_days GROUP BY day ORDER BY 1");

/** Does something in the middle of a request: after so many turns of its waits. */
async function during<T>(turns: number, request: () => Promise<T>, work: () => void): Promise<T> {
  const answer = request();
  for (let turn = 0; turn < turns; turn++) await null;
  work();
  return answer;
}
/** More turns than a request takes. */
const TURNS = 60;

describe.each([
  ["31 days ahead", 31 * DAY_MS, "ahead by 31.0 days"],
  ["an hour back", -HOUR_MS, "back by 60.0 minutes"],
])("a clock that is set %s", (_, jumpMs, said) => {
  test("bills nothing, says so at once, and serves again as soon as it returns", async () => {
    expect(await card()).toBe(200);
    clock().jump(jumpMs);
    const { status, body } = await appliance.request("/readyz");
    expect(status).toBe(503);
    expect(body.checks.clock).toContain(said);
    const refused = await appliance.get(CARD, customer.key);
    expect(refused.status).toBe(503);
    expect(refused.body.detail).toContain("clock");
    clock().jump(-jumpMs);
    expect((await appliance.request("/readyz")).body.checks.clock).toBe("ok");
    expect(await card()).toBe(200);
    expect(unitsByDay()).toEqual([[dayOf(clock().now()), 2]]);
    expect(unitsByPeriod().map(([, used]) => used)).toEqual([2]);
    expect(appliance.ports.log.errors.map(({ fields }) => fields)).toEqual([{ jumpMs }]);
  });

  test("bills nothing to another day or period, at whatever moment of a request it is set", async () => {
    // So that the day before is an hour away in both directions.
    clock().advance(12 * HOUR_MS + 30 * MINUTE_MS);
    let answered = 0;
    for (let turns = 0; turns < TURNS; turns++) {
      const status = await during(turns, card, () => clock().jump(jumpMs));
      expect([200, 503]).toContain(status);
      answered += status === 200 ? 1 : 0;
      clock().jump(-jumpMs);
    }
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThan(TURNS);
    expect(unitsByDay()).toEqual([[dayOf(clock().now()), answered]]);
    expect(unitsByPeriod().map(([, used]) => used)).toEqual([answered]);
  });

  test("lets no job begin", async () => {
    await appliance.app.scheduler.runDue();
    const runs = async () =>
      (await appliance.app.scheduler.list()).map(({ startedAt }) => startedAt);
    clock().advance(DAY_MS);
    await appliance.app.scheduler.runDue();
    const before = await runs();
    clock().jump(jumpMs);
    await appliance.app.scheduler.runDue();
    expect(await runs()).toEqual(before);
  });
});

test("a correction by less than a minute is taken over, and later ones too", async () => {
  for (let step = 0; step < 5; step++) {
    clock().jump(MINUTE_MS - 1);
    expect(await card()).toBe(200);
  }
  expect(appliance.ports.log.warnings).toHaveLength(5);
  expect((await appliance.request("/readyz")).status).toBe(200);
});

test("a day and a period that end during a request take it over: none is refused or billed twice", async () => {
  const startedAt = clock().now();
  for (let turns = 0; turns < TURNS; turns++) {
    expect(await during(turns, card, () => clock().advance(PERIOD_MS))).toBe(200);
  }
  const periods = unitsByPeriod();
  const days = unitsByDay();
  expect(periods.reduce((sum, [, used = 0]) => sum + used, 0)).toBe(TURNS);
  // A period begins at noon, so each day of use is the first of its period.
  expect(days).toEqual(periods.map(([at = 0, used = 0]) => [dayOf(at), used]));
  expect(periods.every(([at = 0]) => (at - startedAt) % PERIOD_MS === 0)).toBe(true);
});

test("a key that expires during a request is charged before its end, or refused", async () => {
  const expected: number[][] = [];
  for (let turns = 0; turns < TURNS; turns++) {
    const day = dayOf(clock().now());
    const expiresAt = startOfDay(day + 1);
    const { key, keyId } = await appliance.customer({ expiresAt });
    clock().advance(expiresAt - clock().now() - 1);
    const request = () => card(key);
    const status = await during(turns, request, () => clock().advance(1));
    expect([200, 401]).toContain(status);
    if (status === 200) expected.push([keyId, day]);
  }
  expect(expected.length).toBeGreaterThan(0);
  expect(expected.length).toBeLessThan(TURNS);
  // Charged by a clock before its end: not to the day that begins then.
  expect(rows("SELECT key_id, day FROM usage_days WHERE units > 0 ORDER BY 1")).toEqual(expected);
});

test("a machine that slept for a night is not taken for one whose clock jumped", () => {
  const { clock } = fakePorts();
  const watch = createClockWatch(clock, fakeLog());
  expect(watch.look()).toBeNull();
  clock.fallAsleep(8 * HOUR_MS);
  expect(watch.look()).toBeNull();
  clock.jump(HOUR_MS);
  expect(watch.look()).toContain("ahead by 60.0 minutes");
});

test("a worker that joins after a jump does not trust the clock either", () => {
  const { clock } = fakePorts();
  const before = createClockWatch(clock, fakeLog());
  clock.jump(31 * DAY_MS);
  const joined = createClockWatch(clock, fakeLog(), before.bootedAt());
  expect(joined.look()).toBe(before.look());
  expect(joined.look()).toContain("ahead by 31.0 days");
});
